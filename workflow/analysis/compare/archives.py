"""Reading the archives that are compared, which come from anywhere. One that is not as it was made
is not used.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.archive.manifest import sha256
from analysis.archive.unpack import results_in, unpack
from analysis.formats.errors import InputError
from analysis.formats.text import letter
from analysis.results.results import Results
from analysis.results.stand_in import same_kind


@dataclass(frozen=True)
class Archive:
    """One archive: `label` is A for the first, which the others are compared with."""

    label: str
    name: str
    sha256: str
    results: Results


def read_archives(paths: list[Path], folder: Path) -> list[Archive]:
    """Unpack every archive below `folder`, check its checksums, and load its results."""
    archives = []
    for index, path in enumerate(paths):
        place = folder / str(index)
        place.mkdir()
        try:
            results = results_in(unpack(path, place).intact())
        except InputError as error:
            named = (line.removeprefix(f"{path}: ") for line in error.lines)
            raise InputError(f"{path}: {line}" for line in named) from None
        archives.append(Archive(letter(index).upper(), path.name, sha256(path), results))
    if not same_kind(archive.results for archive in archives):
        raise InputError("results of a simulated GPU are not compared with measured ones")
    return archives


def facts(identity: str) -> dict[str, Any]:
    """The facts of the identity of a record or a canary; none of a text that is no JSON object."""
    try:
        found = json.loads(identity)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
