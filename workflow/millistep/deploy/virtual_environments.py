"""Virtual environments that count only if they are complete, made by one process at a time."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import secrets
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

COMPLETE = "millistep-complete"  # written last into an environment: without it, it is incomplete
MAX_REASON = 200  # characters quoted from a log
Run = Callable[..., None]  # runs a command, given its variables; raises EnvironmentProblem
# Errors of pip and uv; and the remedy that Debian's Python prints if it cannot make an environment.
ERROR = re.compile(r"^(?:ERROR:|error:| +(?=apt install )) *(\S.*)$", re.MULTILINE)


class EnvironmentProblem(Exception):
    """A problem with an environment, in one line for the user."""


def write_atomically(path: Path, text: str) -> None:
    """Write a file such that others see it complete or not at all, those on other nodes, too."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        unfinished.write_text(text)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def read_json(path: Path) -> dict[str, Any]:
    """Return the mapping in a JSON file; empty if it is missing, broken or no mapping."""
    try:
        found = json.loads(path.read_text())
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def cache() -> Path:
    """Return the folder in which virtual environments are kept."""
    if own := os.environ.get("MILLISTEP_CACHE"):
        return Path(own, "envs").absolute()
    user = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(user, "millistep", "envs").absolute()


def clean_environ(**extra: str) -> dict[str, str]:
    """Return our variables without those that show an interpreter other packages."""
    leaks = ("PYTHONPATH", "PYTHONHOME", "__PYVENV_LAUNCHER__", "CONDA_PREFIX", "VIRTUAL_ENV")
    kept = {name: value for name, value in os.environ.items() if name not in leaks}
    # uv is installed next to our own Python. Its downloads are on the disk of the environments,
    # because the environments are hard links to them.
    kept["PATH"] = os.pathsep.join((kept.get("PATH", os.defpath), str(Path(sys.executable).parent)))
    kept.setdefault("UV_CACHE_DIR", str(cache().with_name("uv")))
    return {**kept, "PYTHONNOUSERSITE": "1", "PIP_USER": "0", **extra}


def ask(interpreter: str | Path, program: str) -> str | None:
    """Return the output of a short program in an isolated interpreter; None if it does not run."""
    command = [str(interpreter), "-I", "-c", program]
    with contextlib.suppress(OSError):
        answer = subprocess.run(command, capture_output=True, text=True, env=clean_environ())
        if answer.returncode == 0:
            return answer.stdout.strip()
    return None


def _runs(prefix: Path) -> bool:
    return (prefix / COMPLETE).exists() and ask(prefix / "bin" / "python", "") is not None


@contextlib.contextmanager
def unfinished(
    prefix: Path, log: Path | None, title: str, complete: Callable[[Path], bool] = _runs
) -> Iterator[Run | None]:
    """Yield a function that runs a command to make an environment; None if it is complete.

    One process at a time makes it. All output goes to the log; the user gets a line before and one
    after it. Raises EnvironmentProblem.
    """
    if complete(prefix):  # also in a cache that can only be read
        yield None
        return
    log_file = log or Path(f"{prefix}.log")
    for folder in (prefix.parent, log_file.parent):
        folder.mkdir(parents=True, exist_ok=True)
    with open(f"{prefix}.lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print(f"waiting for another process that creates {prefix.name}", file=sys.stderr)
            fcntl.flock(lock, fcntl.LOCK_EX)
        if complete(prefix):
            yield None
            return
        print(f"millistep: {title}: being installed", file=sys.stderr, flush=True)
        start = time.monotonic()
        with open(log_file, "w") as output:

            def run(command: list[str], **environ: str) -> None:
                done = subprocess.run(
                    command,
                    env=clean_environ(**environ),
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    # Children inherit the lock: they keep it if their parent is killed.
                    pass_fds=[lock.fileno()],
                )
                if done.returncode:
                    raise failure(log_file)

            yield run
        print(f"millistep: {title}: ready after {time.monotonic() - start:.0f} s", file=sys.stderr)
        write_atomically(prefix / COMPLETE, "")


def failure(log: Path) -> EnvironmentProblem:
    """Return the error for a failed installation: the last error line of its log."""
    text = log.read_text(errors="replace")
    lines = ERROR.findall(text) or text.strip().splitlines() or ["the installation failed"]
    return EnvironmentProblem(f"{lines[-1].strip()[:MAX_REASON]} (log: {log})")


class KnownProblem(EnvironmentProblem):
    """A problem that an earlier job of this start had."""


@contextlib.contextmanager
def once_per_start(marker: Path, start: str | None) -> Iterator[None]:
    """Note the failure of an installation next to its marker, and raise it again until the next
    start. start: its id; None to try in any case.
    """
    note = marker.with_name(f".{marker.stem}.failed")
    before = read_json(note)
    if start and before.get("start") == start and "reason" in before:
        raise KnownProblem(before["reason"])
    try:
        yield
    except EnvironmentProblem as problem:
        if start:
            with contextlib.suppress(OSError):
                write_atomically(note, json.dumps({"start": start, "reason": str(problem)}))
        raise
    note.unlink(missing_ok=True)
