"""Which of a bundle's files are measured here, in the planned order."""

import fnmatch
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bundle import Problem
from bundle.columns import Column

NAME_PARTS = 4  # of a run's path: model, task and batch, framework, number


@dataclass(frozen=True)
class TimedFile:
    """What one of the programs that measure writes."""

    path: str
    program: str
    framework: str
    identity: str

    def is_done(self, root: Path) -> bool:
        """Whether it is there as planned; a failure with its reason is as good as a number."""
        return identity_of(root / self.path) == self.identity


def selected(
    bundle: dict, columns: dict[str, Column], patterns: Sequence[str], root: Path
) -> list[TimedFile]:
    """Runs that have an interpreter and match a pattern, canaries and known steps, in order."""
    runs = {
        path: TimedFile(path, "run_cell.py", run["framework"], run["identity"])
        for path, run in bundle["runs"].items()
        if run["framework"] in columns and _matches(path, patterns)
    }
    if not runs:
        names = sorted({_name(path) for path in bundle["runs"]})
        raise Problem(
            f"--only: no run with an interpreter is {' or '.join(patterns)}; "
            f"a run is written like {names[0]}"
        )
    checks = _checks(bundle, columns, root)
    return [(runs | checks)[path] for path in bundle["order"] if path in runs or path in checks]


def _checks(bundle: dict, columns: dict[str, Column], root: Path) -> dict[str, TimedFile]:
    """Canaries and known steps, by one framework's library: the one of those that are there.

    Numbers of two libraries cannot be compared, and the preferred one may have none here.
    """
    possible = {name: files for name, files in bundle["checks"].items() if name in columns}
    framework = max(  # the first of those with the most files
        possible,
        key=lambda name: sum(identity_of(root / p) == i for p, i in possible[name].items()),
    )
    return {
        path: TimedFile(path, _program(path), framework, identity)
        for path, identity in possible[framework].items()
    }


def _program(path: str) -> str:
    return "run_canary.py" if path.startswith("results/canaries/") else "run_known_steps.py"


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
