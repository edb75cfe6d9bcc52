"""Provide the environment of a definition, and write down what was really installed.

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
import re
import shutil
import sys
import tempfile
from pathlib import Path

from deploy import overlays
from deploy.virtual_environments import EnvironmentProblem, ask, find_or_create, write_atomically

INSTALL = "python -I -m pip install --quiet --no-input --no-deps --require-hashes --retries 1"

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


# Makes the packages of another environment visible behind one's own, then installs over them.
OVERLAY = """
import os, subprocess, sys, sysconfig
prefix, beneath, *sources = os.environ["VIRTUAL_ENV"], *sys.argv[1:]
python = os.path.join(prefix, "bin", "python")
own = "import sysconfig; print(sysconfig.get_paths()['purelib'])"
site = subprocess.run([python, "-I", "-c", own], capture_output=True, text=True, check=True).stdout
with open(os.path.join(site.strip(), "beneath.pth"), "w") as file:
    file.write(f"import site; site.addsitedir({beneath!r})\\n")
pip = [python, "-I", "-m", "pip", "install", "--quiet", "--no-input", "--no-deps", "--retries", "1"]
sys.exit(subprocess.run([*pip, "--ignore-installed", *sources]).returncode)
"""


def post_deploy(definition: Path) -> Path:
    """The script beside a conda yaml that carries its lock."""
    return definition.with_suffix(".post-deploy.sh")


def definition_sha256(definition: str | Path) -> str:
    """Digest of what a definition says, whatever its name, place and age."""
    digest = hashlib.sha256()
    for part in (Path(definition), post_deploy(Path(definition))):
        content = part.read_bytes() if part.exists() else b""
        digest.update(len(content).to_bytes(8, "big") + content)
    return digest.hexdigest()


def accelerator(definition: Path) -> str | None:
    """envs/2026-11/cpu/pytorch.yaml is for cpu; envs/workflow.txt is for none in particular."""
    folder = definition.absolute().parent.name
    return None if folder == "envs" else folder


def cache() -> Path:
    """Where virtual environments are kept."""
    if own := os.environ.get("MILLISTEP_CACHE"):
        return Path(own, "envs").absolute()
    user = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(user, "millistep", "envs").absolute()


def virtual_prefix(name: str, definition: Path) -> Path:
    """Where the virtual environment of a definition is, once it was made."""
    words = (name, accelerator(definition), definition_sha256(definition)[:16])
    return cache() / "-".join(filter(None, words))


def virtual_interpreter(name: str, definition: Path, log: Path | None) -> str:
    """The interpreter of a virtual environment made from the definition, now or earlier."""
    python = re.search(r"\bpython=(\d+\.\d+)", definition.read_text())
    if python is None:
        raise EnvironmentProblem(f"{definition} does not say which Python it is for (python=3.11)")
    prefix = virtual_prefix(name, definition)
    install = ["sh", str(post_deploy(definition))]
    if definition.suffix == ".txt":
        install = ["sh", "-c", f'{INSTALL} -r "$0"', str(definition)]
    find_or_create(prefix, python[1], install, log or Path(f"{prefix}.log"))
    return str(prefix / "bin" / "python")


def overlaid_interpreter(
    name: str, definition: Path, base: str, sources: list[str], log: Path | None
) -> str:
    """The interpreter of an environment in which some packages lie over those of another one.

    base: the interpreter of that one, which is not touched. sources: see :mod:`deploy.overlays`.
    """
    digest = digest_with(definition, sources)
    prefix = cache() / "-".join(filter(None, (name, accelerator(definition), digest[:16])))
    beneath = ask(base, "import sysconfig; print(sysconfig.get_paths()['purelib'])")
    if beneath is None:
        raise EnvironmentProblem(f"{base} does not run, so nothing can be put over it")
    with tempfile.TemporaryDirectory(prefix="millistep-") as folder:
        # Building leaves files in a source tree, which is the user's.
        copies = [overlays.copied(source, Path(folder, str(k))) for k, source in enumerate(sources)]
        install = [sys.executable, "-c", OVERLAY, beneath, *copies]
        find_or_create(prefix, "", install, log or Path(f"{prefix}.log"), python_beneath=base)
    return str(prefix / "bin" / "python")


def digest_with(definition: Path, sources: list[str]) -> str:
    """Digest of a definition and of what is put over it, as the plan has it."""
    try:
        contents = [overlays.content(source) for source in sources]
    except OSError as error:
        raise EnvironmentProblem(f"overlay {error.filename}: {error.strerror}") from None
    return overlays.with_overlays(definition_sha256(definition), contents)


def conda_interpreter() -> str:
    """Our own interpreter, provided that it is a conda environment's."""
    if not Path(sys.prefix, "conda-meta").is_dir():
        raise EnvironmentProblem(
            f"{sys.prefix} is not a conda environment: run Snakemake with --use-conda, or use "
            "the method venv"
        )
    return sys.executable


def users_interpreter(path: str | None) -> str:
    """The interpreter that the user named."""
    found = shutil.which(os.path.expanduser(path or ""))
    if found is None:
        raise EnvironmentProblem(f"there is no interpreter '{path}' that can be run")
    return os.path.abspath(found)


def marker(name: str, definition: Path, method: str, interpreter: str, sha256: str = "") -> dict:
    """Which interpreter to use, and every package that is in it."""
    try:
        found = json.loads(ask(interpreter, PROBE) or "")
    except ValueError:
        raise EnvironmentProblem(
            f"{interpreter} does not run as a Python of 3.8 or later"
        ) from None
    return {
        "schema": "millistep.environment/1",
        "name": name,
        "accelerator": accelerator(definition),
        "method": method,
        "definition_sha256": sha256 or definition_sha256(definition),
        "interpreter": interpreter,
        **found,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--name", required=True)
    parser.add_argument("--definition", required=True, type=Path)
    parser.add_argument("--method", required=True, choices=("venv", "conda", "interpreter"))
    parser.add_argument("--interpreter", help="for the method 'interpreter': the user's own")
    parser.add_argument("--overlay", action="append", default=[], help="what is put over it")
    parser.add_argument("--marker", required=True, type=Path)
    parser.add_argument("--log", type=Path, help="default: beside the virtual environment")
    options = parser.parse_args()
    try:
        if options.method == "conda":
            interpreter = conda_interpreter()
        elif options.method == "interpreter":
            interpreter = users_interpreter(options.interpreter)
        else:
            base = options.definition.stem if options.overlay else options.name
            interpreter = virtual_interpreter(base, options.definition, options.log)
        if options.overlay:
            interpreter = overlaid_interpreter(
                options.name, options.definition, interpreter, options.overlay, options.log
            )
        sha256 = digest_with(options.definition, options.overlay)
        found = marker(options.name, options.definition, options.method, interpreter, sha256)
        write_atomically(options.marker, json.dumps(found, indent=1) + "\n")
    except (EnvironmentProblem, OSError) as problem:
        sys.exit(f"{options.name}: {problem}")
