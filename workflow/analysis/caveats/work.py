"""What the step really consists of: fixed cost against work, and whether every column did the same
work.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from analysis.caveats.core import Caveat, Changes, Severity, label, measured, places, rule
from analysis.caveats.thresholds import FEW_PARAMETERS, FIXED_COST_SHARE
from analysis.formats.text import listed, percent
from analysis.results.cells import Cell
from analysis.results.results import Results
from analysis.results.rows import RowCells
from analysis.results.runs import Run
from analysis.results.timing import Probe
from analysis.statistics.intervals import fixed_cost_ms


@rule(
    "Half of a step does not grow with the batch",
    "These cells compare fixed costs at least as much as the work per sample.",
    Changes.ELSEWHERE,
    "A larger batch size.",
)
def fixed_cost_dominates(results: Results) -> Iterator[Caveat]:
    """Cells in which most of a step does not grow with the batch."""
    shares = {cell: fixed_cost_share(cell) for cell in measured(results.rows)}
    high = {
        cell: share
        for cell, share in shares.items()
        if share is not None and share >= FIXED_COST_SHARE
    }
    if high:
        trained = any(cell.row.task == "fit" for cell in high)
        optimiser = "in fit the optimiser's update, " if trained else ""
        where = places(high, lambda cell: percent(high[cell]), high.get)
        sentence = (
            f"A large part of the step does not grow with the batch: {where}. Python, dispatch, "
            f"{optimiser}reading the weights and hardware that a batch does not fill all look like "
            "this; two batch sizes cannot separate them."
        )
        evidence = {
            "threshold": FIXED_COST_SHARE,
            "cells": {label(cell): _points(cell) for cell in high},
        }
        yield Caveat("fixed_cost_dominates", Severity.WARNING, tuple(high), evidence, sentence)


def fixed_cost_share(cell: Cell) -> float | None:
    """Mean over the runs of the share of a step that does not grow with the batch; None without
    probes.
    """
    shares = [share for run in cell.ok_runs if (share := _run_share(cell, run)) is not None]
    return sum(shares) / len(shares) if shares else None


def _run_share(cell: Cell, run: Run) -> float | None:
    """From the probe farthest from the cell's own batch size, where noise weighs least."""
    batch = cell.row.batch_size
    probes = [probe for probe in _probes(run) if probe.batch_size != batch]
    if not probes:
        return None
    probe = max(probes, key=lambda probe: max(probe.batch_size / batch, batch / probe.batch_size))
    return fixed_cost_ms(batch, run.step_ms, probe.batch_size, probe.step_ms) / run.step_ms


def _probes(run: Run) -> tuple[Probe, ...]:
    """Those of the run; a published number has none."""
    return run.record.probes if run.record else ()


def _points(cell: Cell) -> dict:
    """The numbers behind a share: ms/step at each batch size, run by run."""
    probes = [
        {"run": run.number, "batch_size": probe.batch_size, "ms": probe.step_ms}
        for run in cell.ok_runs
        for probe in _probes(run)
    ]
    own = [
        {"run": sitting.round, "batch_size": cell.row.batch_size, "ms": value}
        for sitting, value in cell.run_ms.items()
    ]
    return {"share": fixed_cost_share(cell), "points": own + probes}


@rule(
    "Parameters differ",
    "Columns of one row do not hold, or do not train, the same number of parameters.",
    Changes.ORDER,
)
def parameters_differ(results: Results) -> Iterator[Caveat]:
    """Columns of one row that do not hold, or do not train, the same number of parameters."""
    for row in results.rows:
        for key in ("parameters", "trainable_parameters"):
            columns: dict[int, list[str]] = {}
            for cell in row.measured:
                for number in _numbers(cell, key):
                    columns.setdefault(number, []).append(cell.column.title)
            if len(columns) > 1:
                yield _parameters(row, key, columns)


def _parameters(row: RowCells, key: str, columns: dict[int, list[str]]) -> Caveat:
    """As severe as the difference is large: some biases, or another model."""
    fewest, most = min(columns), max(columns)
    excess = most / fewest - 1 if fewest else math.inf
    severity = (
        Severity.NOTE
        if excess < FEW_PARAMETERS
        else Severity.WARNING
        if key == "trainable_parameters"
        else Severity.CRITICAL
    )
    share = (most - fewest) / most
    part = percent(share) if share >= 0.01 else f"{100 * share:.2g}\u00a0%"
    size = f"by {most - fewest:,} of {most:,} ({part})"
    factor = f", a factor of {most / fewest:.1f}" if 0.5 <= excess < math.inf else ""
    numbers = "; ".join(f"{number:,} in {listed(titles)}" for number, titles in columns.items())
    work = "" if severity is Severity.NOTE else " That is not the same work."
    return Caveat(
        "parameters_differ",
        severity,
        row.measured,
        {
            "parameters": key,
            "values": {f"{number:,}": titles for number, titles in columns.items()},
            "excess": most - fewest,
        },
        f"{row.row.label}: {key.replace('_', ' ')} differ {size}{factor} ({numbers}).{work}",
        f"{key.replace('_', ' ').capitalize()} differ",
    )


def _numbers(cell: Cell, key: str) -> list[int]:
    return sorted({getattr(record.work, key) for record in cell.records if record.work})
