"""The disk space that an environment needs, checked before anything is downloaded for it.

Standard library only, for Python 3.9 and later: this runs before any environment exists.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from deploy.virtual_environments import EnvironmentProblem


def size_gb(definition: Path) -> float | None:
    """GB of an environment that shares nothing with others, from ``sizes.json`` of its stack; None
    if that does not have it.
    """
    sizes = definition.parent.with_name("sizes.json")
    if not sizes.is_file():
        return None
    of_kind = json.loads(sizes.read_text()).get(definition.parent.name, {})
    found: float | None = of_kind.get(definition.stem)
    return found


def check(definition: Path, cache: Path) -> None:
    """Raise EnvironmentProblem if the disk of the cache has too little room."""
    needed = size_gb(definition)
    there = next(path for path in (cache, *cache.parents) if path.exists())
    free = shutil.disk_usage(there).free / 1e9
    if needed and free < needed:
        raise EnvironmentProblem(
            f"{definition.stem} needs up to {needed:g} GB in {cache}, {free:.1f} GB are free there"
        )
