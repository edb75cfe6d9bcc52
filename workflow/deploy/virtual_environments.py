"""Virtual environments that count only if they are complete, made by one process at a time.

Standard library only, for Python 3.9 and later: this runs before any environment exists.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import secrets
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

COMPLETE = "millistep-complete"  # written last into an environment: without it, it is incomplete
MAX_REASON = 200  # characters quoted from a log
# Last lines of an installer's log are the tail of a table of options or of a traceback.
ERROR = re.compile(r"^\s*(?:ERROR|error)\s*: *(\S.*)$|^\s*╰─▶ *(\S.*)$", re.MULTILINE)


class EnvironmentProblem(Exception):
    """A problem with an environment, in one line for the user."""


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
    # uv is found beside our own Python, and its downloads on the disk of the environments, which
    # are hard links to them.
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


def find_or_create(
    prefix: Path,
    creation: Callable[[], list[str]],
    install: list[str],
    log: Path,
    title: str,
) -> str:
    """Return the interpreter of a virtual environment, which is made unless it is complete.

    creation: returns the command that makes the environment; started inside a virtual environment,
    venv builds on the Python beneath that. install: the command to run with it as VIRTUAL_ENV.
    title: of the lines for the user. Raises EnvironmentProblem.
    """
    python = prefix / "bin" / "python"
    with locked(prefix) as lock:
        if not (prefix / COMPLETE).exists() or ask(python, "") is None:
            shutil.rmtree(prefix, ignore_errors=True)
            create, environ = creation(), clean_environ(VIRTUAL_ENV=str(prefix))
            log.parent.mkdir(parents=True, exist_ok=True)
            with progress(title), open(log, "w") as output:
                run(create, environ, output, lock)
                run(install, environ, output, lock)
            write_atomically(prefix / COMPLETE, "")
    return str(python)


@contextlib.contextmanager
def locked(prefix: Path) -> Iterator[IO[str]]:
    """Hold the lock of an environment, ``<prefix>.lock``; tell the user if that means waiting."""
    prefix.parent.mkdir(parents=True, exist_ok=True)
    with open(f"{prefix}.lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print(f"waiting for another process that creates {prefix.name}", file=sys.stderr)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield lock


@contextlib.contextmanager
def progress(title: str) -> Iterator[None]:
    """Print a line before an installation, and one after it with its duration."""
    print(f"millistep: {title}: being installed", file=sys.stderr, flush=True)
    start = time.monotonic()
    yield
    print(f"millistep: {title}: ready after {time.monotonic() - start:.0f} s", file=sys.stderr)


def run(
    command: list[str], environ: dict[str, str], output: IO[str], lock: IO[str] | None = None
) -> None:
    """Run one command of an installation, all its output in a log; raises EnvironmentProblem."""
    done = subprocess.run(
        command,
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        # Children inherit the lock: they keep it if their parent is killed.
        pass_fds=[lock.fileno()] if lock else [],
    )
    if done.returncode:
        raise failure(Path(output.name))


def failure(log: Path) -> EnvironmentProblem:
    """Return the error for a failed installation: the last error line of its log."""
    text = log.read_text(errors="replace")
    errors = [first or second for first, second in ERROR.findall(text)]
    lines = errors or text.splitlines() or ["the installation failed"]
    return EnvironmentProblem(f"{lines[-1].strip()[:MAX_REASON]} (log: {log})")
