"""What disturbed the measurement: other processes, swapping, scatter, another clock."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from analysis.caveats.core import (
    Caveat,
    Changes,
    Rows,
    Severity,
    label,
    measured,
    places,
    rule,
)
from analysis.caveats.thresholds import (
    BLOCK_ERROR,
    FOREIGN_CPU_SHARE,
    LOAD_PER_CORE,
    SWAPPED_MIB,
)
from analysis.formats.text import percent
from analysis.results.cells import Cell
from analysis.results.profiles import FOREIGN_CPU_HEAVY
from analysis.results.record import Record
from analysis.results.results import Results
from analysis.statistics.intervals import relative_standard_error

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
