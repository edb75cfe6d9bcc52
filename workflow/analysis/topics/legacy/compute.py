"""Why the published arithmetic prints another time than ours for the same steps of one process.

Three faults of it are known, and each leaves a mark that a rule can look for. A difference without
such a mark is labelled unexplained.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from analysis.comparisons.observer import observer_ratio
from analysis.formats.text import percent, signed_percent, times
from analysis.results.cells import Cell
from analysis.statistics.intervals import MARGIN, geometric_mean

# How a record words the published arithmetic of a task.
BY_CALLBACKS = "batch callbacks"
BY_SUBTRACTION = "less one step"
COUNTED_AS_100 = "99 steps counted as 100"
COUNTING = 0.99  # what that arithmetic makes of a time that was measured perfectly


class Cause(StrEnum):
    """What explains the difference."""

    SAME = "none: within 2 %"
    COUNTING = "99 steps counted as 100"
    NO_FENCE = "missing fence"
    CALLBACK = "callback waits for each step"
    SUBTRACTION = "subtraction of one noisy call"
    UNEXPLAINED = "unexplained"


@dataclass(frozen=True)
class LegacyDifference:
    """The published arithmetic over ours, with what explains it."""

    ratio: float
    cause: Cause
    sentence: str


def explain(cell: Cell) -> LegacyDifference | None:
    """The difference of a cell and its cause; None where the arithmetic was not taken, and where
    nothing may be concluded from the cell.
    """
    ratio = legacy_ratio(cell) if cell.comparable else None
    if ratio is None:
        return None
    cause = _cause(cell, ratio)
    sentence = (
        f"The published arithmetic gives {signed_percent(ratio - 1)}. {_because(cell, cause)}"
    )
    return LegacyDifference(ratio, cause, sentence)


def legacy_ratio(cell: Cell) -> float | None:
    """Published arithmetic over ours, over the runs that have both; None when none has."""
    ratios = [run.legacy_ms / run.step_ms for run in cell.ok_runs if run.legacy_ms]
    return geometric_mean(ratios) if ratios else None


def unexplained(cells: Sequence[Cell]) -> str:
    """What is left where no fault shows; callbacks only where there were any."""
    called = any(BY_CALLBACKS in _method(cell) for cell in cells)
    return "noise within the process" + (", or what its callbacks cost" if called else "")


def beyond_scatter(cell: Cell) -> bool:
    """Whether it lies outside of all blocks of its own process, in every run that took it."""
    found = [run for run in cell.ok_runs if run.legacy_ms]
    blocks = [[block.step_ms for block in run.record.timing.blocks] for run in found]
    return all(
        not min(times) <= run.legacy_ms <= max(times)
        for run, times in zip(found, blocks, strict=True)
    )


def _cause(cell: Cell, ratio: float) -> Cause:
    counting = COUNTED_AS_100 in _method(cell)
    rest = ratio / COUNTING if counting else ratio  # what the arithmetic itself does not explain
    if _same(rest):
        return Cause.COUNTING if counting else Cause.SAME
    if not beyond_scatter(cell):
        return Cause.UNEXPLAINED
    if BY_SUBTRACTION in _method(cell):
        return Cause.SUBTRACTION
    if rest < 1 and _asynchronous(cell):
        return Cause.NO_FENCE
    if rest > 1 and _waits(cell, rest):
        return Cause.CALLBACK
    return Cause.UNEXPLAINED


def _same(ratio: float) -> bool:
    return max(ratio, 1 / ratio) <= 1 + MARGIN


def _method(cell: Cell) -> str:
    return next(record.timing.legacy.method for record in cell.records if record.timing.legacy)


def _asynchronous(cell: Cell) -> bool:
    """Whether a step's call may return before its work is done."""
    cards = [record.parity or {} for record in cell.records]
    return any(record.cell.accelerator == "cuda" for record in cell.records) or any(
        card.get("backend") == "jax" for card in cards
    )


def _waits(cell: Cell, ratio: float) -> bool:
    """Whether Keras' callbacks made every step wait: the time is nearer to that of steps with a
    fence after each than to that of steps in a row.
    """
    observed = observer_ratio(cell)
    by_callbacks = cell.column.family == "keras3" and BY_CALLBACKS in _method(cell)
    return (
        by_callbacks
        and observed is not None
        and not _same(observed)
        and abs(ratio - observed) < abs(ratio - 1)
    )


def _because(cell: Cell, cause: Cause) -> str:
    observed = observer_ratio(cell)
    return {
        Cause.SAME: f"That is within {percent(MARGIN)}, no difference.",
        Cause.COUNTING: (
            "It divides the time of 99 steps by 100, which explains -1\u00a0%; what is left is "
            f"within {percent(MARGIN)}."
        ),
        Cause.NO_FENCE: (
            "Steps are issued ahead of the device here and nothing waits for the last ones, so the "
            "clock stops before the work does."
        ),
        Cause.CALLBACK: (
            "Its callback makes Keras wait for every step, and steps with a fence after each take "
            f"{times(observed or 1)} the time."
        ),
        Cause.SUBTRACTION: (
            "It subtracts the time of one call from that of many, so the noise of single calls "
            "enters the mean."
        ),
        Cause.UNEXPLAINED: f"None of its known faults shows here: {unexplained([cell])}.",
    }[cause]
