"""ms/step of one net in several sizes on processor and GPU, and where the two lines cross."""

import textwrap

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.data import Data
from analysis.figures.panels import COLUMNS, WIDTH_IN, empty, log_ticks, note, plot_cell
from analysis.figures.style import INK, RULE
from analysis.topics.cross_over.compute import sweeps, words

LINE_IN = 3.2  # of panels, with what stands above and below them
MOST_PANELS = 20
LINE_CHARACTERS = 50  # of the two that stand below a title


def cross_over(data: Data) -> Figure:
    """Draw a panel per framework, net, task and batch size, both axes logarithmic."""
    found = [(sweep, measured) for sweep, measured in sweeps(data) if len(measured)]
    if not found:
        return empty("no net was measured in several sizes, for a processor beside a GPU")
    drawn = found[:MOST_PANELS]
    lines = -(-len(drawn) // COLUMNS)
    figure = Figure(figsize=(WIDTH_IN, lines * LINE_IN), layout="constrained")
    panels = list(figure.subplots(lines, COLUMNS, squeeze=False).flat)
    for axes, (sweep, measured) in zip(panels, drawn, strict=False):
        _panel(axes, sweep, measured)
    for axes in panels[len(drawn) :]:
        axes.remove()
    if len(found) > MOST_PANELS:
        text = f"The first {MOST_PANELS} of {len(found):,} sweeps; cross_over.csv has them all."
        note(figure, text)
    return figure


def _panel(axes: Axes, sweep: pd.Series, measured: pd.DataFrame) -> None:
    axes.set(xscale="log", yscale="log")
    axes.tick_params(labelsize=8.5)
    times = [time for side in ("base", "new") for time in _line(axes, measured, side)]
    low, high = measured["parameters"].min() / 1.3, measured["parameters"].max() * 1.3
    axes.set_xlim(low, high)
    log_ticks(axes.xaxis, low, high)
    axes.xaxis.set_major_formatter(lambda size, _: _short(size))
    log_ticks(axes.yaxis, min(times), max(times))
    axes.set_xlabel("parameters", fontsize=8.5)
    axes.set_ylabel("ms/step", fontsize=8.5)
    axes.legend(loc="upper left", fontsize=8.5, labelspacing=0.2)
    axes.set_title(sweep.label, pad=32)
    lines = textwrap.wrap(words(sweep), LINE_CHARACTERS, max_lines=2, placeholder="…")
    place = {"xycoords": "axes fraction", "xytext": (0, 5), "textcoords": "offset points"}
    axes.annotate("\n".join(lines), (0, 1), fontsize=8.5, annotation_clip=False, **place)
    if pd.notna(sweep.ci95_low):
        ends = (max(sweep.ci95_low, low), min(sweep.ci95_high, high))
        axes.axvspan(*ends, color=RULE, alpha=0.4, linewidth=0, zorder=0)
    if pd.notna(sweep.parameters):
        axes.axvline(sweep.parameters, color=INK, linewidth=1, zorder=0.9)


def _line(axes: Axes, measured: pd.DataFrame, side: str) -> list[float]:
    """Draw the cells of a column that have a time; return their times."""
    timed = measured.dropna(subset=f"{side}_ms_per_step")
    times = timed[f"{side}_ms_per_step"].tolist()
    if times:
        cell = timed[f"{side}_cell"].iloc[0]
        plot_cell(axes, cell, timed["parameters"].tolist(), times)
        axes.lines[-1].set_label(cell.column.title)
    return times


def _short(parameters: float) -> str:
    """'200k', '2M'."""
    return f"{parameters / 1e6:g}M" if parameters >= 1e6 else f"{parameters / 1e3:g}k"
