"""Runs a measured process as its supervisor wants it: pinned, reporting, gone at once."""

import contextlib
import json
import os
import platform
import re
import signal
import sys
import traceback
from collections.abc import Callable
from typing import Any

MAX_MESSAGE = 4000  # characters of an exception's message


class Events:
    """Sends JSON lines to the parent."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def send(self, kind: str, **fields: Any) -> None:
        os.write(self._descriptor, (json.dumps({"event": kind, **fields}) + "\n").encode())


def run(measure: Callable[[dict[str, Any], Events], None]) -> None:
    """Call ``measure(request, events)`` with what the command line asks for, and end the process.

    The parent hears first what is installed here, and last ``done`` or ``failed``.
    """
    request: dict[str, Any] = json.loads(sys.argv[1])
    die_with_parent(parent=request.get("parent"))
    events = Events(request["events_fd"])
    if hasattr(os, "sched_setaffinity"):  # Linux; elsewhere the pools' sizes alone hold
        os.sched_setaffinity(0, request["affinity"])
    try:
        python = sys.version.split()[0]
        events.send("packages", packages=installed(), prefix=sys.prefix, python=python)
        measure(request, events)
        events.send("done")
    except BaseException as error:
        events.send("failed", type=type(error).__name__, message=str(error)[:MAX_MESSAGE])
        traceback.print_exc()
        leave(1)
    leave(0)


def leave(status: int) -> None:
    """End at once: tearing down a framework takes seconds and belongs to no step."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()
    os._exit(status)


def installed() -> dict[str, str]:
    """Return every distribution of this environment and its version, with normalized names."""
    from importlib.metadata import distributions

    found: dict[str, str] = {}
    for distribution in distributions():
        metadata = distribution.metadata  # parsed anew whenever it is asked for
        if name := metadata["Name"]:  # what a package left behind has none
            found.setdefault(re.sub(r"[-_.]+", "-", name).lower(), metadata["Version"])
    return dict(sorted(found.items()))


def die_with_parent(by: signal.Signals = signal.SIGKILL, parent: int | None = None) -> None:
    """Have the kernel end this process by a signal when its parent is gone (Linux).

    parent: the parent's process id; if it has died already, this process ends at once.
    """
    if platform.system() == "Linux":
        import ctypes

        PR_SET_PDEATHSIG = 1
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, by)
        if parent is not None and os.getppid() != parent:
            os.kill(os.getpid(), by)
