"""How a step grows with the batch: what does not grow with it, and what grows faster."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from analysis.caveats.causes import OVERHEAD
from analysis.caveats.core import Caveat, Changes, Severity, comparable, label, places, rule
from analysis.caveats.thresholds import FIXED_COST_SHARE, SAMPLE_GROWTH
from analysis.formats.text import percent
from analysis.results.cells import Cell
from analysis.results.results import Results
from analysis.results.runs import Run
from analysis.results.timing import Probe
from analysis.statistics.intervals import (
    fixed_cost_ms,
    mean_interval,
    relative_standard_error,
    t_quantile,
)


@rule(
    "Half of a step does not grow with the batch",
    "These cells compare fixed costs at least as much as the work per sample.",
    Changes.ELSEWHERE,
    "Measure a larger batch size.",
    OVERHEAD,
)
def fixed_cost_dominates(results: Results) -> Iterator[Caveat]:
    """Cells in which most of a step does not grow with the batch."""
    shares = {cell: fixed_cost_share(cell) for cell in comparable(results.rows)}
    high = {
        cell: share
        for cell, share in shares.items()
        if share is not None and _at_least(cell) >= FIXED_COST_SHARE
    }
    if high:
        trained = any(cell.row.task == "fit" for cell in high)
        optimiser = "in fit the optimiser's update, " if trained else ""
        where = places(high, lambda cell: percent(high[cell]), high.get)
        sentence = (
            f"At least {percent(FIXED_COST_SHARE)} of the step does not grow with the batch, by "
            f"the whole interval of its share: {where}. Python, dispatch, {optimiser}reading the "
            "weights and hardware that a batch does not fill all look like "
            "this; two batch sizes cannot separate them."
        )
        evidence = {
            "threshold": FIXED_COST_SHARE,
            "cells": {label(cell): {"share": high[cell], "points": _points(cell)} for cell in high},
        }
        yield Caveat("fixed_cost_dominates", Severity.WARNING, tuple(high), evidence, sentence)


def fixed_cost_share(cell: Cell) -> float | None:
    """Mean over the runs of the share of a step that does not grow with the batch; None without
    probes.
    """
    shares = [share for run in cell.ok_runs if (share := _run_share(cell, run)) is not None]
    return sum(shares) / len(shares) if shares else None


def _at_least(cell: Cell) -> float:
    """The lower end of that share's interval over the runs; of a single run by the scatter of its
    blocks, 0 where nothing tells.
    """
    shares = [share for run in cell.ok_runs if (share := _run_share(cell, run)) is not None]
    if ends := mean_interval(shares):
        return ends.low
    (run,) = (run for run in cell.ok_runs if _others(cell, run))
    probe = _farthest(cell, run)
    errors = [
        relative_standard_error([block.step_ms for block in blocks])
        for blocks in (run.record.timing.blocks, probe.blocks)
    ]
    if None in errors:
        return 0.0
    longer = math.exp(t_quantile(len(probe.blocks) - 1) * math.hypot(*errors))
    batch = cell.row.batch_size
    return min(
        fixed_cost_ms(batch, run.step_ms, probe.batch_size, probe.step_ms * factor) / run.step_ms
        for factor in (longer, 1 / longer)
    )


def _run_share(cell: Cell, run: Run) -> float | None:
    batch = cell.row.batch_size
    probe = _farthest(cell, run)
    if probe is None:
        return None
    return fixed_cost_ms(batch, run.step_ms, probe.batch_size, probe.step_ms) / run.step_ms


def _farthest(cell: Cell, run: Run) -> Probe | None:
    """The probe farthest from the cell's own batch size, where noise weighs least."""
    batch = cell.row.batch_size
    return max(
        _others(cell, run),
        key=lambda probe: max(probe.batch_size / batch, batch / probe.batch_size),
        default=None,
    )


@rule(
    "A step grows faster than its batch",
    "In these cells a sample takes longer at a larger batch.",
    Changes.ELSEWHERE,
    "Measure the same rows at several batch sizes.",
    OVERHEAD,
)
def outgrows_batch(results: Results) -> Iterator[Caveat]:
    """Cells in which a sample takes much longer at the larger of two batch sizes."""
    found = {cell: growth for cell in comparable(results.rows) if (growth := sample_growth(cell))}
    large = {cell: growth for cell, growth in found.items() if growth.factor >= 1 + SAMPLE_GROWTH}
    if large:
        where = places(large, lambda cell: large[cell].text, lambda cell: large[cell].factor)
        sentence = (
            f"A sample takes longer at a larger batch: {where}. Another kernel for "
            "another size and memory beyond a cache look like this; the order of the columns at "
            "one batch size need not be that at another."
        )
        evidence = {
            "threshold": 1 + SAMPLE_GROWTH,
            "cells": {
                label(cell): {"growth": growth.factor, "points": _points(cell)}
                for cell, growth in large.items()
            },
        }
        yield Caveat("outgrows_batch", Severity.WARNING, tuple(large), evidence, sentence)


@dataclass(frozen=True)
class Growth:
    """A sample's time at one batch size, over that at the next smaller one."""

    factor: float
    to: int
    of: int

    @property
    def text(self) -> str:
        return f"{self.factor:.1f} times as long at {self.to} as at {self.of}"


def sample_growth(cell: Cell) -> Growth | None:
    """The largest, of the run in which it is least; None without probes.

    Of the larger batch the fastest block counts, of the smaller one the middle: ten steps are few,
    and the machine may have hesitated in some of them.
    """
    runs = [growths for run in cell.ok_runs if (growths := _growths(cell, run))]
    largest = [max(growths, key=lambda growth: growth.factor) for growths in runs]
    return min(largest, key=lambda growth: growth.factor, default=None)


def _growths(cell: Cell, run: Run) -> list[Growth]:
    fastest: dict[int, float] = {}
    middle: dict[int, float] = {}
    for probe in _others(cell, run):
        steps_ms = [block.step_ms for block in probe.blocks or (probe,)]
        fastest[probe.batch_size], middle[probe.batch_size] = min(steps_ms), median(steps_ms)
    if not middle:
        return []
    own = cell.row.batch_size
    fastest[own], middle[own] = run.fastest_block_ms, run.step_ms
    return [
        Growth(fastest[large] / middle[small] * small / large, large, small)
        for small, large in pairwise(sorted(middle))
    ]


def _probes(run: Run) -> tuple[Probe, ...]:
    """Those of the run; a published number has none."""
    return run.record.probes if run.record else ()


def _others(cell: Cell, run: Run) -> list[Probe]:
    """Probes at other batch sizes than the cell's own."""
    return [probe for probe in _probes(run) if probe.batch_size != cell.row.batch_size]


def _points(cell: Cell) -> list[dict]:
    """The numbers behind it: ms/step at each batch size, run by run."""
    probes = [
        {"run": run.number, "batch_size": probe.batch_size, "ms": probe.step_ms}
        for run in cell.ok_runs
        for probe in _probes(run)
    ]
    own = [
        {"run": sitting.round, "batch_size": cell.row.batch_size, "ms": value}
        for sitting, value in cell.run_ms.items()
    ]
    return own + probes
