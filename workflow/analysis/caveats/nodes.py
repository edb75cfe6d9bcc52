"""Where it was measured: on which nodes, in which sessions, beside which neighbours."""

import math
from collections import Counter
from collections.abc import Iterator

from analysis.caveats.core import Found, comparable, label, labelled, measured, places, rule
from analysis.caveats.thresholds import NEIGHBOURS
from analysis.data import Data
from analysis.formats.text import count
from analysis.results.cells import Cell
from analysis.results.rows import RowCells
from analysis.results.runs import Run
from analysis.statistics.intervals import geometric_mean, log_t_interval


@rule
def several_nodes(data: Data) -> Iterator[Found]:
    """Nodes differ: an interval knows by how much where it rests on several of them."""
    cells, nodes = measured(data.results.rows), len(data.results.nodes)
    alone = [cell for cell in cells if len(cell.nodes) == 1]
    if nodes > 1:
        evidence = {"nodes": nodes, "on_one_node": list(map(label, alone))}
        where = places(alone, rows=data.results.rows)
        words = {"more": len(cells) - len(alone), "where": where}
        yield Found(alone or None, evidence, words)


@rule
def rounds_lost(data: Data) -> Iterator[Found]:
    """Runs that were measured in another session than the others of their row and round."""
    lost = {cell: numbers for row in data.results.rows for cell, numbers in _lost(row).items()}

    def share(cell: Cell) -> str:
        return f"{len(lost[cell])} of {count(len(cell.run_ms), 'round')}"

    where = places(lost, share, lambda cell: len(lost[cell]))
    yield Found(lost, {"rounds": labelled(lost)}, {"where": where})


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


@rule
def neighbours_disturb(data: Data) -> Iterator[Found]:
    """The same cells took another time beside busy slots of their node than without any."""
    cells = comparable(data.results.rows)
    ratios = {cell: ratio for cell in cells if (ratio := _beside(cell))}
    interval = log_t_interval(list(ratios.values()))
    if interval is None or interval.low <= 1 <= interval.high:
        return
    mean = geometric_mean(ratios.values())
    evidence = {
        "ratio": mean,
        "interval": [interval.low, interval.high],
        "cells": labelled(ratios),
        "threshold": NEIGHBOURS,
    }
    slots = max(record.session.slots for cell in ratios for record in cell.records)
    if max(mean, 1 / mean) > 1 + NEIGHBOURS:
        yield Found(_with_neighbours(data), evidence, {"slots": slots, "both": len(ratios)})


def _with_neighbours(data: Data) -> list[Cell]:
    return [c for c in measured(data.results.rows) if any(map(_neighbours, c.ok_runs))]


def _neighbours(run: Run) -> int | None:
    """How many other slots of its node were busy; None where that is not known."""
    session = run.record.session if run.record else None
    return session.neighbours if session else None


def _beside(cell: Cell) -> float | None:
    """Time beside busy neighbours over that without, of runs on the same node; None where no node
    measured both.
    """
    logs = []
    for node in sorted(cell.nodes):
        runs = [run for run in cell.ok_runs if run.sitting.node == node]
        busy = [run.step_ms for run in runs if _neighbours(run)]
        alone = [run.step_ms for run in runs if _neighbours(run) == 0]
        if busy and alone:
            logs.append(math.log(geometric_mean(busy) / geometric_mean(alone)))
    return math.exp(sum(logs) / len(logs)) if logs else None


@rule
def neighbours_unknown(data: Data) -> Iterator[Found]:
    """Runs beside busy slots of their node, of which none can be compared with one alone."""
    if not any(map(_beside, comparable(data.results.rows))):
        beside = _with_neighbours(data)
        yield Found(beside, {"cells": list(map(label, beside))})
