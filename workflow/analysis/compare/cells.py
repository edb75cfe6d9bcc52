"""Cell by cell: the times of two archives, their ratio, and what it shows."""

from dataclasses import dataclass
from typing import Any

import pandas as pd

from analysis.compare.archives import Archive
from analysis.compare.welch import welch_ratio
from analysis.data import CELL, CellKey, Data
from analysis.results.cells import Cell
from analysis.results.machines import is_one_machine

ABSENT = "not in this archive"
COLUMNS = ["base", "other", *CELL, "base_ms", "base_runs", "other_ms", "other_runs"]
COLUMNS += ["ratio", "ci95_low", "ci95_high", "verdict", "note"]
OF_THE_PAGE = ["base_cell", "other_cell"]


@dataclass(frozen=True)
class Comparison:
    """Another archive against the base. `machines_differ`: nothing is called faster or slower.

    `pairs` has a line per cell of either: the other's time over the base's with Welch's 95 %
    interval, `verdict` of the other (None where the two must not be ranked), and in `note` why
    something is missing.
    """

    base: Archive
    other: Archive
    machines_differ: bool
    pairs: pd.DataFrame


def compare(base: Archive, other: Archive) -> Comparison:
    """Compare every cell of either archive, in the order of the base's table."""
    ids, others = ({r.machine.id for r in a.results.records} for a in (base, other))
    differ = ids != others or not ids or not is_one_machine(base.results.records)
    cells = [Data(archive.results).cell_of for archive in (base, other)]
    lines = []
    for key in dict.fromkeys([*cells[0], *cells[1]]):
        found = {"base": cells[0].get(key), "other": cells[1].get(key)}
        why = _not_the_same_work(base, other, key) or _not_comparable(found)
        names = {"base": base.name, "other": other.name, **dict(zip(CELL, key, strict=True))}
        measured = {"base_cell": found["base"], "other_cell": found["other"]}
        lines.append({**names, **measured, **_ratio(found, differ, why)})
    pairs = pd.DataFrame(lines, columns=[*COLUMNS, *OF_THE_PAGE], dtype=object)
    for side in ("base", "other"):
        of = pairs[f"{side}_cell"]
        pairs[f"{side}_ms"] = [cell and cell.step_ms for cell in of]
        pairs[f"{side}_runs"] = [len(cell.ok_runs) if cell else 0 for cell in of]
    return Comparison(base, other, differ, pairs)


def _not_the_same_work(base: Archive, other: Archive, key: CellKey) -> str:
    """Why two cells of one name did different work; empty if they did the same."""
    plans = [archive.results.plan for archive in (base, other)]
    if plans[0].scale != plans[1].scale:
        return f"scale {plans[0].scale} and {plans[1].scale}"
    models = [plan.models.get(key[0]) for plan in plans]
    if all(models) and models[0].architecture != models[1].architecture:
        return "another architecture"
    return ""


def _not_comparable(found: dict[str, Cell | None]) -> str:
    """Why there is no ratio; empty where there is one."""
    why = {name: cell.tells_nothing if cell else ABSENT for name, cell in found.items()}
    if len({*why.values()}) > 1:
        return "; ".join(f"{name}: {reason}" for name, reason in why.items() if reason)
    return f"both: {why['base']}" if why["base"] else _not_independent(**found)


def _not_independent(base: Cell, other: Cell) -> str:
    """What two cells share, as where one archive went on from the other; empty where nothing."""
    runs = [{(r.identity, r.started_at) for r in cell.records} for cell in (base, other)]
    return "the same runs" if runs[0] == runs[1] else "runs in common" if runs[0] & runs[1] else ""


def _ratio(found: dict[str, Cell | None], differ: bool, why: str) -> dict[str, Any]:
    if why:
        return {"note": why}
    cells = found["other"], found["base"]
    ratio = welch_ratio(
        *(cell.independent_ms for cell in cells), tuple(cell.moderate for cell in cells)
    )
    ends = ratio.interval
    if not ends:
        return {"ratio": ratio.value, "note": "one run has no interval"}
    told = {"ratio": ratio.value, "ci95_low": ends.low, "ci95_high": ends.high, "note": ""}
    return told | {"verdict": None if differ else ratio.verdict}
