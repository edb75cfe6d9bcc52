"""ms/step of one net in several sizes on processor and GPU, and where the two lines cross."""

import textwrap

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.data import Data
from analysis.figures.panels import SMALL, empty, grid, log_scale, plot_cell
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
    figure, panels = grid(min(len(found), MOST_PANELS), LINE_IN)
    for axes, of_sweep in zip(panels, found, strict=False):
        _panel(axes, *of_sweep)
    if len(found) > MOST_PANELS:
        text = f"The first {MOST_PANELS} of {len(found):,} sweeps; cross_over.csv has them all."
        figure.supxlabel(text, fontsize=9)
    return figure


def _panel(axes: Axes, sweep: pd.Series, measured: pd.DataFrame) -> None:
    times = []
    for side in ("base", "new"):
        timed = measured.dropna(subset=(column := f"{side}_ms_per_step"))
        if len(timed):
            plot_cell(axes, timed[f"{side}_cell"].iloc[0], timed["parameters"], timed[column])
            times += timed[column].tolist()
    low, high = measured["parameters"].min() / 1.3, measured["parameters"].max() * 1.3
    log_scale(axes.xaxis, low, high)
    log_scale(axes.yaxis, min(times) / 1.2, max(times) * 1.2)
    axes.set_xlabel("parameters", fontsize=SMALL)
    axes.set_ylabel("ms/step", fontsize=SMALL)
    axes.legend(loc="upper left", fontsize=SMALL, labelspacing=0.2)
    axes.set_title(sweep.label, pad=32)
    lines = textwrap.wrap(words(sweep), LINE_CHARACTERS, max_lines=2, placeholder="…")
    place = {"xycoords": "axes fraction", "xytext": (0, 5), "textcoords": "offset points"}
    axes.annotate("\n".join(lines), (0, 1), fontsize=SMALL, annotation_clip=False, **place)
    if pd.notna(sweep.ci95_low):
        ends = (max(sweep.ci95_low, low), min(sweep.ci95_high, high))
        axes.axvspan(*ends, color=RULE, alpha=0.4, linewidth=0, zorder=0)
    if pd.notna(sweep.parameters):
        axes.axvline(sweep.parameters, color=INK, linewidth=1, zorder=0.9)
