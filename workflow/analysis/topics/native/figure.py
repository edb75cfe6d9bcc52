"""Gain of native code against its cost: a line of panels for every model around an operation, a
mark for every native way, over lines of code at the left and over seconds of building at the right.
"""

from itertools import cycle

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import ScaledTranslation

from analysis.data import ROW, Data
from analysis.figures.legends import of_columns
from analysis.figures.panels import SMALL, empty, log_scale, row_panels, shown
from analysis.figures.style import INK, RULE
from analysis.statistics.intervals import MARGIN, Verdict
from analysis.topics.native.compute import GROUP, judged, ways
from analysis.topics.native.ways import NATIVE

PANEL_IN = 2.0
REACH = 4.0  # an interval may leave the picture beyond so many times its ratio
NARROW = 1.2  # the least that an axis spans to each side, in times
MARK_PT = 7  # of a mark, and between two of the same cost
DECIDED = (Verdict.FASTER, Verdict.SLOWER)
COSTS = {"lines": "lines of code", "build_s": "seconds of building"}


def native(data: Data) -> Figure:
    """Draw t(best way of the framework) / t(native way) of a step; both axes are logarithmic."""
    found = points(data)
    if found.empty:
        return empty("no operation was measured in a native way beside one of its framework")
    of_rows = dict(iter(found.groupby(ROW, sort=False)))
    rows = [row for row in data.results.rows if row.row.key in of_rows for _ in COSTS]
    drawn = pd.concat([of_rows[row.row.key] for row in shown(rows)])
    columns = list(dict.fromkeys(cell.column for cell in drawn["cell"]))
    figure, panels = row_panels(rows, PANEL_IN, of_columns(columns))
    for (axes, row), cost in zip(panels, cycle(COSTS), strict=False):
        _panel(axes, of_rows[row.row.key], cost)
    return figure


def points(data: Data) -> pd.DataFrame:
    """Return a line per native way, naive builds too, that has a gain in the step; `low` and `high`
    are the ends of its interval as far as they are drawn, without one the gain itself.
    """
    found = ways(data)
    with_best = found[found["best"] == NATIVE][GROUP]
    found = found[(found["written_as"] == NATIVE) & found["gain_step"].notna()]
    found = found.merge(with_best, on=GROUP)
    gain = found["gain_step"]
    low, high = (found[f"gain_step_ci95_{end}"].fillna(gain) for end in ("low", "high"))
    return found.assign(low=low.clip(lower=gain / REACH), high=high.clip(upper=gain * REACH))


def _panel(axes: Axes, found: pd.DataFrame, cost: str) -> None:
    low, high = min(1 / NARROW, found["low"].min()), max(NARROW, found["high"].max())
    log_scale(axes.yaxis, low / 1.08, high * 1.08)
    axes.axhspan(1 / (1 + MARGIN), 1 + MARGIN, color=RULE, linewidth=0, zorder=0.8)
    axes.axhline(1, color=INK, linewidth=0.8, zorder=0.9)
    axes.set_xlabel(COSTS[cost], fontsize=SMALL)
    axes.set_ylabel("gain of the step", fontsize=SMALL)
    if cost != "lines":
        axes.set_title("")  # of the line, at its left
    _marks(axes, found.assign(cost=found[cost].astype(float)).query("cost > 0"))


def _marks(axes: Axes, found: pd.DataFrame) -> None:
    """Draw a filled mark where the way's own interval lies beyond the margin, else an empty one;
    what was built in no time at all is not drawn.
    """
    if found.empty:
        place = {"transform": axes.transAxes, "ha": "center", "va": "center", "fontsize": SMALL}
        axes.text(0.5, 0.9, "nothing was built", **place)
        axes.set_xticks([])
        return
    log_scale(axes.xaxis, found["cost"].min() / NARROW, found["cost"].max() * NARROW)
    for _, alike in found.groupby("cost", sort=False):
        for point, aside_pt in zip(alike.itertuples(), beside(len(alike)), strict=True):
            offset = ScaledTranslation(aside_pt / 72, 0, axes.figure.dpi_scale_trans)
            column, place = point.cell.column, {"transform": axes.transData + offset}
            ends = [point.low, point.high]
            axes.plot([point.cost] * 2, ends, color=column.colour, linewidth=1.2, **place)
            shown = judged(point.gain_step_ci95_low, point.gain_step_ci95_high) in DECIDED
            mark = {"marker": column.marker, "markersize": MARK_PT, "linestyle": "", "zorder": 3}
            mark |= {"markeredgecolor": column.colour}
            mark |= {"markerfacecolor": column.colour if shown else "none"}
            axes.plot(point.cost, point.gain_step, **mark, **place)


def beside(number: int) -> list[float]:
    """Return points by which so many marks of one cost stand aside of it, so that all are seen."""
    return [MARK_PT * (place - (number - 1) / 2) for place in range(number)]
