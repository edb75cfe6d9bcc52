"""Virtual environments that are complete or do not count, safe against a second process.

Standard library only, for Python 3.9 and later: this runs before any environment exists.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from deploy import causes

COMPLETE = "millistep-complete"  # written last into an environment: without it, it is a ruin
TAIL_LINES = 15


class EnvironmentProblem(Exception):
    """What is wrong, in one line for the user; more lines may follow from a log."""

    @property
    def reason(self) -> str:
        """The one line."""
        return str(self).partition("\n")[0]


class Failed(EnvironmentProblem):
    """A command that was to create an environment failed."""

    def __init__(self, message: str, passing: bool):
        super().__init__(message)
        self.passing = passing  # the cause may be gone at the next attempt


def write_atomically(path: Path, text: str) -> None:
    """Write a file that others see complete or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    unfinished.write_text(text)
    unfinished.replace(path)


def clean_environ(**extra: str) -> dict[str, str]:
    """Our environment variables, without those that leak other packages into an interpreter."""
    leaks = ("PYTHONPATH", "PYTHONHOME", "__PYVENV_LAUNCHER__", "CONDA_PREFIX")
    kept = {name: value for name, value in os.environ.items() if name not in leaks}
    return {**kept, "PYTHONNOUSERSITE": "1", "PIP_USER": "0", **extra}


def ask(interpreter: str | Path, program: str) -> str | None:
    """What a few lines print in an interpreter, isolated; None when it cannot run them."""
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

    creation: the command that makes it; started inside a virtual environment, venv builds on the
    Python beneath that. title: of the lines that tell the user. variables: more of them for the
    second command, given the environment's Python. Raises Failed.
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
    """One command of a creation, with all that it prints in the log; raises Failed."""
    done = subprocess.run(
        command,
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        # The children inherit the lock: what a killed parent left running holds it too.
        pass_fds=[lock.fileno()],
    )
    if done.returncode:
        raise failure(prefix.name, Path(output.name))


@contextlib.contextmanager
def progress(title: str) -> Iterator[None]:
    """A line before what takes longer than a few seconds, and one that says how long it took."""
    print(f"millistep: {title}: being deployed", file=sys.stderr, flush=True)
    start = time.monotonic()
    yield
    print(f"millistep: {title}: ready after {time.monotonic() - start:.0f} s", file=sys.stderr)


def path_with(folder: Path) -> str:
    """The PATH with a folder before all others, and what is beside our own Python after them."""
    own = os.environ.get("PATH", os.defpath)
    return os.pathsep.join((str(folder), own, str(Path(sys.executable).parent)))


def wait_for(lock: IO[str], prefix: Path) -> None:
    """Take the lock of an environment; say so when somebody else has it."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print(f"waiting for another process that creates {prefix.name}", file=sys.stderr)
        fcntl.flock(lock, fcntl.LOCK_EX)


def failure(name: str, log: Path) -> Failed:
    """The likely cause by what the log of a creation says, and its last lines."""
    text = log.read_text(errors="replace")
    words, passing = causes.cause(text)
    tail = "".join(f"\n    {line}" for line in text.splitlines()[-TAIL_LINES:])
    return Failed(f"could not create {name}: {words}; the log is {log}{tail}", passing)
