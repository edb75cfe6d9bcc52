"""Lines for the user on a terminal: one is replaced in place, the others stay on the screen.

In a file or a pipe, each is a plain line of its own.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

CLEAR = "\r\x1b[K"


class Terminal:
    """A stream that may be a terminal."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._in_place = stream.isatty()

    def stay(self, text: str) -> None:
        """Show what goes on now, until :meth:`leave`."""
        if self._in_place:
            # A line that wraps could not be cleared.
            self._write(CLEAR + printable(text)[: self._columns() - 1])
        else:
            self._write(printable(text) + "\n")

    def leave(self, *lines: str) -> None:
        """Replace the line by lines that stay on the screen; without any, only clear it."""
        clear = CLEAR if self._in_place else ""
        self._write(clear + "".join(f"{printable(line)}\n" for line in lines))

    @contextmanager
    def during(self, text: str) -> Iterator[None]:
        """Show what goes on now, and clear the line afterwards."""
        self.stay(text)
        try:
            yield
        finally:
            self.leave()

    def _columns(self) -> int:
        try:
            return os.get_terminal_size(self._stream.fileno()).columns or 80
        except OSError:
            return 80

    def _write(self, text: str) -> None:
        # A terminal that was closed, or a log on a full disk: what is measured is worth more.
        with suppress(OSError):
            self._stream.write(text)
            self._stream.flush()


def say(line: str) -> None:
    """Print a line for the user on stderr, if anybody can still read it."""
    Terminal(sys.stderr).leave(line)


def printable(text: str) -> str:
    """Return a text without characters that move the cursor: titles and reasons come from
    outside.
    """
    return "".join(character if character.isprintable() else " " for character in text)
