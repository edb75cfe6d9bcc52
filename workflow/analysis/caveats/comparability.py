"""What makes two cells of a row, or two rows, something else than the same work done twice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from analysis.caveats.core import Caveat, Rows, Severity, measured, rule
from analysis.cells import Cell, RowCells
from analysis.plan import Plan
from analysis.text import listed

EXECUTION = ("execution", "compiler")
PRECISION = ("dtype", "matmul_precision")
INTRINSIC = ("framework_version", "backend")  # differ between frameworks by definition
Partition = tuple[tuple[str, tuple[str, ...]], ...]


@rule
def execution_differs(plan: Plan, rows: Rows) -> Iterator[Caveat]:
    """One column compiles and another does not: the difference is at least partly that."""
    yield from _differences(rows, EXECUTION, "execution_differs", Severity.CRITICAL)


@rule
def precision_differs(plan: Plan, rows: Rows) -> Iterator[Caveat]:
    """Different precisions are different amounts of work."""
    yield from _differences(rows, PRECISION, "precision_differs", Severity.CRITICAL)


@rule
def parity_differs(plan: Plan, rows: Rows) -> Iterator[Caveat]:
    """Every other entry of the parity cards, one caveat per entry that differs."""
    known = {*EXECUTION, *PRECISION, *INTRINSIC}
    cards = [record.parity or {} for cell in measured(rows) for record in cell.records]
    for key in dict.fromkeys(key for card in cards for key in card if key not in known):
        yield from _differences(rows, (key,), "parity_differs", Severity.WARNING)


def _differences(
    rows: Rows, keys: tuple[str, ...], caveat_id: str, severity: Severity
) -> Iterator[Caveat]:
    """One caveat per way in which rows fall apart: rows that differ in the same way share it."""
    same: dict[Partition, list[RowCells]] = defaultdict(list)
    for row in rows:
        partition = _partition(row, keys)
        if len(partition) > 1:
            same[partition].append(row)
    for partition, group in same.items():
        values = "; ".join(f"{value} in {listed(list(titles))}" for value, titles in partition)
        titles = listed([row.row.title for row in group])
        what = " and ".join(key.replace("_", " ") for key in keys)
        yield Caveat(
            caveat_id,
            severity,
            tuple(cell for row in group for cell in row.measured),
            {"keys": list(keys), "values": {value: list(titles) for value, titles in partition}},
            f"{titles}: {what} not the same in every column ({values}), so part of a difference "
            "may come from that.",
        )


def _partition(row: RowCells, keys: tuple[str, ...]) -> Partition:
    """Values of these keys, each with the columns that report it; cells without a card take no
    part.
    """
    groups: dict[str, list[str]] = defaultdict(list)
    for cell in row.measured:
        for value in _values(cell, keys):
            groups[value].append(cell.framework.title)
    return tuple((value, tuple(titles)) for value, titles in groups.items())


def _values(cell: Cell, keys: tuple[str, ...]) -> list[str]:
    """What the runs of a cell report; normally they agree."""
    cards = [record.parity for record in cell.records if record.parity]
    return list(dict.fromkeys(_spelled(card, keys) for card in cards))


def _spelled(card: dict, keys: tuple[str, ...]) -> str:
    """The values in words; one that a framework does not report is no value."""
    words = ["not reported" if card.get(key) is None else str(card[key]).lower() for key in keys]
    return " / ".join(dict.fromkeys(words))


@rule
def batch_sizes_differ(plan: Plan, rows: Rows) -> Iterator[Caveat]:
    """Times of different batch sizes cannot be compared down a column."""
    sizes = {row.row.title: row.row.batch_size for row in rows}
    if len(set(row.row.batch_size for row in rows)) > 1:
        words = [f"{row.row.title} {row.row.batch_size}" for row in rows]
        sentence = (
            f"Batch sizes differ between rows ({listed(words)}): compare times along a row, not "
            "between rows."
        )
        yield Caveat("batch_sizes_differ", Severity.WARNING, (), {"batch_sizes": sizes}, sentence)


@rule
def scale_is_reduced(plan: Plan, rows: Rows) -> Iterator[Caveat]:
    """Reduced models rank frameworks differently from full ones."""
    if plan.scale != "paper":
        sizes = {model: details.architecture for model, details in plan.models.items()}
        sentence = (
            f"Scale is {plan.scale}, not paper: the architectures are reduced, so these times are "
            "not comparable with "
            "published ones, and the ranking may be another than in the full models."
        )
        yield Caveat(
            "scale_is_reduced",
            Severity.WARNING,
            (),
            {"scale": plan.scale, "models": sizes},
            sentence,
        )


@rule
def random_weights(plan: Plan, rows: Rows) -> Iterator[Caveat]:
    """Times hold, outputs mean nothing."""
    if plan.weights == "random":
        sentence = (
            f"Weights are random (seed {plan.seed}): the times are of interest, the outputs mean "
            "nothing."
        )
        yield Caveat(
            "random_weights",
            Severity.NOTE,
            (),
            {"weights": plan.weights, "seed": plan.seed},
            sentence,
        )
