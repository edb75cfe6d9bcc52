"""The conda environment that Snakemake made of a definition.

Snakemake copies the definition to ``<prefix>.yaml`` and its post-deploy script to
``<prefix>.post-deploy.sh``, so the copies show what a prefix was made of. Our script writes
``millistep-complete`` into the prefix when all packages are installed. If they are not, it ends
with status 0 all the same: Snakemake would give up the whole start. Here they are installed again.
"""

from __future__ import annotations

import os
from pathlib import Path

from millistep.deploy.virtual_environments import COMPLETE, EnvironmentProblem, failure, unfinished

FAILED = "millistep-failed"  # the log of an installation that failed or was interrupted
SCRIPT = ".post-deploy.sh"


def post_deploy(definition: Path) -> Path:
    """Return the script next to a conda yaml that carries its lock."""
    return definition.with_suffix(SCRIPT)


def activated() -> Path | None:
    prefix = os.environ.get("CONDA_PREFIX")
    return Path(prefix) if prefix else None


def is_made_of(prefix: Path, definition: Path) -> bool:
    """Return True if Snakemake made a prefix of a definition as it is now."""
    pairs = [(Path(f"{prefix}.yaml"), definition)]
    if (script := post_deploy(definition)).exists():
        pairs.append((Path(f"{prefix}{SCRIPT}"), script))
    try:
        same = all(copy.read_bytes() == original.read_bytes() for copy, original in pairs)
    except OSError:
        return False
    return same and (prefix / "conda-meta").is_dir()


def is_complete(prefix: Path, definition: Path) -> bool:
    """Return True if all packages of a definition are installed in the prefix made of it."""
    installed = (prefix / COMPLETE).exists() or not post_deploy(definition).exists()
    return installed and is_made_of(prefix, definition)


def conda_interpreter(definition: Path, another: bool, log: Path | None, title: str) -> str:
    """Return the interpreter of the conda environment of a definition: of the activated one, or,
    with `another`, of one next to it.

    Raises EnvironmentProblem if none was made of the definition: the activation of an environment
    may have failed, which leaves that of Snakemake itself.
    """
    here = activated()
    candidates = [here] if here else []
    if here and another:
        scripts = sorted(here.parent.glob(f"*{SCRIPT}"))
        candidates = [Path(str(script).removesuffix(SCRIPT)) for script in scripts]
    prefix = next((each for each in candidates if is_made_of(each, definition)), None)
    if prefix is None:
        raise EnvironmentProblem(
            f"{here or 'no activated environment'} is not the conda environment of {definition}: "
            "run Snakemake with --use-conda"
        )
    if not is_complete(prefix, definition):
        with unfinished(prefix, log, title, lambda made: is_complete(made, definition)) as run:
            if run:
                run(["sh", f"{prefix}{SCRIPT}"], CONDA_PREFIX=str(prefix))
                if (prefix / FAILED).exists():
                    raise failure(prefix / FAILED)
    return str(prefix / "bin" / "python")
