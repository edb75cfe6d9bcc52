"""What one thing changes: a panel for every question, a line for every row, a mark for every pair
of columns.
"""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from analysis.data import ROW, Data
from analysis.figures.panels import MOST_ROWS, SMALL, WIDTH_IN, empty, log_scale, write_beside
from analysis.figures.style import INK, PUBLISHED, RULE
from analysis.formats.text import count
from analysis.statistics.intervals import MARGIN
from analysis.tables.model import badge
from analysis.topics.effects import compute
from analysis.topics.effects.compute import ENDS, PAIR, gain, means
from analysis.topics.effects.table import MEAN

LINE_IN, GAP_IN = 0.2, 0.1  # a pair's line, and the space between two rows
AROUND_IN, LEGEND_LINE_IN = 1.04, 0.175  # title and axis of a panel, a line of its legend
MOST_PANELS = 8
NARROW = 2.0
REACH = 4.0  # an interval may leave the picture beyond so many times the outermost ratio


def effects(data: Data) -> Figure:
    """Draw t(base) / t(new), logarithmic: what a row shows, and the geometric mean below."""
    every = compute.effects(data)
    if every.empty:
        return empty("no two columns of this table differ in one thing alone")
    drawn = every[every["effect"] <= MOST_PANELS]
    rows = len(every.drop_duplicates(ROW))
    numbers = drawn.drop_duplicates(PAIR).groupby("effect").size()  # of pairs
    inside_in = (min(rows, MOST_ROWS) + 1) * (GAP_IN + LINE_IN * numbers)
    total_in = (inside_in + AROUND_IN + LEGEND_LINE_IN * numbers).sum()
    figure = Figure(figsize=(WIDTH_IN, total_in), layout="constrained")
    panels = figure.subplots(len(numbers), squeeze=False, height_ratios=inside_in)[:, 0]
    for axes, (_, effect) in zip(panels, drawn.groupby("effect"), strict=True):
        _panel(axes, effect)
    left_out = [
        f"The first {most} of {number:,} {what}."
        for what, most, number in (
            ("questions", MOST_PANELS, every["effect"].max()),
            ("rows", MOST_ROWS, rows),
        )
        if number > most
    ]
    if left_out:
        figure.supxlabel(" ".join([*left_out, "effects.csv has them all."]), fontsize=9)
    return figure


def _panel(axes: Axes, effect: pd.DataFrame) -> None:
    mean = means(effect)
    pairs = [pair.head(MOST_ROWS) for _, pair in effect.groupby(PAIR, sort=False)]
    rows = [cell.row for cell in pairs[0]["base_cell"]]
    axes.set_ylim(len(rows) + 0.5, -0.5)
    labels = [row.heading for row in rows]
    axes.set_yticks(range(len(rows) + 1), [*labels, MEAN])
    axes.tick_params(labelsize=SMALL)
    axes.grid(axis="y", visible=False)
    _scale(axes, pd.concat([effect, mean], ignore_index=True))
    axes.axvspan(1 / (1 + MARGIN), 1 + MARGIN, color=RULE, linewidth=0, zorder=0.8)
    axes.axvline(1, color=INK, linewidth=0.8, zorder=0.9)
    axes.axhline(len(rows) - 0.5, color=RULE, linewidth=0.6)
    axes.set_xlabel("t(base) / t(new)", fontsize=SMALL)
    handles = []
    for place, (pair, of_pair) in enumerate(zip(pairs, mean.itertuples(), strict=True)):
        column = pair["new_cell"].iloc[0].column
        mark = {"color": column.colour, "marker": column.marker, "markersize": 5.5}
        shift = (place - (len(pairs) - 1) / 2) * LINE_IN / (GAP_IN + LINE_IN * len(pairs))
        for line, found in enumerate(pair.itertuples()):
            _point(axes, line + shift, found, mark, gain(found))
        if of_pair.rows:
            text = f"{gain(of_pair)}, {count(of_pair.rows, 'row')}"
            _point(axes, len(rows) + shift, of_pair, mark, text)
        against = f"{of_pair.new_title} against {of_pair.base_title}"
        handles.append(Line2D([], [], linestyle="", **mark, label=against))
    title = {"alignment": "left", "title_fontproperties": {"weight": "bold", "size": 11}}
    placed = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0.1}
    spaced = {"fontsize": SMALL, "labelspacing": 0.2, "handletextpad": 0.3}
    question = effect["question"].iloc[0]
    axes.legend(handles=handles, title=question, **title, **placed, **spaced)


def _scale(axes: Axes, found: pd.DataFrame) -> None:
    """Show all ratios, their intervals as far as these are sensible, and 1. Ticks are plain
    numbers; where a few per cent fill the panel, as evenly as on a linear axis.
    """
    ratio = found["speedup"]
    low, high = (found[end].fillna(ratio) for end in ENDS)
    low = min(0.9, low.clip(lower=ratio / REACH).min()) / 1.06
    high = max(1.1, high.clip(upper=ratio * REACH).max()) * 1.06
    log_scale(axes.xaxis, low, high)
    if high / low < NARROW:
        axes.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))


def _point(axes: Axes, line: float, found: Any, mark: dict[str, Any], text: str) -> None:
    """Draw a ratio with its interval, or say why there is none."""
    if pd.isna(found.speedup):
        cells = (found.base_cell, found.new_cell)
        why = (badge(cell) if cell.ok_runs else cell.status for cell in cells)
        write_beside(axes, line, next(filter(None, why), "no round"), color=PUBLISHED)
        return
    axes.plot([found.ci95_low, found.ci95_high], [line, line], color=mark["color"], linewidth=1.4)
    axes.plot(found.speedup, line, linestyle="", zorder=3, **mark)
    write_beside(axes, line, text, color=INK)
