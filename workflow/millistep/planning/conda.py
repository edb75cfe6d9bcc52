"""Conda as Snakemake uses it: environments that it makes before the first job."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from millistep.deploy.conda import is_made_of


def folder(prefix: Path | str | None) -> Path:
    """Return the folder of the environments. prefix: the value of ``--conda-prefix``."""
    return Path(prefix or ".snakemake/conda").expanduser().absolute()


def unusable(environments: Path) -> str | None:
    """Return one line if Snakemake cannot make environments in a folder: it quotes no blanks."""
    if not re.search(r"\s", str(environments)):
        return None
    return (
        f"{environments}: Snakemake makes no conda environments in a folder with a blank in its"
        " path; name another folder with --conda-prefix"
    )


def missing(environments: Path, definitions: Iterable[Path]) -> list[Path]:
    """Return the definitions whose environments Snakemake makes before the first job."""
    prefixes = [flag.with_suffix("") for flag in environments.glob("*.env_setup_done")]
    return [each for each in definitions if not any(is_made_of(p, each) for p in prefixes)]
