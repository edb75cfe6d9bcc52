"""Lines for the user: one that stays in place while it lasts, and those that are left behind.

In a file, or where the output is handed on, each is a plain line of its own.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

CLEAR = "\r\x1b[K"


class Terminal:
    """A stream that may be a terminal."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._in_place = stream.isatty()

    def stay(self, text: str) -> None:
        """What goes on now, until :meth:`leave`."""
        if self._in_place:
            # A line that wraps could not be taken back.
            self._write(CLEAR + printable(text)[: self._columns() - 1])
        else:
            self._write(printable(text) + "\n")

    def leave(self, *lines: str) -> None:
        """What came of it, to stay on the screen; nothing clears the line alone."""
        clear = CLEAR if self._in_place else ""
        self._write(clear + "".join(f"{printable(line)}\n" for line in lines))

    @contextmanager
    def during(self, text: str) -> Iterator[None]:
        """What goes on now and leaves nothing to be told."""
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
        self._stream.write(text)
        self._stream.flush()


def printable(text: str) -> str:
    """Titles and reasons come from outside: nothing of them moves the cursor."""
    return "".join(character if character.isprintable() else " " for character in text)
