"""Cell by cell: the times of two archives, their ratio, and what it shows."""

from dataclasses import dataclass

from analysis.compare.archives import Archive
from analysis.compare.welch import welch_ratio
from analysis.results.cells import Cell
from analysis.results.machines import is_one_machine
from analysis.results.plan import RowKey
from analysis.statistics.intervals import Ratio, Verdict

CellKey = tuple[RowKey, str]
ABSENT = "not in this archive"


@dataclass(frozen=True)
class Pair:
    """A cell in the base and in another archive.

    `verdict` is of the other's time against the base's; None where the two must not be ranked.
    `why` is the reason for what is missing.
    """

    cell: Cell
    base: Cell | None
    other: Cell | None
    ratio: Ratio | None
    verdict: Verdict | None
    why: str


@dataclass(frozen=True)
class Comparison:
    """Another archive against the base. `machines_differ`: nothing is called faster or slower."""

    base: Archive
    other: Archive
    machines_differ: bool
    pairs: tuple[Pair, ...]


def compare(base: Archive, other: Archive) -> Comparison:
    """Every cell of either, in the order of the base's table."""
    one = is_one_machine(base.results.records) and base.machines
    differ = base.machines.keys() != other.machines.keys() or not one
    ours, theirs = _by_key(base), _by_key(other)
    keys = list(dict.fromkeys([*ours, *theirs]))
    pairs = tuple(
        _pair(ours.get(key), theirs.get(key), differ, _not_the_same_work(base, other, key))
        for key in keys
    )
    return Comparison(base, other, differ, pairs)


def _by_key(archive: Archive) -> dict[CellKey, Cell]:
    return {(cell.row.key, cell.column.name): cell for cell in archive.results.cells}


def _not_the_same_work(base: Archive, other: Archive, key: CellKey) -> str:
    """Why two cells of one name are not the same cell; empty when they are."""
    plans = [archive.results.plan for archive in (base, other)]
    if plans[0].scale != plans[1].scale:
        return f"scale {plans[0].scale} and {plans[1].scale}"
    models = [plan.models.get(key[0][0]) for plan in plans]
    if all(models) and models[0].architecture != models[1].architecture:
        return "another architecture"
    return ""


def _pair(base: Cell | None, other: Cell | None, differ: bool, other_work: str) -> Pair:
    why = other_work or "; ".join(
        f"{name}: {ABSENT if cell is None else f'{cell.status}: {cell.reason}'}"
        for name, cell in (("base", base), ("other", other))
        if cell is None or not cell.ok_runs
    )
    why = why or "; ".join(
        f"{side} disturbed: {cell.disturbed}"
        for side, cell in (("base", base), ("other", other))
        if cell.disturbed
    )
    ratio = None
    if not why:
        ratio = welch_ratio(other.independent_ms, base.independent_ms)
    verdict = ratio.verdict if ratio and ratio.interval and not differ else None
    if ratio and not ratio.interval:
        why = "one run has no interval"
    return Pair(base or other, base, other, ratio, verdict, why)
