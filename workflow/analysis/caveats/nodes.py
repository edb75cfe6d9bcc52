"""Where runs were measured: on which nodes, in which sessions, beside which neighbours."""

from collections import Counter
from collections.abc import Iterator

import numpy as np

from analysis.caveats.core import Found, comparable, label, labelled, measured, places, rule
from analysis.caveats.limits import of_cells, reading
from analysis.caveats.thresholds import NEIGHBOUR_COST
from analysis.data import CELL, Data, cell_key
from analysis.formats.text import count
from analysis.results.cells import Cell
from analysis.statistics.intervals import geometric_mean, log_t_interval

NEIGHBOURS = "session.neighbours"  # how many other slots of its node were busy


@rule
def several_nodes(data: Data) -> Iterator[Found]:
    """Cells measured on one of several nodes: their intervals do not know how nodes differ."""
    cells, nodes = measured(data.results.rows), len(data.results.nodes)
    alone = [cell for cell in cells if len(cell.nodes) == 1]
    if nodes > 1:
        evidence = {"nodes": nodes, "on_one_node": list(map(label, alone))}
        where = places(alone, rows=data.results.rows)
        words = {"more": len(cells) - len(alone), "where": where}
        yield Found(alone or None, evidence, words)


@rule
def rounds_lost(data: Data) -> Iterator[Found]:
    """Rounds of a cell that most cells of its row measured in another session."""
    lost: dict[Cell, list[int]] = {}
    for row in data.results.rows:
        sittings = {cell: sorted(cell.run_ms) for cell in row.measured}
        number = Counter((s.round, s.session) for found in sittings.values() for s in found)
        usual = {found[0]: found for found, _ in reversed(number.most_common())}
        for cell, found in sittings.items():
            if rounds := [s.round for s in found if (s.round, s.session) != usual[s.round]]:
                lost[cell] = rounds

    def share(cell: Cell) -> str:
        return f"{len(lost[cell])} of {count(len(cell.run_ms), 'round')}"

    where = places(lost, share, lambda cell: len(lost[cell]))
    yield Found(lost, {"rounds": labelled(lost)}, {"where": where})


@rule
def neighbours_disturb(data: Data) -> Iterator[Found]:
    """The same cells took another time beside busy slots of their node than without any."""
    ratios = _beside(data)
    interval = log_t_interval(list(ratios.values()))
    if interval is None or interval.low <= 1 <= interval.high:
        return
    mean = geometric_mean(ratios.values())
    evidence = {
        "ratio": mean,
        "interval": [interval.low, interval.high],
        "cells": labelled(ratios),
        "threshold": NEIGHBOUR_COST,
    }
    slots = max(record.session.slots for cell in ratios for record in cell.records)
    if max(mean, 1 / mean) > 1 + NEIGHBOUR_COST:
        yield Found(_with_neighbours(data), evidence, {"slots": slots, "both": len(ratios)})


@rule
def neighbours_unknown(data: Data) -> Iterator[Found]:
    """Runs beside busy slots of their node, of which none can be compared with one alone."""
    if not _beside(data):
        beside = _with_neighbours(data)
        yield Found(beside, {"cells": list(map(label, beside))})


def _with_neighbours(data: Data) -> list[Cell]:
    """Cells with a run that was measured while other slots of its node were busy."""
    return list(of_cells(data, reading(data, NEIGHBOURS), "max", lambda of: of > 0))


def _beside(data: Data) -> dict[Cell, float]:
    """Time beside busy neighbours over time without any, compared on the same node, for the cells
    that some node measured in both ways.
    """
    runs = data.ok_runs.reindex(columns=[*CELL, "session.node", NEIGHBOURS, "ms_per_step"]).dropna()
    logs, busy = np.log(runs["ms_per_step"].astype(float)), runs[NEIGHBOURS] > 0
    nodes = [runs[name] for name in (*CELL, "session.node")]
    more = logs[busy].groupby(nodes).mean() - logs[~busy].groupby(nodes).mean()
    ratios = np.exp(more.dropna().groupby(CELL).mean())
    cells = comparable(data.results.rows)
    return {cell: ratios[cell_key(cell)] for cell in cells if cell_key(cell) in ratios.index}
