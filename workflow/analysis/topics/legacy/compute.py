"""Why the published arithmetic prints another time than ours for the same steps of one process.

Three faults of it are known, and each leaves a mark that a rule can look for. A difference without
such a mark is labelled unexplained.
"""

from collections.abc import Sequence
from enum import StrEnum

from analysis.comparisons.observer import observed_longer, observer_ratio
from analysis.results.cells import Cell
from analysis.results.runs import Run
from analysis.statistics.intervals import MARGIN, NS_PER_MS, geometric_mean
from analysis.writing.texts import Texts

TEXTS = Texts(__file__)
# How a record words the published arithmetic of a task.
BY_CALLBACKS = "batch callbacks"
BY_SUBTRACTION = "less one step"
COUNTED_AS_100 = "99 steps counted as 100"
UNFENCED = "no fence"
COUNTING = 0.99  # its time over the true one where a time was measured perfectly


class Cause(StrEnum):
    """The explanation of a difference."""

    SAME = "none: within 2 %"
    COUNTING = "99 steps counted as 100"
    NO_FENCE = "missing fence"
    CALLBACK = "callback waits for each step"
    SUBTRACTION = "subtraction of one noisy call"
    UNEXPLAINED = "unexplained"


def sentence(cell: Cell) -> str:
    """The difference of a cell, and why it is there; empty where no cause is looked for."""
    if not (cause := cause_of(cell)):
        return ""
    told = {"margin": MARGIN, "observed": observer_ratio(cell), "left": unexplained([cell])}
    because = TEXTS.say(cause.name.lower(), **told)
    return TEXTS.say("difference", ratio=legacy_ratio(cell), because=because)


def cause_of(cell: Cell) -> Cause | None:
    """The cause of the difference of a cell; None where the arithmetic was not taken, and where
    nothing may be concluded from the cell.
    """
    ratio = legacy_ratio(cell) if cell.comparable else None
    return _cause(cell, ratio) if ratio else None


def legacy_ratio(cell: Cell) -> float | None:
    """Published arithmetic over ours, over the runs that have both; None when none has."""
    ratios = [run.legacy_ms / run.step_ms for run in cell.ok_runs if run.legacy_ms]
    return geometric_mean(ratios) if ratios else None


def unexplained(cells: Sequence[Cell]) -> str:
    """Possible reasons where no fault shows; callbacks only where there were any."""
    called = any(BY_CALLBACKS in _method(cell) for cell in cells)
    return "noise within the process" + (", or what its callbacks cost" if called else "")


def beyond_scatter(cell: Cell) -> bool:
    """True if the published time lies outside all blocks of its process, in every run with one."""
    blocks_ms = [
        (run.legacy_ms, [block.step_ms for block in run.record.timing.blocks])
        for run in cell.ok_runs
        if run.legacy_ms
    ]
    return all(not min(times) <= legacy_ms <= max(times) for legacy_ms, times in blocks_ms)


def _cause(cell: Cell, ratio: float) -> Cause:
    counting = COUNTED_AS_100 in _method(cell)
    rest = ratio / COUNTING if counting else ratio  # what the arithmetic itself does not explain
    if _same(rest):
        return Cause.COUNTING if counting else Cause.SAME
    if not beyond_scatter(cell):
        return Cause.UNEXPLAINED
    if rest < 1 and _asynchronous(cell):
        return Cause.NO_FENCE
    if BY_SUBTRACTION in _method(cell) and _one_call_may(cell):
        return Cause.SUBTRACTION
    if rest > 1 and _waits(cell, rest):
        return Cause.CALLBACK
    return Cause.UNEXPLAINED


def _same(ratio: float) -> bool:
    return max(ratio, 1 / ratio) <= 1 + MARGIN


def _method(cell: Cell) -> str:
    return next(record.timing.legacy.method for record in cell.records if record.timing.legacy)


def _asynchronous(cell: Cell) -> bool:
    """True if the clock may stop before the work is done; ``generate()`` reads its tokens."""
    if UNFENCED not in _method(cell) or cell.row.task == "generate":
        return False
    on_gpu = any(record.cell.accelerator == "cuda" for record in cell.records)
    return on_gpu or "jax" in cell.reported("backend")


def _one_call_may(cell: Cell) -> bool:
    """True if single calls were so far off, in each run, that subtracting one of them may move the
    mean of all others to the published time.
    """
    return all(
        _furthest_ms(run) / run.record.timing.legacy.steps >= _beyond_ms(run)
        for run in cell.ok_runs
        if run.legacy_ms
    )


def _furthest_ms(run: Run) -> float:
    """How far a single call was from the mean of a run, at most; 0 where none was timed."""
    calls_ms = (ns / NS_PER_MS for ns in run.record.timing.synchronised_ns)
    return max((abs(call_ms - run.step_ms) for call_ms in calls_ms), default=0.0)


def _beyond_ms(run: Run) -> float:
    """How far the published time of a run is from the nearest of its blocks."""
    return min(abs(run.legacy_ms - block.step_ms) for block in run.record.timing.blocks)


def _waits(cell: Cell, ratio: float) -> bool:
    """True if Keras' callbacks made every step wait: steps with a fence after each are shown to
    take longer, and the time is nearer to theirs than to that of steps in a row.
    """
    observed = observer_ratio(cell)
    if observed is None or BY_CALLBACKS not in _method(cell) or not observed_longer([cell]):
        return False
    return not _same(observed) and abs(ratio - observed) < abs(ratio - 1)
