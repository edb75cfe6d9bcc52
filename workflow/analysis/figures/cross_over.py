"""ms/step of one net in several sizes on processor and GPU, and where the two lines cross."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.comparisons.cross_over import Sweep, sweeps
from analysis.data import Data
from analysis.figures.panels import (
    COLUMNS,
    LINE_MARGINS,
    WIDTH_IN,
    empty,
    log_ticks,
    note,
    plot_cell,
)
from analysis.figures.style import INK, RULE

PANEL_IN = 1.9
MOST_PANELS = 20
LINE_CHARACTERS = 60  # of what stands below a title


def cross_over(data: Data) -> Figure:
    """A panel per framework, net, task and batch size, both axes logarithmic."""
    results = data.results
    found = [sweep for sweep in sweeps(results) if sweep.sizes]
    if not found:
        return empty("no net was measured in several sizes, for a processor beside a GPU")
    drawn = found[:MOST_PANELS]
    figure, panels = _panels(len(drawn), left_out=len(found) > MOST_PANELS)
    for axes, sweep in zip(panels, drawn, strict=True):
        _panel(axes, sweep)
    if len(found) > MOST_PANELS:
        text = f"The first {MOST_PANELS} of {len(found):,} sweeps; cross_over.csv has them all."
        note(figure, text)
    return figure


def _panels(number: int, left_out: bool) -> tuple[Figure, list[Axes]]:
    """Placed in inches, two beside each other."""
    margins, above_in = LINE_MARGINS, 0.62  # two lines above each panel
    lines = -(-number // COLUMNS)
    line_in = above_in + PANEL_IN + margins.below
    note_in = 0.3 if left_out else 0
    total_in = lines * line_in + note_in
    figure = Figure(figsize=(WIDTH_IN, total_in))
    width_in = (WIDTH_IN - margins.left - margins.right - margins.between) / COLUMNS
    panels = []
    for place in range(number):
        line, column = divmod(place, COLUMNS)
        left_in = margins.left + column * (width_in + margins.between)
        bottom_in = note_in + (lines - 1 - line) * line_in + margins.below
        box = (left_in / WIDTH_IN, bottom_in / total_in, width_in / WIDTH_IN, PANEL_IN / total_in)
        panels.append(figure.add_axes(box))
    return figure, panels


def _panel(axes: Axes, sweep: Sweep) -> None:
    axes.set(xscale="log", yscale="log")
    axes.tick_params(labelsize=8.5)
    times = [*_line(axes, sweep, "base"), *_line(axes, sweep, "new")]
    sizes = [size.parameters for size in sweep.sizes]
    low, high = sizes[0] / 1.3, sizes[-1] * 1.3
    axes.set_xlim(low, high)
    log_ticks(axes.xaxis, low, high)
    axes.xaxis.set_major_formatter(lambda size, _: _short(size))
    log_ticks(axes.yaxis, min(times), max(times))
    axes.set_xlabel("parameters", fontsize=8.5)
    axes.set_ylabel("ms/step", fontsize=8.5)
    axes.legend(loc="upper left", fontsize=8.5, labelspacing=0.2)
    axes.set_title(sweep.label, pad=18)
    words = textwrap.shorten(sweep.words, LINE_CHARACTERS, placeholder="…")
    place = {"xycoords": "axes fraction", "xytext": (0, 5), "textcoords": "offset points"}
    axes.annotate(words, (0, 1), fontsize=8.5, annotation_clip=False, **place)
    found = sweep.found
    if found is None:
        return
    if found.interval:
        ends = (max(found.interval.low, low), min(found.interval.high, high))
        axes.axvspan(*ends, color=RULE, alpha=0.4, linewidth=0, zorder=0)
    if found.in_range:
        axes.axvline(found.size, color=INK, linewidth=1, zorder=0.9)


def _line(axes: Axes, sweep: Sweep, side: str) -> Sequence[float]:
    """Draw a column's cells that have a time; their times."""
    cells = [(size.parameters, getattr(size.comparison, side)) for size in sweep.sizes]
    measured = [(parameters, cell) for parameters, cell in cells if cell.ok_runs]
    times = [cell.step_ms for _, cell in measured]
    if measured:
        cell = measured[0][1]
        plot_cell(axes, cell, [parameters for parameters, _ in measured], times)
        axes.lines[-1].set_label(cell.column.title)
    return times


def _short(parameters: float) -> str:
    """'200k', '2M'."""
    return f"{parameters / 1e6:g}M" if parameters >= 1e6 else f"{parameters / 1e3:g}k"
