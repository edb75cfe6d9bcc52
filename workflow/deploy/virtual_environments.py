"""Virtual environments that count only if they are complete, made by one process at a time.

Standard library only, for Python 3.9 and later: this runs before any environment exists.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from deploy import causes

COMPLETE = "millistep-complete"  # written last into an environment: without it, it is incomplete
TAIL_LINES = 15


class EnvironmentProblem(Exception):
    """A problem in one line for the user; more lines may follow from a log."""

    @property
    def reason(self) -> str:
        """The first line, without those of the log."""
        return str(self).partition("\n")[0]


class Failed(EnvironmentProblem):
    """A command that was to create an environment failed."""

    def __init__(self, message: str, cause: str, passing: bool):
        super().__init__(message)
        self.cause = cause
        self.passing = passing  # the cause may be gone at the next attempt


def write_atomically(path: Path, text: str) -> None:
    """Write a file such that others see it complete or not at all, those on other nodes, too."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        unfinished.write_text(text)
        unfinished.replace(path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def clean_environ(**extra: str) -> dict[str, str]:
    """Our environment variables, without those that show an interpreter other packages."""
    leaks = ("PYTHONPATH", "PYTHONHOME", "__PYVENV_LAUNCHER__", "CONDA_PREFIX")
    kept = {name: value for name, value in os.environ.items() if name not in leaks}
    return {**kept, "PYTHONNOUSERSITE": "1", "PIP_USER": "0", **extra}


def ask(interpreter: str | Path, program: str) -> str | None:
    """The output of a short program in an isolated interpreter; None if it cannot run it."""
    command = [str(interpreter), "-I", "-c", program]
    with contextlib.suppress(OSError):
        answer = subprocess.run(command, capture_output=True, text=True, env=clean_environ())
        if answer.returncode == 0:
            return answer.stdout.strip()
    return None


def find_or_create(
    prefix: Path,
    creation: Callable[[], list[str]],
    install: list[str],
    log: Path,
    title: str,
    variables: Callable[[Path], dict[str, str]] = lambda python: {},
) -> None:
    """Make a virtual environment and run a command in it, unless it is there and complete.

    creation: returns the command that makes it; started inside a virtual environment, venv builds
    on the Python beneath that. install: the command to run in it. title: of the lines for the user.
    variables: more of them for `install`, given the environment's Python. Raises Failed.
    """
    prefix.parent.mkdir(parents=True, exist_ok=True)
    with open(f"{prefix}.lock", "w") as lock:
        wait_for(lock, prefix)
        python = prefix / "bin" / "python"
        if (prefix / COMPLETE).exists() and ask(python, "") is not None:
            return
        shutil.rmtree(prefix, ignore_errors=True)
        create = creation()
        log.parent.mkdir(parents=True, exist_ok=True)
        with progress(title), open(log, "w") as output:
            run(create, clean_environ(), output, lock, prefix)
            environ = clean_environ(
                PATH=path_with(python.parent), VIRTUAL_ENV=str(prefix), **variables(python)
            )
            run(install, environ, output, lock, prefix)
        write_atomically(prefix / COMPLETE, "")


def run(
    command: list[str], environ: dict[str, str], output: IO[str], lock: IO[str], prefix: Path
) -> None:
    """Run one command of a creation, with all its output in the log; raises Failed."""
    done = subprocess.run(
        command,
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        # Children inherit the lock: those that a killed parent leaves running go on holding it.
        pass_fds=[lock.fileno()],
    )
    if done.returncode:
        raise failure(prefix.name, Path(output.name))


@contextlib.contextmanager
def progress(title: str) -> Iterator[None]:
    """Print a line before a deployment, and one after it that says how long it took."""
    print(f"millistep: {title}: being deployed", file=sys.stderr, flush=True)
    start = time.monotonic()
    yield
    print(f"millistep: {title}: ready after {time.monotonic() - start:.0f} s", file=sys.stderr)


def path_with(folder: Path) -> str:
    """The PATH with a folder before all others, and the folder of our own Python after them."""
    own = os.environ.get("PATH", os.defpath)
    return os.pathsep.join((str(folder), own, str(Path(sys.executable).parent)))


def wait_for(lock: IO[str], prefix: Path) -> None:
    """Take the lock of an environment; tell the user if it has to be waited for."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print(f"waiting for another process that creates {prefix.name}", file=sys.stderr)
        fcntl.flock(lock, fcntl.LOCK_EX)


def failure(name: str, log: Path) -> Failed:
    """The error for a failed creation: its likely cause, and the last lines of its log."""
    text = log.read_text(errors="replace")
    words, passing = causes.cause(text)
    tail = "".join(f"\n    {line}" for line in text.splitlines()[-TAIL_LINES:])
    return Failed(f"could not create {name}: {words}; the log is {log}{tail}", words, passing)
