"""What disturbed the measurement: other processes, swapping, scatter, another clock."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator

from analysis.caveats.core import (
    Caveat,
    Changes,
    Rows,
    Severity,
    comparable,
    label,
    measured,
    places,
    rule,
)
from analysis.caveats.thresholds import (
    BLOCK_ERROR,
    FOREIGN_CPU_SHARE,
    LEGACY_DIFFERENCE,
    LOAD_PER_CORE,
    SWAPPED_MIB,
)
from analysis.comparisons.legacy import Cause, beyond_scatter, explain, unexplained
from analysis.formats.text import count, listed, ms, percent
from analysis.results.cells import Cell
from analysis.results.profiles import FOREIGN_CPU_HEAVY
from analysis.results.record import Record
from analysis.results.results import Results
from analysis.statistics.intervals import geometric_mean, relative_standard_error

Reading = Callable[[Record], float | None]


def _worst(rows: Rows, reading: Reading, above: Callable[[float], bool]) -> dict[Cell, float]:
    """Cells whose highest reading among their runs is too high, with that reading."""
    worst = {}
    for cell in measured(rows):
        found = [value for value in map(reading, cell.records) if value is not None]
        if found and above(max(found)):
            worst[cell] = max(found)
    return worst


def _evidence(worst: dict[Cell, float], threshold: float) -> dict:
    return {
        "highest": {label(cell): value for cell, value in worst.items()},
        "threshold": threshold,
    }


@rule(
    "Other processes used the processors",
    "Times may be too long; where others took a quarter or more, they are greyed, not compared.",
    Changes.ORDER,
    "Close other programs, remove these records and start again.",
)
def foreign_load(results: Results) -> Iterator[Caveat]:
    """Other processes worked during the timed steps: so much that a number tells nothing, or
    less.
    """
    shares = _worst(
        results.rows,
        lambda record: record.load.foreign_cpu_share,
        lambda share: share >= FOREIGN_CPU_SHARE,
    )
    heavy = {cell: share for cell, share in shares.items() if share >= FOREIGN_CPU_HEAVY}
    light = {cell: share for cell, share in shares.items() if cell not in heavy}
    for found, severity, title in (
        (heavy, Severity.CRITICAL, "Other processes took the processors"),
        (light, Severity.WARNING, "Other processes used the processors"),
    ):
        if found:
            where = places(found, lambda cell, found=found: percent(found[cell]), found.get)
            yield Caveat(
                "foreign_load",
                severity,
                tuple(found),
                _evidence(found, FOREIGN_CPU_SHARE),
                "Other processes used the processors during the timed steps, as a share of all "
                f"cores: {where}.",
                title,
            )


@rule(
    "The machine swapped during a run",
    "Times may include waiting for the disk.",
    Changes.TIMES,
    "Close other programs, or reduce batch size or scale.",
)
def swapped(results: Results) -> Iterator[Caveat]:
    """The machine swapped during a run."""
    worst = _worst(
        results.rows, lambda record: record.load.swapped_mib, lambda amount: amount >= SWAPPED_MIB
    )
    if worst:
        where = places(worst, lambda cell: f"{worst[cell]:.0f} MiB", worst.get)
        sentence = (
            f"The machine swapped during a run ({where}): times may include waiting for the disk."
        )
        yield Caveat(
            "swapped", Severity.WARNING, tuple(worst), _evidence(worst, SWAPPED_MIB), sentence
        )


@rule(
    "A high load before a run",
    "The run before it is part of that average.",
    Changes.UNTESTED,
)
def busy_before(results: Results) -> Iterator[Caveat]:
    """A high load average before a run; the run before it is part of that average, so this is only
    a note.
    """
    worst = _worst(results.rows, _load_per_core, lambda load: load > LOAD_PER_CORE)
    if worst:
        where = places(worst, lambda cell: f"{worst[cell]:.2f}", worst.get)
        sentence = (
            f"The one-minute load average before a run was above {LOAD_PER_CORE:g} per core "
            f"({where}); the run before it is part of that average."
        )
        yield Caveat(
            "busy_before", Severity.NOTE, tuple(worst), _evidence(worst, LOAD_PER_CORE), sentence
        )


def _load_per_core(record: Record) -> float | None:
    return None if record.load.before is None else record.load.before / record.machine.cores


@rule(
    "Blocks scatter within a run",
    "Even one process did not keep one speed.",
    Changes.TIMES,
    "A quieter machine, or fixed clocks.",
)
def scattered_blocks(results: Results) -> Iterator[Caveat]:
    """The block means of one run scatter."""
    worst = _worst(results.rows, _block_error, lambda error: error > BLOCK_ERROR)
    if worst:
        where = places(worst, lambda cell: percent(worst[cell]), worst.get)
        sentence = (
            "Block means scatter within a run; relative standard error above "
            f"{percent(BLOCK_ERROR)}: {where}."
        )
        yield Caveat(
            "scattered_blocks",
            Severity.WARNING,
            tuple(worst),
            _evidence(worst, BLOCK_ERROR),
            sentence,
        )


def _block_error(record: Record) -> float | None:
    return relative_standard_error([block.step_ms for block in record.timing.blocks])


@rule(
    "The published arithmetic gives other times",
    "That is no difference between frameworks.",
    Changes.ELSEWHERE,
)
def legacy_differs(results: Results) -> Iterator[Caveat]:
    """Cells of whose steps the published arithmetic gives another time than ours."""
    ratios = {cell: ratio for cell in comparable(results.rows) if (ratio := legacy_ratio(cell))}
    worst = {
        cell: ratio
        for cell, ratio in ratios.items()
        if max(ratio, 1 / ratio) > 1 + LEGACY_DIFFERENCE and beyond_scatter(cell)
    }
    if worst:
        where = places(worst, _both_ms, lambda cell: abs(math.log(worst[cell])))
        sentence = (
            "The published arithmetic gives another time in the same process, by more than "
            f"{percent(LEGACY_DIFFERENCE)} and beyond all of its blocks ({where}): no difference "
            f"between frameworks. {_explained(list(worst))}"
        )
        evidence = {
            "legacy_over_ours": {label(cell): ratio for cell, ratio in worst.items()},
            "threshold": LEGACY_DIFFERENCE,
        }
        yield Caveat("legacy_differs", Severity.WARNING, tuple(worst), evidence, sentence)


def _explained(cells: list[Cell]) -> str:
    """How many of the differences show the mark of a known fault of the published arithmetic."""
    causes = Counter(explain(cell).cause for cell in cells)
    left = causes.pop(Cause.UNEXPLAINED, 0)
    without = [cell for cell in cells if explain(cell).cause is Cause.UNEXPLAINED]
    known = [f"{cause} in {number}" for cause, number in causes.most_common()]
    rest = unexplained(without)
    if not known:
        return f"None of its known faults shows in {count(len(cells), 'such cell')}: {rest}."
    others = f"; in {left} none does: {rest}" if left else ""
    return f"Its known faults show in {len(cells) - left} of {len(cells)}: {listed(known)}{others}."


def _both_ms(cell: Cell) -> str:
    """The two times as measured, in the runs that have both."""
    runs = [run for run in cell.ok_runs if run.legacy_ms]
    published, ours = (
        geometric_mean(found)
        for found in ([run.legacy_ms for run in runs], [run.step_ms for run in runs])
    )
    return f"{ms(published)} instead of {ms(ours)} ms"


def legacy_ratio(cell: Cell) -> float | None:
    """Published arithmetic over ours, over the runs that have both; None when none has."""
    ratios = [run.legacy_ms / run.step_ms for run in cell.ok_runs if run.legacy_ms]
    return geometric_mean(ratios) if ratios else None
