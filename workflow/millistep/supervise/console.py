"""Lines for the user on a terminal, and the end of a command by a signal."""

import os
import signal
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from types import FrameType
from typing import TextIO

from millistep.measure.process import die_with_parent

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


POLITE = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
TOGETHER_S = 2.0  # in which all processes of a job get their signals, on a busy machine, too


def end_with_snakemake() -> None:
    """Have this process end in order by a signal, and by the death of Snakemake: so no run goes on
    in parallel to those of the next start. Needs rules that leave no shell between the two.
    """
    parent = os.getppid()
    end_by_interrupt()
    die_with_parent(signal.SIGTERM, parent)


def end_by_interrupt(signals: Iterable[signal.Signals] = POLITE) -> None:
    """Have the first of these signals raise KeyboardInterrupt, and those after it do nothing. A
    SIGHUP that is ignored already, by `nohup`, stays so.
    """
    kept = {signal.SIGHUP} if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN else set()
    ending = [each for each in signals if each not in kept]

    def interrupted(number: int, frame: FrameType | None) -> None:
        for each in ending:
            signal.signal(each, signal.SIG_IGN)
        raise KeyboardInterrupt(number)

    for each in ending:
        # Python leaves SIGINT alone where its caller ignores it, as a background shell does.
        signal.signal(each, interrupted)


def hold() -> None:
    """Let no signal interrupt this process any more: what it still does takes a moment."""
    signal.pthread_sigmask(signal.SIG_BLOCK, POLITE)


def end_after_snakemake(end: KeyboardInterrupt) -> int:
    """Return the exit status; after SIGTERM, not before Snakemake is gone: if a cluster ends the
    whole job and signals us first, Snakemake would begin the next run, at the cost of that run.
    """
    parent, until = os.getppid(), time.monotonic() + TOGETHER_S
    while number(end) == signal.SIGTERM and os.getppid() == parent and time.monotonic() < until:
        time.sleep(0.05)
    return exit_status(end)


def number(end: KeyboardInterrupt) -> int:
    """Return the number of the signal."""
    return end.args[0] if end.args else signal.SIGINT


def exit_status(end: KeyboardInterrupt) -> int:
    """Return the exit status, as shells have it: 130 after SIGINT, 143 after SIGTERM."""
    return 128 + number(end)
