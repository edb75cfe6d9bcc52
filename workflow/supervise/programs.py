"""A program that times something, in a process of its own: started, waited for, ended in order."""

import contextlib
import subprocess
import time
from collections.abc import Sequence

from measure.process import die_with_parent
from supervise.interrupts import signal_of

GRACE_S = 15.0  # for a supervisor to end what it started


class TimeOver(Exception):
    """No time is left to measure in."""


def run(command: Sequence[str], deadline: float | None = None) -> int:
    """Exit status of the program, negative: the signal that killed it.

    deadline: on the monotonic clock. Raises :class:`TimeOver` then, and KeyboardInterrupt for what
    interrupts us or it; nothing of it survives either.
    """
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        start_new_session=True,  # an interrupt of the terminal comes through us, once
        preexec_fn=die_with_parent,
    ) as process:
        try:
            left_s = None if deadline is None else max(0.0, deadline - time.monotonic())
            status = process.wait(left_s)
        except BaseException as end:
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(GRACE_S)
            process.kill()
            if isinstance(end, subprocess.TimeoutExpired):
                raise TimeOver from None
            raise
    # Of a whole job that is ended, it may be told before we are.
    if ended_by := signal_of(status):
        raise KeyboardInterrupt(ended_by)
    return status
