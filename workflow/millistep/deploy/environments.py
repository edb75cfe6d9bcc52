"""Provide the environment of a definition, and write down the packages in it.

    python3 workflow deploy --name keras3-jax --definition envs/2026-11/cpu/keras3-jax.yaml \\
        --method venv --marker results/environments/2026-11/cpu/keras3-jax.json

A definition is a conda yaml and the post-deploy script next to it, or a plain lock (.txt).
Virtual environments are kept in a cache, by the digest of their definition: projects and clones
share them.
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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from millistep.deploy import overlays
from millistep.deploy.conda import conda_interpreter, post_deploy
from millistep.deploy.virtual_environments import (
    EnvironmentProblem,
    ask,
    cache,
    clean_environ,
    once_per_start,
    read_json,
    unfinished,
    write_atomically,
)

INSTALL = Path(__file__).with_name("install.sh")
VERSION = "import sys; print('%d.%d' % sys.version_info[:2])"
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


@dataclass(frozen=True)
class Wanted:
    """An environment to provide, see :func:`main` for the options of the same names.

    Planning passes it to the programs that measure, as JSON. start: id of the start of Snakemake,
    in which a failed installation is tried once. another: with conda, take the environment next to
    the activated one.
    """

    name: str
    definition: Path
    method: str
    marker: Path
    interpreter: str | None = None
    overlay: list[str] | tuple[str, ...] = ()
    planned: str | None = None
    log: Path | None = None
    start: str | None = None
    another: bool = False

    @classmethod
    def of(cls, fields: dict[str, Any]) -> Wanted:
        """Return the environment with these fields, of which paths are texts."""
        paths = {name: Path(fields[name]) for name in ("definition", "marker")}
        return cls(**{**fields, **paths})

    @property
    def title(self) -> str:
        """The title for the user: ``environment keras3-jax (cpu, up to 2.3 GB)``."""
        size = size_gb(self.definition)
        facts = (accelerator(self.definition), f"up to {size:g} GB" if size else None)
        known = ", ".join(filter(None, facts))
        return f"environment {self.name}{f' ({known})' if known else ''}"


def definition_sha256(definition: Path) -> str:
    """Return the digest of a definition: its yaml and lock, not the script around the lock."""
    script = post_deploy(definition)
    lock = script.read_bytes() if script.exists() else b""
    # A user's own script need not have a lock in it.
    lock = lock.partition(b"<<'LOCK'\n")[2].partition(b"\nLOCK\n")[0] or lock
    digest = hashlib.sha256()
    for content in (definition.read_bytes() if definition.exists() else b"", lock):
        digest.update(len(content).to_bytes(8, "big") + content)
    return digest.hexdigest()


def accelerator(definition: Path) -> str | None:
    """Return cpu of envs/2026-11/cpu/pytorch.yaml, None of envs/*.txt."""
    folder = definition.absolute().parent.name
    return None if folder == "envs" else folder


def size_gb(definition: Path) -> float | None:
    """Return the GB of an environment that shares no files, from its stack's ``sizes.json``."""
    of_stack: dict[str, dict[str, float]] = read_json(definition.parent.with_name("sizes.json"))
    return of_stack.get(definition.parent.name, {}).get(definition.stem)


def check_space(definition: Path) -> None:
    """Raise EnvironmentProblem if the disk of the cache has too little room."""
    needed, folder = size_gb(definition), cache()
    there = next(path for path in (folder, *folder.parents) if path.exists())
    free = shutil.disk_usage(there).free / 1e9
    if needed and free < needed:
        raise EnvironmentProblem(
            f"{definition.stem} needs up to {needed:g} GB in {folder}, {free:.1f} GB are free"
            " there; free some, or set MILLISTEP_CACHE to a folder on another disk"
        )


def virtual_prefix(name: str, definition: Path, sha256: str | None = None) -> Path:
    """Return the folder of a virtual environment; its digest is by default the definition's."""
    # Machines of two kinds may share a home folder; x86_64 goes without saying.
    machine = platform.machine().replace("x86_64", "")
    digest = (sha256 or definition_sha256(definition))[:16]
    return cache() / "-".join(filter(None, (name, accelerator(definition), machine, digest)))


def virtual_interpreter(name: str, definition: Path, log: Path | None, title: str) -> str:
    """Return the interpreter of the definition's virtual environment, which is made if missing."""
    python = re.search(r"\bpython=(\d+\.\d+)", definition.read_text())
    if python is None:
        raise EnvironmentProblem(f"{definition} names no Python version; add python=3.11")
    prefix = virtual_prefix(name, definition)
    install = ["sh", str(post_deploy(definition))]
    if definition.suffix == ".txt":
        lock = f"python=$VIRTUAL_ENV/bin/python; lock() {{ cat {shlex.quote(str(definition))}; }}"
        install = ["sh", "-c", f"set -eu; {lock}; . {shlex.quote(str(INSTALL))}; install_lock"]
    with unfinished(prefix, log, title) as run:
        if run:
            check_space(definition)
            run([find_python(python[1]), "-I", "-m", "venv", "--clear", str(prefix)])
            run(install, VIRTUAL_ENV=str(prefix))
    return str(prefix / "bin" / "python")


def find_python(version: str) -> str:
    """Return an interpreter of a version: our own, one on the PATH, or one that uv downloads."""
    for candidate in (sys.executable, shutil.which(f"python{version}")):
        if candidate and ask(candidate, VERSION) == version:
            return candidate
    environ = clean_environ(UV_PYTHON_INSTALL_DIR=str(cache().with_name("pythons")))
    problem = "uv, which could download it, is not on the PATH"
    if uv := shutil.which("uv", path=environ["PATH"]):
        find = [uv, "python", "find", "--managed-python", version]
        for command in ([uv, "python", "install", version], find):
            done = subprocess.run(command, env=environ, capture_output=True, text=True)
        if done.returncode == 0 and ask(done.stdout.strip(), VERSION) == version:
            return done.stdout.strip()
        problem = "uv could not download it"
    raise EnvironmentProblem(
        f"Python {version} is needed, this is {sys.version.split()[0]}: install python{version} "
        f"with its venv module ({problem})"
    )


def users_interpreter(path: str | None) -> str:
    found = shutil.which(os.path.expanduser(path or ""))
    if found is None:
        raise EnvironmentProblem(f"there is no interpreter '{path}' that can be run")
    return os.path.abspath(found)


def about(interpreter: str) -> dict[str, Any]:
    """Return prefix and Python version of an interpreter, and every package that it finds."""
    try:
        return dict(json.loads(ask(interpreter, PROBE) or ""))
    except ValueError:
        raise EnvironmentProblem(
            f"{interpreter} does not run as a Python of 3.8 or later"
        ) from None


def marker(name: str, definition: Path, method: str, interpreter: str) -> dict[str, Any]:
    """Return the content of a marker: the interpreter to use, and every package that is in it."""
    return {
        "schema": "millistep.environment/1",
        "name": name,
        "accelerator": accelerator(definition),
        "method": method,
        "definition_sha256": definition_sha256(definition),
        "interpreter": interpreter,
        **about(interpreter),
    }


def deployed(wanted: Wanted) -> dict[str, Any]:
    """Provide an environment; write and return its marker.

    Raises EnvironmentProblem, and OSError if the marker cannot be written.
    """
    definition, log, title = wanted.definition, wanted.log, wanted.title
    with once_per_start(wanted.marker, wanted.start), overlays.copied(wanted.overlay) as copies:
        contents = map(overlays.content, copies.values())
        sha256 = overlays.with_overlays(definition_sha256(definition), contents)
        if wanted.planned not in (None, sha256):
            sources = " or ".join([str(definition), *copies])
            raise EnvironmentProblem(f"{sources}: changed since the plan; run snakemake again")
        if wanted.method == "conda":
            interpreter = conda_interpreter(definition, wanted.another, log, title)
        elif wanted.method == "interpreter":
            interpreter = users_interpreter(wanted.interpreter)
        else:
            name = definition.stem if copies else wanted.name
            interpreter = virtual_interpreter(name, definition, log, title)
        below = {}
        if copies:
            below = {"below": about(interpreter)["prefix"]}
            # The same override over a virtual environment and over conda's makes two environments.
            key = hashlib.sha256(f"{sha256}\n{interpreter}".encode()).hexdigest()
            prefix = virtual_prefix(wanted.name, definition, key)
            interpreter = overlays.overlaid_interpreter(prefix, interpreter, copies, log, title)
        found = marker(wanted.name, definition, wanted.method, interpreter)
    found |= {"definition_sha256": sha256, **below}
    write_atomically(wanted.marker, json.dumps(found, indent=1) + "\n")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--name", required=True)
    parser.add_argument("--definition", required=True, type=Path)
    parser.add_argument("--method", required=True, choices=("venv", "conda", "interpreter"))
    parser.add_argument("--interpreter", help="for the method 'interpreter': the user's own")
    parser.add_argument("--overlay", action="append", default=[], help="what is put over it")
    parser.add_argument("--planned", help="digest that definition and overlays must still have")
    parser.add_argument("--marker", required=True, type=Path)
    parser.add_argument("--log", type=Path, help="default: next to the environment")
    parser.add_argument("--link", type=Path, help="made to the environment's folder")
    parser.add_argument("--start", help="id of the start, in which a failure is tried once")
    options = vars(parser.parse_args())
    link = options.pop("link")
    wanted = Wanted(**options)
    try:
        if link and link.exists() and not link.is_symlink():
            raise EnvironmentProblem(
                f"{link} exists and is not the link that is needed: move it away, or remove it"
            )
        found = deployed(wanted)
        if link:
            new = link.with_name(f".{link.name}.{os.getpid()}")
            new.symlink_to(found["prefix"])
            new.replace(link)  # an earlier link
    except (EnvironmentProblem, OSError) as problem:
        sys.exit(f"{wanted.name}: {problem}")
