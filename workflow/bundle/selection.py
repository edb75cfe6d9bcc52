"""Which of a bundle's files are measured here, in the planned order."""

import fnmatch
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bundle import Problem
from bundle.columns import Column

NAME_PARTS = 4  # of a run's path: model, task and batch, column, number


@dataclass(frozen=True)
class TimedFile:
    """What one of the programs that measure writes."""

    path: str
    program: str
    column: str
    identity: str

    def is_done(self, root: Path) -> bool:
        """Whether it is there as planned; a failure with its reason is as good as a number."""
        return identity_of(root / self.path) == self.identity


def selected(
    bundle: dict, columns: dict[str, Column], patterns: Sequence[str], root: Path
) -> list[TimedFile]:
    """Runs that have an interpreter and match a pattern, canaries and known steps, in order."""
    runs = {
        path: TimedFile(path, "cell", run["column"], run["identity"])
        for path, run in bundle["runs"].items()
        if run["column"] in columns and _matches(path, patterns)
    }
    if not runs:
        names = sorted({_name(path) for path in bundle["runs"]})
        raise Problem(
            f"--only: no run with an interpreter is {' or '.join(patterns)}; "
            f"a run is written like {names[0]}"
        )
    files = runs | _controls(bundle, columns, root)
    return [files[path] for path in bundle["order"] if path in files]


def _controls(bundle: dict, columns: dict[str, Column], root: Path) -> dict[str, TimedFile]:
    """Canaries and known steps, per accelerator by one library: that of those that are there.

    Numbers of two libraries cannot be compared, and the preferred one may have none here.
    """
    by_paths: dict[tuple[str, ...], dict[str, dict[str, str]]] = {}
    for name, files in bundle["controls"].items():
        if name in columns:
            by_paths.setdefault(tuple(files), {})[name] = files
    found = {}
    for possible in by_paths.values():
        column = max(  # the first of those with the most files
            possible,
            key=lambda name: sum(identity_of(root / p) == i for p, i in possible[name].items()),
        )
        for path, identity in possible[column].items():
            found[path] = TimedFile(path, _program(path), column, identity)
    return found


def _program(path: str) -> str:
    return "canary" if "/canaries/" in path else "known_steps"


def _name(path: str) -> str:
    """``bert/fit-b8/keras3-jax/run1``, under either of a cell's names."""
    return "/".join(path.removesuffix(".json").split("/")[-NAME_PARTS:])


def _matches(path: str, patterns: Sequence[str]) -> bool:
    name = _name(path)
    return not patterns or any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def identity_of(path: Path) -> str | None:
    """Of a file that a program wrote, None for one that is not there or is broken."""
    try:
        return json.loads(path.read_text())["identity"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
