"""Runs a measured process as its supervisor wants it: pinned, reporting, gone at once."""

import contextlib
import json
import os
import platform
import re
import signal
import sys
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path, PurePath
from typing import Any

MAX_MESSAGE = 4000  # characters of an exception's message
MODELS = "millistep.measure.models."  # beginning of the names of models' modules
# TensorFlow's words for a line in a function that it has rewritten.
IN_USER_CODE = re.compile(r'File "([^"]*/models/[^"]+\.py)", line (\d+), in')


class Events:
    """Sends JSON lines to the parent."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def send(self, kind: str, **fields: Any) -> None:
        os.write(self._descriptor, (json.dumps({"event": kind, **fields}) + "\n").encode())


def run(measure: Callable[[dict[str, Any], Events], None]) -> None:
    """Call ``measure(request, events)`` with the command line's request, and end the process.

    The first event for the parent lists the installed packages, the last one is ``done`` or
    ``failed``.
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
        events.send("failed", **failure(error))
        traceback.print_exc()
        leave(1)
    leave(0)


def failure(error: BaseException) -> dict[str, str]:
    """Return type and message of an error, and the line of the model that it went through."""
    found = {"type": type(error).__name__, "message": str(error)[:MAX_MESSAGE]}
    if line := line_of_model(error):
        found["line"] = line
        if isinstance(error, ModuleNotFoundError):
            found["message"] += _how_to_import(str(error.name), error)
    return found


def _how_to_import(name: str, error: BaseException) -> str:
    """Return the remedy for a module that a model imports and that is not found."""
    if (place := _place(error)) and Path(place[0]).with_name(f"{name}.py").exists():
        return f"; a file of the model is imported by 'from .{name} import ...'"
    if name.startswith(MODELS):
        return ""
    return "; packages are added as docs/custom-model.md#packages shows"


def line_of_model(error: BaseException) -> str | None:
    """Return the innermost line of a model's own module that an error went through, such as
    ``models/mlp/keras3.py, line 12``; None if there is none.
    """
    place = _place(error)
    return place and f"{'/'.join(PurePath(place[0]).parts[-3:])}, line {place[1]}"


def _place(error: BaseException) -> tuple[str, int] | None:
    found = None
    seen: list[BaseException] = []
    each: BaseException | None = error
    while each and each not in seen and not found:
        for frame, line in traceback.walk_tb(each.__traceback__):
            if str(frame.f_globals.get("__name__", "")).startswith(MODELS):
                found = frame.f_code.co_filename, line
        seen.append(each)
        each = each.__cause__ or each.__context__
    if not found and (of_graph := IN_USER_CODE.findall(str(error))):
        found = of_graph[-1][0], int(of_graph[-1][1])
    if not found and isinstance(error, SyntaxError) and error.filename and error.lineno:
        found = error.filename, error.lineno
    return found


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
        metadata = distribution.metadata  # parsed again at each access
        if name := metadata["Name"]:  # None for the remains of a package
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


MOST = 200
LENGTH = 1000  # characters of one warning


class Caught:
    """Collects warnings from now on; they are still printed to the log."""

    def __init__(self) -> None:
        self._texts: dict[str, None] = {}
        self._left_out = 0
        self._show = warnings.showwarning
        warnings.showwarning = self._remember  # type: ignore[assignment]  # takes the rest as it is

    def texts(self) -> list[str]:
        """Return the texts in order of first appearance; the last may count those left out."""
        more = [f"{self._left_out} more warnings are in the log"] if self._left_out else []
        return [*self._texts, *more]

    def _remember(self, message: Warning | str, category: type[Warning], *rest: Any) -> None:
        text = f"{category.__name__}: {message}"[:LENGTH]
        if len(self._texts) < MOST:
            self._texts[text] = None
        elif text not in self._texts:
            self._left_out += 1
        self._show(message, category, *rest)
