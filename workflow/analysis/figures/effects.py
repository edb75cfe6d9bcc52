"""What one thing changes: a panel for every question, a line for every row, a mark for every pair
of columns.
"""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from analysis.comparisons.effects import Effect, PairEffect, effects_of
from analysis.comparisons.gains import gain_text
from analysis.data import Data
from analysis.figures.panels import MOST_ROWS, WIDTH_IN, empty, log_ticks, note
from analysis.figures.style import INK, PUBLISHED, RULE, look
from analysis.formats.text import count
from analysis.results.plan import Column
from analysis.statistics.intervals import MARGIN, Interval

LINE_IN, GAP_IN = 0.2, 0.1  # a pair's line, and the space between two rows
ABOVE_IN, LEGEND_LINE_IN, BELOW_IN = 0.42, 0.175, 0.62
RIGHT_IN = 2.8
MOST_PANELS = 8
MEAN = "geometric mean"
NARROW = 2.0
REACH = 4.0  # an interval may leave the picture beyond so many times the outermost ratio
LABEL = {"textcoords": "offset points", "va": "center", "fontsize": 8.5}


def effects(data: Data) -> Figure:
    """t(base) / t(new), logarithmic: what a row shows, and the geometric mean below."""
    results = data.results
    found = effects_of(results)
    if not found:
        return empty("no two columns of this table differ in one thing alone")
    drawn = found[:MOST_PANELS]
    heights_in = [_height_in(effect) for effect in drawn]
    left_out = _left_out(found)
    total_in = sum(heights_in) + (0.3 if left_out else 0)
    figure = Figure(figsize=(WIDTH_IN, total_in))
    top_in, left_in = total_in, _left_in(drawn[0])
    for effect, height_in in zip(drawn, heights_in, strict=True):
        head_in = ABOVE_IN + LEGEND_LINE_IN * len(effect.pairs)
        inside_in = height_in - head_in - BELOW_IN
        bottom_in = top_in - head_in - inside_in
        width = (WIDTH_IN - left_in - RIGHT_IN) / WIDTH_IN
        box = (left_in / WIDTH_IN, bottom_in / total_in, width, inside_in / total_in)
        _panel(figure.add_axes(box), effect)
        top_in -= height_in
    if left_out:
        note(figure, left_out)
    return figure


def _height_in(effect: Effect) -> float:
    lines = len(_rows(effect)) + 1  # the mean's
    inside_in = lines * (GAP_IN + LINE_IN * len(effect.pairs))
    return ABOVE_IN + LEGEND_LINE_IN * len(effect.pairs) + inside_in + BELOW_IN


def _left_in(effect: Effect) -> float:
    """Room for the longest title of a row."""
    return min(0.3 + 0.075 * max(map(len, [MEAN, *_rows(effect)])), 3.2)


def _rows(effect: Effect) -> list[str]:
    """Titles of the rows that are drawn."""
    rows = [found.row.row for found in effect.pairs[0].comparisons[:MOST_ROWS]]
    return [f"{row.title}, batch {row.batch_size}" for row in rows]


def _left_out(found: list[Effect]) -> str:
    """A note on the rows and pairs that do not fit."""
    rows = len(found[0].pairs[0].comparisons)
    parts = []
    if len(found) > MOST_PANELS:
        parts.append(f"The first {MOST_PANELS} of {len(found)} questions.")
    if rows > MOST_ROWS:
        parts.append(f"The first {MOST_ROWS} of {rows:,} rows.")
    return " ".join([*parts, "effects.csv has them all."]) if parts else ""


def _panel(axes: Axes, effect: Effect) -> None:
    rows, pairs = _rows(effect), len(effect.pairs)
    axes.set_ylim(len(rows) + 0.5, -0.5)
    axes.set_yticks(range(len(rows) + 1), [*rows, MEAN])
    axes.tick_params(labelsize=8.5)
    axes.grid(axis="y", visible=False)
    axes.set_xscale("log")
    low, high = _span(effect)
    axes.set_xlim(low, high)
    _ticks(axes.xaxis, low, high)
    axes.axvspan(1 / (1 + MARGIN), 1 + MARGIN, color=RULE, linewidth=0, zorder=0.8)
    axes.axvline(1, color=INK, linewidth=0.8, zorder=0.9)
    axes.axhline(len(rows) - 0.5, color=RULE, linewidth=0.6)
    axes.set_xlabel("t(base) / t(new)", fontsize=8.5)
    for place, pair in enumerate(effect.pairs):
        _pair(axes, pair, (place - (pairs - 1) / 2) * LINE_IN / (GAP_IN + LINE_IN * pairs))
    handles = [
        Line2D([], [], linestyle="", **_mark(pair.pair.new), label=_against(pair))
        for pair in effect.pairs
    ]
    placed = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0.1}
    axes.legend(handles=handles, fontsize=8.5, labelspacing=0.2, handletextpad=0.3, **placed)
    above_points = 72 * LEGEND_LINE_IN * pairs + 7
    axes.set_title(effect.question.text, pad=above_points)


def _ticks(axis: Axis, low: float, high: float) -> None:
    """Plain numbers; where a few per cent fill the panel, as evenly as on a linear axis."""
    log_ticks(axis, low, high)
    if high / low < NARROW:
        axis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))


def _against(pair: PairEffect) -> str:
    return f"{pair.pair.new.title} against {pair.pair.base.title}"


def _pair(axes: Axes, pair: PairEffect, shift: float) -> None:
    """The marks of a pair, a little above or below the middle of each line."""
    mark = _mark(pair.pair.new)
    for place, found in enumerate(pair.comparisons[:MOST_ROWS]):
        if found.gain:
            _point(axes, place + shift, found.gain.ratio.value, found.gain.interval, mark)
        else:
            status = next((c.status for c in (found.base, found.new) if not c.ok_runs), "no round")
            _write_beside(axes, place + shift, status, PUBLISHED)
    if mean := pair.mean:
        of = f"{gain_text(mean.value, mean.interval)}, {count(len(mean.rows), 'row')}"
        line = len(pair.comparisons[:MOST_ROWS]) + shift
        _point(axes, line, mean.value, mean.interval, mark, of)


def _point(
    axes: Axes, line: float, ratio: float, interval: Interval | None, mark: dict, text: str = ""
) -> None:
    if interval:
        axes.plot([interval.low, interval.high], [line, line], color=mark["color"], linewidth=1.4)
    axes.plot(ratio, line, linestyle="", zorder=3, **mark)
    _write_beside(axes, line, text or gain_text(ratio, interval), INK)


def _write_beside(axes: Axes, line: float, text: str, colour: str) -> None:
    place = {"xycoords": ("axes fraction", "data"), "xytext": (7, 0), "color": colour}
    axes.annotate(text, (1, line), annotation_clip=False, **place, **LABEL)


def _mark(column: Column) -> dict:
    style = look(column)
    return {"color": style.colour, "marker": style.marker, "markersize": 5.5}


def _span(effect: Effect) -> tuple[float, float]:
    """Limits of the axis: all ratios, their intervals as far as these are sensible, and 1."""
    ends = [end for pair in effect.pairs for end in _ends(pair)]
    low, high = min([0.9, *ends]), max([1.1, *ends])
    return low / 1.06, high * 1.06


def _ends(pair: PairEffect) -> Iterator[float]:
    values = [(gain.ratio.value, gain.interval) for gain in pair.gains]
    if pair.mean:
        values.append((pair.mean.value, pair.mean.interval))
    for value, interval in values:
        yield value
        if interval:
            yield max(interval.low, value / REACH)
            yield min(interval.high, value * REACH)
