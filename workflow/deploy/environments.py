"""Provide the environment of a definition, and write down what is really installed.

    python3 workflow/deploy --name keras3-jax --definition envs/2026-11/cpu/keras3-jax.yaml \\
        --method venv --marker results/environments/cpu/keras3-jax.json

A definition is a conda yaml and the post-deploy script beside it, or a plain lock (.txt).
Virtual environments live in a cache, by the digest of their definition: projects and clones
share them. Standard library only, for Python 3.9 and later.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from deploy import overlays, space, uv
from deploy.failures import once_per_start
from deploy.overlaid import overlaid_interpreter
from deploy.pythons import find_python
from deploy.virtual_environments import (
    EnvironmentProblem,
    ask,
    clean_environ,
    failure,
    find_or_create,
    path_with,
    progress,
    write_atomically,
)

INSTALL = Path(__file__).with_name("install.sh")
UNFINISHED = "millistep-unfinished"  # in a conda environment whose lock is not installed yet

PROBE = """
import importlib.metadata, json, platform, re, sys
packages = {}
for found in importlib.metadata.distributions():
    if name := found.metadata["Name"]:
        packages.setdefault(re.sub("[-_.]+", "-", name).lower(), found.version)
print(json.dumps({
    "prefix": sys.prefix,
    "python": platform.python_version(),
    "packages": dict(sorted(packages.items())),
}))
"""


def post_deploy(definition: Path) -> Path:
    """The script beside a conda yaml that carries its lock."""
    return definition.with_suffix(".post-deploy.sh")


def definition_sha256(definition: str | Path) -> str:
    """Digest of a definition's content; its name, place and age do not matter."""
    digest = hashlib.sha256()
    for part in (Path(definition), post_deploy(Path(definition))):
        content = part.read_bytes() if part.exists() else b""
        digest.update(len(content).to_bytes(8, "big") + content)
    return digest.hexdigest()


def accelerator(definition: Path) -> str | None:
    """The accelerator of a definition: cpu of envs/2026-11/cpu/pytorch.yaml, None of envs/*.txt."""
    folder = definition.absolute().parent.name
    return None if folder == "envs" else folder


def cache() -> Path:
    """The folder in which virtual environments are kept."""
    if own := os.environ.get("MILLISTEP_CACHE"):
        return Path(own, "envs").absolute()
    user = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(user, "millistep", "envs").absolute()


def virtual_prefix(name: str, definition: Path) -> Path:
    """The folder of a definition's virtual environment, which need not be made yet."""
    # Machines of two kinds may share a home folder; x86_64 goes without saying.
    machine = platform.machine().replace("x86_64", "")
    words = (name, accelerator(definition), machine, definition_sha256(definition)[:16])
    return cache() / "-".join(filter(None, words))


def installation(definition: Path) -> list[str]:
    """The command that installs the lock of a definition into the active environment."""
    if definition.suffix != ".txt":
        return ["sh", str(post_deploy(definition))]
    lock = f"lock() {{ cat {shlex.quote(str(definition))}; }}"
    return ["sh", "-c", f"set -eu; {lock}; . {shlex.quote(str(INSTALL))}; install_lock"]


def virtual_interpreter(name: str, definition: Path, log: Path | None, title: str) -> str:
    """The interpreter of the definition's virtual environment, which is made if it is not there."""
    python = re.search(r"\bpython=(\d+\.\d+)", definition.read_text())
    if python is None:
        raise EnvironmentProblem(f"{definition} does not say which Python it is for (python=3.11)")
    prefix = virtual_prefix(name, definition)

    def creation() -> list[str]:
        space.check(definition, cache())
        return [find_python(python[1], cache()), "-m", "venv", str(prefix)]

    find_or_create(
        prefix,
        creation,
        installation(definition),
        log or Path(f"{prefix}.log"),
        title,
        lambda python: uv.variables(python, cache().with_name("uv")),
    )
    return str(prefix / "bin" / "python")


def conda_interpreter(definition: Path, log: Path | None, title: str) -> str:
    """Return the interpreter of the activated conda environment.

    Its packages are installed now if its post-deploy script did not install them.
    """
    prefix = Path(os.environ.get("CONDA_PREFIX") or "no activated environment")
    if prefix.resolve() == Path(sys.prefix).resolve() or not (prefix / "conda-meta").is_dir():
        raise EnvironmentProblem(
            f"{prefix} is not the conda environment of {definition}: run Snakemake with "
            "--use-conda, or use the method venv"
        )
    unfinished = prefix / UNFINISHED
    if unfinished.exists():
        log = log or Path(f"{prefix}.log")
        log.parent.mkdir(parents=True, exist_ok=True)
        python = prefix / "bin" / "python"
        environ = clean_environ(
            PATH=path_with(python.parent),
            CONDA_PREFIX=str(prefix),
            **uv.variables(python, cache().with_name("uv")),
        )
        os.utime(unfinished, (0, 0))  # a script that fails touches it: a failure shows by the time
        with progress(title), open(log, "w") as output:
            command = installation(definition)
            done = subprocess.run(command, env=environ, stdout=output, stderr=subprocess.STDOUT)
            if done.returncode or unfinished.stat().st_mtime:
                raise failure(title, log)
        unfinished.unlink()
    return str(prefix / "bin" / "python")


def is_activated(environment: dict) -> bool:
    """Return True if a marker names the activated conda environment, or one laid over it."""
    prefix = environment.get("beneath") or environment.get("prefix")
    return prefix == os.environ.get("CONDA_PREFIX")


def users_interpreter(path: str | None) -> str:
    """The interpreter that the user named."""
    found = shutil.which(os.path.expanduser(path or ""))
    if found is None:
        raise EnvironmentProblem(f"there is no interpreter '{path}' that can be run")
    return os.path.abspath(found)


def about(interpreter: str) -> dict:
    """Prefix and Python version of an interpreter, and every package that it finds."""
    try:
        return json.loads(ask(interpreter, PROBE) or "")
    except ValueError:
        raise EnvironmentProblem(
            f"{interpreter} does not run as a Python of 3.8 or later"
        ) from None


def marker(name: str, definition: Path, method: str, interpreter: str) -> dict:
    """The content of a marker: the interpreter to use, and every package that is in it."""
    return {
        "schema": "millistep.environment/1",
        "name": name,
        "accelerator": accelerator(definition),
        "method": method,
        "definition_sha256": definition_sha256(definition),
        "interpreter": interpreter,
        **about(interpreter),
    }


def deployed(wanted: argparse.Namespace) -> dict:
    """Deploy what the command line asks for; write and return the marker.

    Raises EnvironmentProblem, of which Uninstallable is one, and OSError if the marker cannot be
    written.
    """
    title = title_of(wanted)
    with once_per_start(wanted.marker), overlays.copied(wanted.overlay) as copies:
        sha256 = digest(wanted, copies)
        if wanted.method == "conda":
            interpreter = conda_interpreter(wanted.definition, wanted.log, title)
        elif wanted.method == "interpreter":
            interpreter = users_interpreter(wanted.interpreter)
        else:
            name = wanted.definition.stem if copies else wanted.name
            interpreter = virtual_interpreter(name, wanted.definition, wanted.log, title)
        beneath = {}
        if copies:
            beneath = {"beneath": about(interpreter)["prefix"]}
            words = (wanted.name, accelerator(wanted.definition))
            # The same overlays over a virtual environment and over conda's make two environments.
            key = hashlib.sha256(f"{sha256}\n{interpreter}".encode()).hexdigest()[:16]
            prefix = cache() / "-".join(filter(None, (*words, key)))
            interpreter = overlaid_interpreter(prefix, interpreter, copies, wanted.log, title)
    found = {
        **marker(wanted.name, wanted.definition, wanted.method, interpreter),
        "definition_sha256": sha256,
        **beneath,
    }
    write_atomically(wanted.marker, json.dumps(found, indent=1) + "\n")
    return found


def title_of(wanted: argparse.Namespace) -> str:
    """A title for the user: ``environment keras3-jax (cpu, up to 2.3 GB)``."""
    size = space.size_gb(wanted.definition)
    facts = [accelerator(wanted.definition), f"up to {size:g} GB" if size else None]
    known = ", ".join(filter(None, facts))
    return f"environment {wanted.name}{f' ({known})' if known else ''}"


def digest(wanted: argparse.Namespace, copies: dict[str, str]) -> str:
    """Digest of definition and overlays; raises EnvironmentProblem if it is not as planned."""
    contents = map(overlays.content, copies.values())
    found = overlays.with_overlays(definition_sha256(wanted.definition), contents)
    if wanted.planned and found != wanted.planned:
        sources = " or ".join([str(wanted.definition), *copies])
        raise EnvironmentProblem(f"{sources}: changed since the plan; run snakemake again")
    return found


def arguments(words: list[str] | None = None) -> argparse.Namespace:
    """The parsed command line, which says what to deploy."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--name", required=True)
    parser.add_argument("--definition", required=True, type=Path)
    parser.add_argument("--method", required=True, choices=("venv", "conda", "interpreter"))
    parser.add_argument("--interpreter", help="for the method 'interpreter': the user's own")
    parser.add_argument("--overlay", action="append", default=[], help="what is put over it")
    parser.add_argument("--planned", help="digest that definition and overlays must still have")
    parser.add_argument("--marker", required=True, type=Path)
    parser.add_argument("--log", type=Path, help="default: beside the virtual environment")
    parser.add_argument("--link", type=Path, help="made to the environment's folder")
    return parser.parse_args(words)


def link(path: Path, prefix: str) -> None:
    """Make a link to an environment in place of the one that is there."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    unfinished.symlink_to(prefix)
    unfinished.replace(path)


def main() -> None:
    wanted = arguments()
    try:
        if wanted.link and wanted.link.exists() and not wanted.link.is_symlink():
            raise EnvironmentProblem(
                f"{wanted.link} is in the place of the link to it: move it away, or remove it"
            )
        found = deployed(wanted)
        if wanted.link:
            link(wanted.link, found["prefix"])
    except (EnvironmentProblem, OSError) as problem:
        sys.exit(f"{wanted.name}: {problem}")
