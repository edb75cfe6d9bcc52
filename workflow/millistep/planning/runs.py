"""The number of runs of each row: one for all, or others for a model, a task or a batch size.

With ``auto``, each start adds two rounds to the workloads that the last report calls undecided.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from millistep.planning.cells import Row
from millistep.planning.config import ConfigError
from millistep.supervise import reading

AUTO, MORE, MOST = "auto", 2, 9  # rounds that a start adds to an undecided workload, and the most
REST = "default"  # the key for all rows that are not named
# The parts that name a row, from the outermost to the innermost key.
PARTS = ("model", "task", "batch size")


def runs_of_rows(asked: Any, default: int, rows: Sequence[Row]) -> dict[Row, int]:
    """Return the number of runs of each row; raises :class:`ConfigError` for an unknown name.

    asked: the configuration's ``runs``. default: the number for ``default``.
    """
    if not isinstance(asked, dict):
        return dict.fromkeys(rows, default if asked == REST else asked)
    named = {str(key): value for key, value in asked.items()}
    rest = named.pop(REST, REST)
    found = dict.fromkeys(rows, default if rest == REST else rest)
    return found | _named(named, rows, ("runs",))


def until_decided(default: int, rows: Sequence[Row], summary: Path) -> dict[Row, int]:
    """Return the number of runs of each row with `auto`; summary: what the last report wrote."""
    found = dict.fromkeys(rows, default)
    needed = {"model", "task", "batch_size", "rounds", "undecided"}
    for last in reading.entries(summary, "workloads", needed):
        row = Row(last["model"], last["task"], last["batch_size"])
        if row in found and isinstance(last["rounds"], int):
            rounds = last["rounds"] + (MORE if last["undecided"] else 0)
            found[row] = max(default, min(rounds, MOST))
    return found


def cost(workloads: Sequence[dict[str, Any]]) -> str:
    """Return what more rounds of the undecided workloads would cost; empty without any."""
    able = [w for w in workloads if w["undecided"] and w["rounds"] + MORE <= MOST]
    if not able:
        return ""
    minutes = max(1, round(MORE * sum(w["round_s"] for w in able) / 60))
    which, of = (
        ("1 workload is", "it") if len(able) == 1 else (f"{len(able)} workloads are", "them")
    )
    return (
        f"{which} undecided: {MORE} more rounds of {of} take about {minutes} min; "
        "a start with runs: auto adds them."
    )


def looks(default: int, rounds: int) -> int:
    """Return how often it was looked whether a workload with so many rounds is decided."""
    return 1 + (rounds - default) // MORE


def _named(asked: dict[str, Any], rows: Sequence[Row], path: tuple[str, ...]) -> dict[Row, int]:
    """Return the runs of the rows that keys name: models, tasks or batch sizes, by the path's
    length.
    """
    by_name: dict[str, list[Row]] = {}
    for row in rows:
        name = (row.model, row.task, str(row.batch_size))[len(path) - 1]
        by_name.setdefault(name, []).append(row)
    found: dict[Row, int] = {}
    for name, value in asked.items():
        if name not in by_name:
            raise ConfigError(
                f"{'.'.join(path)}: no row has the {PARTS[len(path) - 1]} '{name}'; "
                f"allowed are {', '.join(by_name)}"
            )
        if isinstance(value, dict):
            inner = {str(key): number for key, number in value.items()}
            found |= _named(inner, by_name[name], (*path, name))
        else:
            found |= dict.fromkeys(by_name[name], value)
    return found
