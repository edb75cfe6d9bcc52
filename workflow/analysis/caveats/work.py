"""What the step really consists of: fixed cost against work, and whether every column did the same
work.
"""

from __future__ import annotations

from collections.abc import Iterator

from analysis.caveats.core import Caveat, Severity, label, rule
from analysis.caveats.thresholds import FIXED_COST_SHARE
from analysis.cells import Cell, Results, Run
from analysis.record import Probe
from analysis.statistics import fixed_cost_ms
from analysis.text import listed, percent


@rule
def fixed_cost_dominates(results: Results) -> Iterator[Caveat]:
    """Cells that measure the framework's own time more than the model's arithmetic, row by row."""
    for row in results.rows:
        shares = {
            cell: share for cell in row.measured if (share := fixed_cost_share(cell)) is not None
        }
        high = {cell: share for cell, share in shares.items() if share >= FIXED_COST_SHARE}
        if high:
            words = [f"{cell.framework.title} {percent(share)}" for cell, share in high.items()]
            optimiser = "the optimiser's update, " if row.row.task == "fit" else ""
            sentence = (
                f"{row.row.label}: a large part of the step does not grow with the batch: "
                f"{listed(words)}. Python, dispatch, {optimiser}reading the weights and hardware "
                "that a batch does not fill all look like this; two batch sizes cannot tell them "
                "apart."
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
        {"run": number, "batch_size": cell.row.batch_size, "ms": value}
        for number, value in cell.run_ms.items()
    ]
    return {"share": fixed_cost_share(cell), "points": own + probes}


@rule
def parameters_differ(results: Results) -> Iterator[Caveat]:
    """Columns of one row that do not hold, or do not train, the same number of parameters."""
    for row in results.rows:
        for key in ("parameters", "trainable_parameters"):
            counts = {cell: _numbers(cell, key) for cell in row.measured}
            if len({number for numbers in counts.values() for number in numbers}) > 1:
                words = [
                    f"{cell.framework.title} {' or '.join(f'{n:,}' for n in numbers)}"
                    for cell, numbers in counts.items()
                    if numbers
                ]
                sentence = (
                    f"{row.row.label}: {key.replace('_', ' ')} differ ({listed(words)}): not the "
                    "same work."
                )
                evidence = {
                    key: {label(cell): numbers for cell, numbers in counts.items() if numbers}
                }
                yield Caveat(
                    "parameters_differ", Severity.CRITICAL, row.measured, evidence, sentence
                )


def _numbers(cell: Cell, key: str) -> list[int]:
    return sorted({getattr(record.work, key) for record in cell.records if record.work})
