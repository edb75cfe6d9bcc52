"""A program that times something, in a process of its own: started, waited for, ended in order."""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence

from measure.process import die_with_parent
from supervise.interrupts import number, signal_of

GRACE_S = 15.0  # for a supervisor to end what it started


class TimeOver(Exception):
    """No time is left to measure in."""


def run(
    command: Sequence[str],
    deadline: float | None = None,
    variables: Mapping[str, str] | None = None,
) -> int:
    """Exit status of the program, negative: the signal that killed it.

    deadline: on the monotonic clock. variables: of its environment, besides ours. Raises
    :class:`TimeOver` then, and KeyboardInterrupt for what interrupts us or it, which it is told as
    we were; nothing of it survives either.
    """
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        env={**os.environ, **(variables or {})},
        start_new_session=True,  # an interrupt of the terminal comes through us, once
        preexec_fn=die_with_parent,
    ) as process:
        try:
            left_s = None if deadline is None else max(0.0, deadline - time.monotonic())
            status = process.wait(left_s)
        except BaseException as end:
            how = number(end) if isinstance(end, KeyboardInterrupt) else signal.SIGINT
            _signal(process, how)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(GRACE_S)
            _signal(process, signal.SIGKILL)
            if isinstance(end, subprocess.TimeoutExpired):
                raise TimeOver from None
            raise
    # Of a whole job that is ended, it may be told before we are.
    if ended_by := signal_of(status):
        raise KeyboardInterrupt(ended_by)
    return status


def _signal(process: subprocess.Popen[bytes], how: int) -> None:
    """To it and to what it started in its session, as a terminal would."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, how)
