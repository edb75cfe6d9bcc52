"""Every block of every run in the order in which they were really measured, with the canaries."""

from bisect import bisect_left
from datetime import datetime
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.data import Data
from analysis.figures.legends import legend, legend_in, of_columns
from analysis.figures.panels import WIDTH_IN, empty
from analysis.figures.style import INK, RULE
from analysis.results.canaries import Canary
from analysis.results.cells import Cell
from analysis.results.plan import Column
from analysis.results.runs import Run
from analysis.results.sessions import by_node, canaries_of
from analysis.statistics.intervals import MARGIN

BLOCKS_IN, CANARIES_IN = 3.2, 2.2  # heights of the panels
LEAST_REACH = 3.0  # per cent; a quiet experiment is not blown up to look noisy
SHOWN_SHARE = 0.99  # of the blocks lie within the picture at least; the rest is counted
CANARY_MARKERS = "osD^v"
MOST_MARKS = 20_000  # more are drawn as pixels: as shapes they would take megabytes of a page

Measured = list[tuple[Cell, Run]]


def blocks(data: Data) -> Figure:
    """Draw above the blocks as deviations from the mean of their cell; below, a panel per
    accelerator with the canaries as deviations from the first of their node.
    """
    results = data.results
    runs = [(cell, run) for cell, run in results.runs if run.ok]
    runs.sort(key=lambda pair: (_moment(pair[1]), pair[1].position))
    if not runs:
        return empty("no run has a time yet")
    kinds = list(dict.fromkeys(kind for s in results.sessions for kind in s.canaries)) or [""]
    handles, ratios = of_columns(results.plan.columns), (BLOCKS_IN, *[CANARIES_IN] * len(kinds))
    height_in = sum(ratios) + legend_in(handles)
    figure = Figure(figsize=(WIDTH_IN, height_in), layout="constrained")
    every = figure.subplots(len(ratios), 1, sharex=True, height_ratios=ratios)
    for axes in every:
        axes.grid(axis="x", visible=False)
    _blocks(every[0], runs)
    if len(results.machine_cards) < 2:  # nodes measure rounds beside each other
        numbers = np.array([run.number for _, run in runs])
        for place in np.flatnonzero(np.diff(numbers)):  # the last run of a round
            for axes in every:
                axes.axvline(place + 0.5, color=RULE, linewidth=1)
    moments = [_moment(run) for _, run in runs]
    for axes, kind in zip(every[1:], kinds, strict=True):
        of_nodes = [canaries_of(of, kind) for of in by_node(results.sessions).values()]
        axes.set_title(f"Canaries: the same work{kind and f' on {kind}'} between the sessions")
        axes.set_ylabel("vs. first canary (%)")
        _canaries(axes, of_nodes, moments)
    every[-1].set_xlabel("runs in the order in which they were started")
    every[0].set_xlim(-1, len(runs))
    legend(figure, handles)
    return figure


def _moment(run: Run) -> datetime:
    return datetime.fromisoformat(run.record.started_at)


def _blocks(axes: Axes, runs: Measured) -> None:
    """Draw the blocks: all runs are equally wide, and the blocks of a run stand side by side."""
    drawn: dict[Column, tuple[list[float], list[float]]] = {}
    for place, (cell, run) in enumerate(runs):
        xs, ys = drawn.setdefault(cell.column, ([], []))
        found = run.record.timing.blocks
        xs += [place - 0.5 + (index + 0.5) / len(found) for index in range(len(found))]
        ys += [100 * (block.step_ms / cell.step_ms - 1) for block in found]
    everything = sorted(abs(y) for _, ys in drawn.values() for y in ys)
    marks = {"markersize": 2.6, "markeredgewidth": 0.5, **_as_pixels(len(everything))}
    for column, (xs, ys) in drawn.items():
        axes.plot(xs, ys, column.marker, color=column.colour, **marks)
    reach = max(LEAST_REACH, 1.1 * everything[int(SHOWN_SHARE * (len(everything) - 1))])
    outside = sum(y > reach for y in everything)
    axes.set_ylim(-reach, reach)
    axes.axhline(0, color=INK, linewidth=0.8)
    axes.set_ylabel("stretch vs. mean of cell (%)")
    outside_text = f"{outside:,} of {len(everything):,} stretches lie outside" if outside else ""
    axes.set_title(outside_text, loc="right", fontsize=9, fontweight="normal")
    axes.set_title("Stretches of steps")


def _as_pixels(marks: int) -> dict[str, bool]:
    return {"rasterized": True} if marks > MOST_MARKS else {}


def _canaries(axes: Axes, of_nodes: list[list[Canary]], moments: list[datetime]) -> None:
    """Draw a line per node and kind of work, or write why there is none."""
    good = [[canary for canary in found if canary.ok] for found in of_nodes]
    measured = [found for found in good if found]
    if not measured:
        reasons = (canary.reason for found in of_nodes for canary in found)
        reason = "not measured: " + next(reasons, "no file")
        axes.text(0.5, 0.5, reason, transform=axes.transAxes, ha="center", va="center")
        axes.set_yticks([])
        return
    axes.axhspan(-100 * MARGIN, 100 * MARGIN, color=RULE, alpha=0.35, linewidth=0)
    alpha = 0.75 if len(measured) == 1 else 0.45
    style: dict[str, Any] = {"color": INK, "alpha": alpha, "linewidth": 1}
    style |= _as_pixels(sum(len(canary.durations) for found in measured for canary in found))
    for node, found in enumerate(measured):
        xs = [bisect_left(moments, canary.started_at) - 0.5 for canary in found]
        for index, (name, first) in enumerate(found[0].durations.items()):
            times = [canary.durations.get(name) for canary in found]
            ys = [100 * (time / first - 1) if time else float("nan") for time in times]
            marker = CANARY_MARKERS[index % len(CANARY_MARKERS)]
            axes.plot(xs, ys, marker=marker, label=None if node else name, **style)
    low, high = axes.get_ylim()
    axes.set_ylim(min(low, -LEAST_REACH), max(high, LEAST_REACH))
    axes.legend(loc="upper left", bbox_to_anchor=(0, -0.22), ncols=4, fontsize=8.5)
