"""Run a program that times something: start its process, wait for it, end it in order."""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from typing import TextIO

from measure.process import die_with_parent
from supervise.interrupts import number, signal_of

GRACE_S = 15.0  # a supervisor's time to end what it started


class TimeOver(Exception):
    """The deadline for measuring has passed."""


def run(
    command: Sequence[str],
    deadline: float | None = None,
    variables: Mapping[str, str] | None = None,
    stdout: TextIO | None = None,
) -> int:
    """Run a program; return its exit status, negative: the signal that killed it.

    deadline: on the monotonic clock; after it, :class:`TimeOver` is raised. variables: added to our
    environment's. stdout: where the program prints, ours by default. A signal that interrupts us is
    passed on to the program; that, or an interrupt of the program, raises KeyboardInterrupt. In all
    cases nothing of the program survives.
    """
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        env={**os.environ, **(variables or {})},
        start_new_session=True,  # an interrupt from the terminal reaches it through us, once
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
    # If a whole job is ended, the program may get the signal before we do.
    if ended_by := signal_of(status):
        raise KeyboardInterrupt(ended_by)
    return status


def _signal(process: subprocess.Popen[bytes], how: int) -> None:
    """Send a signal to the program and to what it started in its session, as a terminal would."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, how)
