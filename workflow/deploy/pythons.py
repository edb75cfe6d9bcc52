"""The Python that a definition is locked for: found on this machine, or downloaded.

Standard library only, for Python 3.9 and later: this runs before any environment exists.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from deploy import causes, uv
from deploy.virtual_environments import (
    EnvironmentProblem,
    ask,
    clean_environ,
    find_or_create,
)

VERSION = "import sys; print('%d.%d' % sys.version_info[:2])"
INSTALL = Path(__file__).with_name("install.sh")
# A lock that has uv, which downloads any Python.
WORKFLOW = Path(__file__).resolve().parents[2] / "envs" / "workflow.txt"


def find_python(version: str, cache: Path) -> str:
    """An interpreter of that version: our own, one on the PATH, or one that uv or conda downloads.

    cache: the folder of the environments; downloads are kept beside it or in it. Raises
    EnvironmentProblem with one line that says what was tried and what to install.
    """
    for candidate in (sys.executable, shutil.which(f"python{version}")):
        if candidate and _is(candidate, version):
            return candidate
    tried = []
    for bring in (_by_uv, _by_conda):
        try:
            for candidate in bring(version, cache):
                if _is(candidate, version):
                    return candidate
        except EnvironmentProblem as problem:
            tried.append(problem.reason)
    raise EnvironmentProblem(
        f"Python {version} is needed, this is {sys.version.split()[0]}: install python{version} "
        f"with its venv module, or conda ({'; '.join(tried)})"
    )


def _is(candidate: str, version: str) -> bool:
    return ask(candidate, VERSION) == version


def _by_uv(version: str, cache: Path) -> Iterator[str]:
    """A Python that uv manages, downloaded if it is not there yet."""
    own = shutil.which("uv") or _own_uv(cache)
    environ = {"UV_PYTHON_INSTALL_DIR": str(cache.with_name("pythons"))}
    environ |= uv.variables(Path(sys.executable), cache.with_name("uv"))
    _call([own, "python", "install", version], "uv", environ)
    yield _call([own, "python", "find", "--managed-python", version], "uv", environ)


def _own_uv(cache: Path) -> str:
    """The uv of the workflow's lock, in an environment of its own for this Python."""
    if not WORKFLOW.exists():
        raise EnvironmentProblem("uv is not on the PATH")
    prefix = cache / f"uv-{sys.version_info[0]}.{sys.version_info[1]}"
    lock = f"lock() {{ awk '/^[^ ]/ {{keep = /^uv==/}} keep' {shlex.quote(str(WORKFLOW))}; }}"
    install = ["sh", "-c", f"set -eu; {lock}; . {shlex.quote(str(INSTALL))}; lock | with_pip"]
    create = [sys.executable, "-m", "venv", str(prefix)]
    find_or_create(prefix, lambda: create, install, Path(f"{prefix}.log"), "uv")
    return str(prefix / "bin" / "uv")


def _by_conda(version: str, cache: Path) -> Iterator[str]:
    """A Python in a conda environment of its own."""
    own = shutil.which("conda")
    if own is None:
        raise EnvironmentProblem("conda is not on the PATH")
    prefix = cache.with_name("pythons") / f"conda-{version}"
    python = prefix / "bin" / "python"
    if not python.exists():
        channel = ["--override-channels", "--channel", "conda-forge"]
        _call([own, "create", "--yes", "--quiet", "--prefix", str(prefix), *channel,
               f"python={version}"], "conda", {})  # fmt: skip
    yield str(python)


def _call(command: list[str], name: str, environ: dict[str, str]) -> str:
    """The output of a command; raises EnvironmentProblem with the likely cause."""
    done = subprocess.run(
        command,
        env=clean_environ(**environ),
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    if done.returncode:
        raise EnvironmentProblem(f"{name}: {causes.cause(done.stderr)[0]}")
    return done.stdout.strip()
