"""Lines for the user on stderr, and the end of a command by a signal.

The first signal ends everything in order, and later ones are ignored.
"""

import os
import signal
import sys
import time
from contextlib import suppress
from types import FrameType

from millistep.measure.process import die_with_parent
from millistep.supervise.ending import printable

POLITE = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)  # the last is ignored with `nohup`
TOGETHER_S = 2.0  # in which all processes of a job get their signals, on a busy machine, too


def say(line: str) -> None:
    """Print a line for the user on stderr, if anybody can still read it."""
    # A terminal that was closed, or a log on a full disk: what is measured is worth more.
    with suppress(OSError):
        print(printable(line).replace("\n", " "), file=sys.stderr, flush=True)


def end_with_snakemake() -> None:
    """Have this process end in order by a signal, and with Snakemake: no run goes on next to those
    of the next start. Needs rules that leave no shell between the two.
    """
    parent = os.getppid()
    end_by_interrupt()
    die_with_parent(signal.SIGTERM, parent)


def end_by_interrupt() -> None:
    """Have the first signal raise KeyboardInterrupt, and later ones do nothing."""
    nohup = signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    ending = POLITE[:2] if nohup else POLITE

    def interrupted(number: int, frame: FrameType | None) -> None:
        for each in ending:
            signal.signal(each, signal.SIG_IGN)
        raise KeyboardInterrupt(number)

    # Where its caller ignores it, no child can be waited for.
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
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
    number: int = end.args[0]
    while number == signal.SIGTERM and os.getppid() == parent and time.monotonic() < until:
        time.sleep(0.05)
    return 128 + number  # as shells have it: 130 after SIGINT, 143 after SIGTERM
