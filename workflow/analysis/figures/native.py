"""Gain of native code against its cost: a line of panels for every model around an operation, a
mark for every native way, over lines of code at the left and over seconds of building at the right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import ScaledTranslation

from analysis.comparisons.native import payoffs
from analysis.comparisons.native_ways import Way
from analysis.data import Data
from analysis.figures.legends import column_labels, legend_in, legend_of
from analysis.figures.panels import LINE_MARGINS, WIDTH_IN, empty, log_ticks, note, title
from analysis.figures.style import INK, RULE, look
from analysis.results.plan import Column
from analysis.results.results import Results
from analysis.results.rows import RowCells
from analysis.statistics.intervals import MARGIN, Ratio, Verdict

PANEL_IN = 2.0
MOST_PANELS = 12
REACH = 4.0  # an interval may leave the picture beyond so many times its ratio
NARROW = 1.2  # the least that an axis spans to each side, in times
MARK_PT = 7  # of a mark, and between two of the same cost
COSTS = ("lines of code", "seconds of building")


@dataclass(frozen=True)
class Point:
    """A native way, and its gain in the step over the best of its framework."""

    way: Way
    gain: Ratio

    @property
    def costs(self) -> tuple[float | None, float | None]:
        """In the order of COSTS; what was built in no time at all is not drawn."""
        return self.way.lines or None, self.way.build_s or None

    @property
    def ends(self) -> tuple[float, float]:
        """Of the interval, as far as it is sensible; without one the gain itself."""
        value, interval = self.gain.value, self.gain.interval
        if interval is None:
            return value, value
        return max(interval.low, value / REACH), min(interval.high, value * REACH)

    @property
    def shown(self) -> bool:
        """Whether its own interval lies beyond the margin."""
        return self.gain.verdict in (Verdict.FASTER, Verdict.SLOWER)


def native(data: Data) -> Figure:
    """t(best way of the framework) / t(native way) of a step; both axes logarithmic."""
    results = data.results
    found = points(results)
    if not found:
        return empty("no operation was measured in a native way beside one of its framework")
    drawn = list(found.items())[:MOST_PANELS]
    columns = list(dict.fromkeys(p.way.cell.column for _, of_row in drawn for p in of_row))
    figure, pairs = _panels(len(drawn), columns, left_out=len(found) > MOST_PANELS)
    for axes, (row, of_row) in zip(pairs, drawn, strict=True):
        _line(axes, row, of_row)
    legend_of(figure, columns)
    if len(found) > MOST_PANELS:
        text = f"The first {MOST_PANELS} of {len(found):,} rows; native.csv has them all."
        note(figure, text)
    return figure


def points(results: Results) -> dict[RowCells, list[Point]]:
    """By row; of rows with any."""
    found: dict[RowCells, list[Point]] = {}
    for payoff in payoffs(results):
        for way in payoff.ways.every:
            gain = payoff.step_of(way) if way.native else None
            if gain:
                found.setdefault(payoff.row, []).append(Point(way, gain))
    return found


def _panels(
    number: int, columns: Sequence[Column], left_out: bool
) -> tuple[Figure, list[tuple[Axes, Axes]]]:
    """Two beside each other for each row, placed in inches, with room for the legend."""
    margins = LINE_MARGINS
    above_in, note_in = legend_in(column_labels(columns)), 0.3 if left_out else 0.0
    line_in = margins.above + PANEL_IN + margins.below
    total_in = above_in + number * line_in + note_in
    figure = Figure(figsize=(WIDTH_IN, total_in))
    width_in = (WIDTH_IN - margins.left - margins.right - margins.between) / len(COSTS)
    pairs = []
    for line in range(number):
        bottom_in = note_in + (number - 1 - line) * line_in + margins.below
        of_line = []
        for place in range(len(COSTS)):
            left_in = margins.left + place * (width_in + margins.between)
            box = (left_in / WIDTH_IN, bottom_in / total_in, width_in / WIDTH_IN)
            of_line.append(figure.add_axes((*box, PANEL_IN / total_in)))
        pairs.append(tuple(of_line))
    return figure, pairs


def _line(both: tuple[Axes, Axes], row: RowCells, found: list[Point]) -> None:
    low = min([1 / NARROW, *(point.ends[0] for point in found)])
    high = max([NARROW, *(point.ends[1] for point in found)])
    both[0].set_title(title(row))
    for place, axes in enumerate(both):
        axes.set(xscale="log", yscale="log", ylim=(low / 1.08, high * 1.08))
        axes.tick_params(labelsize=8.5)
        log_ticks(axes.yaxis, low, high)
        axes.axhspan(1 / (1 + MARGIN), 1 + MARGIN, color=RULE, linewidth=0, zorder=0.8)
        axes.axhline(1, color=INK, linewidth=0.8, zorder=0.9)
        axes.set_xlabel(COSTS[place], fontsize=8.5)
        axes.set_ylabel("gain of the step", fontsize=8.5)
        _marks(axes, list(_at(found, place)))


def _at(found: list[Point], place: int) -> Iterator[tuple[float, Point]]:
    return ((cost, point) for point in found if (cost := point.costs[place]))


def _marks(axes: Axes, found: list[tuple[float, Point]]) -> None:
    """A filled mark where the way's own interval lies beyond the margin, else an empty one."""
    if not found:
        place = {"transform": axes.transAxes, "ha": "center", "va": "center", "fontsize": 8.5}
        axes.text(0.5, 0.9, "nothing was built", **place)
        axes.set_xticks([])
        return
    costs = [cost for cost, _ in found]
    drawn = Counter[float]()
    for cost, point in found:
        aside_pt = beside(costs.count(cost))[drawn[cost]]
        drawn[cost] += 1
        offset = ScaledTranslation(aside_pt / 72, 0, axes.figure.dpi_scale_trans)
        style, place = look(point.way.cell.column), {"transform": axes.transData + offset}
        axes.plot([cost, cost], point.ends, color=style.colour, linewidth=1.2, **place)
        filled = style.colour if point.shown else "none"
        mark = {"marker": style.marker, "markersize": MARK_PT, "markeredgecolor": style.colour}
        mark |= {"markerfacecolor": filled, "linestyle": "", "zorder": 3}
        axes.plot(cost, point.gain.value, **mark, **place)
    low, high = min(costs) / NARROW, max(costs) * NARROW
    axes.set_xlim(low, high)
    log_ticks(axes.xaxis, low, high)


def beside(number: int) -> list[float]:
    """Points by which so many marks of one cost are drawn aside of it, so that all are seen."""
    return [MARK_PT * (place - (number - 1) / 2) for place in range(number)]
