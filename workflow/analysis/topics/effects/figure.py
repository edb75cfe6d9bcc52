"""What one thing changes: a panel for every question, a line for every row, a mark for every pair
of columns.
"""

from collections.abc import Iterator
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from analysis.comparisons.pairs import interval_of
from analysis.data import Data
from analysis.figures.panels import MOST_ROWS, WIDTH_IN, empty, log_ticks, note
from analysis.figures.style import INK, PUBLISHED, RULE, look
from analysis.formats.text import count
from analysis.statistics.intervals import MARGIN
from analysis.topics.effects.compute import PAIR, means
from analysis.topics.effects.compute import effects as effects_of
from analysis.topics.effects.section import gain

LINE_IN, GAP_IN = 0.2, 0.1  # a pair's line, and the space between two rows
AROUND_IN, LEGEND_LINE_IN = 1.04, 0.175  # title and axis of a panel, a line of its legend
MOST_PANELS = 8
MEAN = "geometric mean"
NARROW = 2.0
REACH = 4.0  # an interval may leave the picture beyond so many times the outermost ratio


def effects(data: Data) -> Figure:
    """Draw t(base) / t(new), logarithmic: what a row shows, and the geometric mean below."""
    found = [of for _, of in effects_of(data).groupby("effect")]
    if not found:
        return empty("no two columns of this table differ in one thing alone")
    drawn = found[:MOST_PANELS]
    sizes = [(_lines(effect), len(_pairs(effect))) for effect in drawn]
    inside_in = [lines * (GAP_IN + LINE_IN * pairs) for lines, pairs in sizes]
    total_in = sum(inside_in) + sum(AROUND_IN + LEGEND_LINE_IN * pairs for _, pairs in sizes)
    figure = Figure(figsize=(WIDTH_IN, total_in), layout="constrained")
    panels = figure.subplots(len(drawn), squeeze=False, height_ratios=inside_in)[:, 0]
    for axes, effect in zip(panels, drawn, strict=True):
        _panel(axes, effect)
    if left_out := _left_out(found):
        note(figure, left_out)
    return figure


def _pairs(effect: pd.DataFrame) -> list[pd.DataFrame]:
    """Return the rows of each pair that are drawn."""
    return [pair.head(MOST_ROWS) for _, pair in effect.groupby(PAIR, sort=False)]


def _lines(effect: pd.DataFrame) -> int:
    return len(_pairs(effect)[0]) + 1  # the mean's


def _left_out(found: list[pd.DataFrame]) -> str:
    """Say which rows and questions do not fit."""
    rows = len(found[0][["model", "task", "batch_size"]].drop_duplicates())
    parts = []
    if len(found) > MOST_PANELS:
        parts.append(f"The first {MOST_PANELS} of {len(found)} questions.")
    if rows > MOST_ROWS:
        parts.append(f"The first {MOST_ROWS} of {rows:,} rows.")
    return " ".join([*parts, "effects.csv has them all."]) if parts else ""


def _panel(axes: Axes, effect: pd.DataFrame) -> None:
    pairs, mean = _pairs(effect), list(means(effect).itertuples())
    rows = [cell.row for cell in pairs[0]["base_cell"]]
    axes.set_ylim(len(rows) + 0.5, -0.5)
    labels = [f"{row.title}, batch {row.batch_size}" for row in rows]
    axes.set_yticks(range(len(rows) + 1), [*labels, MEAN])
    axes.tick_params(labelsize=8.5)
    axes.grid(axis="y", visible=False)
    _scale(axes, [*effect.itertuples(), *mean])
    axes.axvspan(1 / (1 + MARGIN), 1 + MARGIN, color=RULE, linewidth=0, zorder=0.8)
    axes.axvline(1, color=INK, linewidth=0.8, zorder=0.9)
    axes.axhline(len(rows) - 0.5, color=RULE, linewidth=0.6)
    axes.set_xlabel("t(base) / t(new)", fontsize=8.5)
    handles = []
    for place, (pair, of_pair) in enumerate(zip(pairs, mean, strict=True)):
        style = look(pair["new_cell"].iloc[0].column)
        mark = {"color": style.colour, "marker": style.marker, "markersize": 5.5}
        shift = (place - (len(pairs) - 1) / 2) * LINE_IN / (GAP_IN + LINE_IN * len(pairs))
        _marks(axes, pair, of_pair, shift, mark)
        against = f"{of_pair.new_title} against {of_pair.base_title}"
        handles.append(Line2D([], [], linestyle="", **mark, label=against))
    placed = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0.1}
    axes.legend(handles=handles, fontsize=8.5, labelspacing=0.2, handletextpad=0.3, **placed)
    axes.set_title(effect["question"].iloc[0], pad=72 * LEGEND_LINE_IN * len(pairs) + 7)


def _scale(axes: Axes, lines: list[Any]) -> None:
    """Show all ratios, their intervals as far as these are sensible, and 1. Ticks are plain
    numbers; where a few per cent fill the panel, as evenly as on a linear axis.
    """
    ends = [end for line in lines if pd.notna(line.speedup) for end in _ends(line)]
    low, high = min([0.9, *ends]) / 1.06, max([1.1, *ends]) * 1.06
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    log_ticks(axes.xaxis, low, high)
    if high / low < NARROW:
        axes.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))


def _ends(line: Any) -> Iterator[float]:
    yield line.speedup
    if interval := interval_of(line):
        yield max(interval.low, line.speedup / REACH)
        yield min(interval.high, line.speedup * REACH)


def _marks(axes: Axes, pair: pd.DataFrame, mean: Any, shift: float, mark: dict[str, Any]) -> None:
    """Draw a pair, a little above or below the middle of each line."""
    for place, found in enumerate(pair.itertuples()):
        if pd.notna(found.speedup):
            _point(axes, place + shift, found, mark, gain(found))
        else:
            cells = (found.base_cell, found.new_cell)
            status = next((cell.status for cell in cells if not cell.ok_runs), "no round")
            _write_beside(axes, place + shift, status, PUBLISHED)
    if mean.rows:
        _point(axes, len(pair) + shift, mean, mark, f"{gain(mean)}, {count(mean.rows, 'row')}")


def _point(axes: Axes, line: float, found: Any, mark: dict[str, Any], text: str) -> None:
    if interval := interval_of(found):
        axes.plot([interval.low, interval.high], [line, line], color=mark["color"], linewidth=1.4)
    axes.plot(found.speedup, line, linestyle="", zorder=3, **mark)
    _write_beside(axes, line, text, INK)


def _write_beside(axes: Axes, line: float, text: str, colour: str) -> None:
    place = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points", "va": "center"}
    axes.annotate(
        text, (1, line), (7, 0), color=colour, fontsize=8.5, annotation_clip=False, **place
    )
