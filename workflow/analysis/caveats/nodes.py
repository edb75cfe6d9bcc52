"""Where it was measured: on which nodes, in which sessions, beside which neighbours."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from analysis.caveats.causes import UNTESTED
from analysis.caveats.core import (
    Caveat,
    Changes,
    Severity,
    comparable,
    label,
    measured,
    places,
    rule,
)
from analysis.caveats.thresholds import NEIGHBOURS
from analysis.formats.text import count, percent, signed_percent
from analysis.results.cells import Cell
from analysis.results.results import Results
from analysis.results.rows import RowCells
from analysis.results.runs import Run
from analysis.statistics.intervals import geometric_mean, log_t_interval


@rule(
    "Measured on several nodes",
    "Two nodes of one kind differ too; a ratio is of runs that one node measured in one session.",
    Changes.TIMES,
    "Add rounds, each of a row on another node.",
)
def several_nodes(results: Results) -> Iterator[Caveat]:
    """Nodes differ: an interval knows by how much where it rests on several of them."""
    cells = measured(results.rows)
    if len(results.nodes) > 1:
        alone = tuple(cell for cell in cells if len(cell.nodes) == 1)
        parts = [f"Measured on {count(len(results.nodes), 'node')}."]
        if len(alone) < len(cells):
            parts.append(
                f"Of {count(len(cells) - len(alone), 'cell')} the runs lie on more than one, and "
                "intervals rest on the means of nodes."
            )
        if alone:
            where = places(alone, rows=results.rows)
            parts.append(f"Measured on one node, times and intervals hold for it alone: {where}.")
        evidence = {"nodes": len(results.nodes), "on_one_node": list(map(label, alone))}
        yield Caveat("several_nodes", Severity.NOTE, alone, evidence, " ".join(parts))


@rule(
    "Rounds lost to other sessions",
    "Runs of a round that were measured in several sessions are not compared.",
    Changes.ORDER,
    "Remove all records of these rounds and start again.",
)
def rounds_lost(results: Results) -> Iterator[Caveat]:
    """Runs that were measured in another session than the others of their row and round."""
    lost = {cell: numbers for row in results.rows for cell, numbers in _lost(row).items()}
    if lost:
        where = places(lost, lambda cell: _of(cell, lost[cell]), lambda cell: len(lost[cell]))
        sentence = (
            "Measured in another session than the other columns of their row in that round, so "
            f"that ratios to these are without it ({where})."
        )
        evidence = {"rounds": {label(cell): numbers for cell, numbers in lost.items()}}
        yield Caveat("rounds_lost", Severity.WARNING, tuple(lost), evidence, sentence)


def _lost(row: RowCells) -> dict[Cell, list[int]]:
    """Rounds of each cell that most others of its row measured in another session."""
    of_rounds: dict[int, Counter[str]] = {}
    for cell in row.measured:
        for sitting in cell.run_ms:
            of_rounds.setdefault(sitting.round, Counter())[sitting.session] += 1
    usual = {number: found.most_common(1)[0][0] for number, found in of_rounds.items()}
    found = {
        cell: sorted(s.round for s in cell.run_ms if s.session != usual[s.round])
        for cell in row.measured
    }
    return {cell: numbers for cell, numbers in found.items() if numbers}


def _of(cell: Cell, numbers: list[int]) -> str:
    """'1 of 3 rounds'."""
    return f"{len(numbers)} of {count(len(cell.run_ms), 'round')}"


@rule(
    "Neighbours on the node cost time",
    "Times measured beside busy neighbours are longer than those of a node alone.",
    Changes.TIMES,
    "Set slots: 1, or fewer of them.",
)
def neighbours_disturb(results: Results) -> Iterator[Caveat]:
    """The same cells took another time beside busy slots of their node than without any."""
    ratios = {cell: ratio for cell in comparable(results.rows) if (ratio := _beside(cell))}
    if not ratios:
        return
    mean, interval = geometric_mean(ratios.values()), log_t_interval(list(ratios.values()))
    shown = interval is not None and not interval.low <= 1 <= interval.high
    if shown and max(mean, 1 / mean) > 1 + NEIGHBOURS:
        slots = max(record.session.slots for cell in ratios for record in cell.records)
        sentence = (
            f"Steps take {signed_percent(mean - 1)} [{signed_percent(interval.low - 1)}, "
            f"{signed_percent(interval.high - 1)}] beside busy neighbours "
            f"on their node (divided into {count(slots, 'slot')}) over alone, more than "
            f"{percent(NEIGHBOURS)}, by the {count(len(ratios), 'cell')} that were measured both "
            "ways."
        )
        evidence = {
            "ratio": mean,
            "interval": [interval.low, interval.high],
            "cells": {label(cell): ratio for cell, ratio in ratios.items()},
            "threshold": NEIGHBOURS,
        }
        beside = tuple(cell for cell in measured(results.rows) if any(map(_busy, cell.ok_runs)))
        yield Caveat("neighbours_disturb", Severity.WARNING, beside, evidence, sentence)


def _busy(run: Run) -> bool:
    session = run.record.session if run.record else None
    return bool(session and session.neighbours)


def _alone(run: Run) -> bool:
    session = run.record.session if run.record else None
    return session is not None and session.neighbours == 0


def _beside(cell: Cell) -> float | None:
    """Time beside busy neighbours over that without, of runs on the same node; None where no node
    measured both.
    """
    logs = []
    for node in sorted(cell.nodes):
        runs = [run for run in cell.ok_runs if run.sitting.node == node]
        busy = [run.step_ms for run in runs if _busy(run)]
        alone = [run.step_ms for run in runs if _alone(run)]
        if busy and alone:
            logs.append(math.log(geometric_mean(busy) / geometric_mean(alone)))
    return math.exp(sum(logs) / len(logs)) if logs else None


@rule(
    "Whether neighbours cost time is not known",
    "Nothing that was measured beside busy neighbours was measured without them too.",
    Changes.UNTESTED,
    "Measure one round with slots: 1.",
    UNTESTED,
)
def neighbours_unknown(results: Results) -> Iterator[Caveat]:
    """Runs beside busy slots of their node, of which none can be compared with one alone."""
    beside = tuple(cell for cell in measured(results.rows) if any(map(_busy, cell.ok_runs)))
    if beside and not any(map(_beside, comparable(results.rows))):
        sentence = (
            "Measured while other slots of the same node were busy, and never without: what that "
            f"costs is not known ({places(beside, rows=results.rows)})."
        )
        evidence = {"cells": list(map(label, beside))}
        yield Caveat("neighbours_unknown", Severity.NOTE, beside, evidence, sentence)
