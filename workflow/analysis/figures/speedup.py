"""Speed-up of the best Keras 3 column, as bars, with the published one as a labelled marker."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from analysis.comparisons.gains import Gain
from analysis.comparisons.speedups import Speedup, speedups
from analysis.data import Data
from analysis.figures.panels import NOTHING, WIDTH_IN, note_left_out, shown, write_beside
from analysis.figures.style import INK, PUBLISHED
from analysis.formats.text import times

ROW_INCHES = 0.7
PUBLISHED_MARKER = {"marker": "d", "color": PUBLISHED, "markerfacecolor": "white", "markersize": 8}

# in a row, our bar stands above the published marker, so that each has its number beside it
OURS_ABOVE, PUBLISHED_BELOW = 0.12, 0.27
LABEL = {"textcoords": "offset points", "va": "center", "fontsize": 9.5}


def speedup_over_keras2(data: Data) -> Figure:
    """The best of Keras 3 over Keras 2, row by row."""
    return _figure(data, "keras2", "Keras 2")


def speedup_over_pytorch(data: Data) -> Figure:
    """The best of Keras 3 over the best of plain PyTorch, row by row."""
    return _figure(data, "pytorch", "best plain PyTorch")


def _figure(data: Data, family: str, base: str) -> Figure:
    results, reference = data.results, data.reference
    entries = speedups(shown(results.rows), family, reference)
    height_in = 1.5 + ROW_INCHES * max(len(entries), 1)
    figure = Figure(figsize=(WIDTH_IN, height_in), layout="constrained")
    note_left_out(figure, results.rows)
    axes = figure.subplots()
    if not any(entry.gain for entry in entries):
        axes.set_gid(NOTHING)
    for place, entry in enumerate(entries):
        _bar(axes, place, entry)
    axes.set_yticks(range(len(entries)), [_label(entry) for entry in entries])
    axes.set_ylim(len(entries) - 0.4, -0.6)
    axes.grid(axis="y", visible=False)
    axes.axvline(1, color=INK, linewidth=1, zorder=0.9)
    reach = [number for entry in entries for number in (_reach(entry.gain), entry.published or 0.0)]
    axes.set_xlim(0, 1.15 * max([1.6, *reach]))
    axes.set_xlabel(f"t({base}) / t(best Keras 3); beyond 1, Keras 3 is faster")
    if any(entry.published for entry in entries):
        marker = Line2D([], [], linestyle="", **PUBLISHED_MARKER)
        label = f"published, on {reference.hardware_short}"
        figure.legend([marker], [label], loc="outside upper right")
    return figure


def _reach(gain: Gain | None) -> float:
    """The rightmost point of our bar; an absurdly wide interval may leave the picture."""
    if gain is None:
        return 0.0
    high = min(gain.interval.high, 2 * gain.value) if gain.interval else 0.0
    return max(gain.value, high)


def _label(entry: Speedup) -> str:
    """The row, and which columns were the fastest of the two families in it."""
    row, gain = entry.row.row, entry.gain
    compared = f"\n{gain.new.column.title} over {gain.base.column.title}" if gain else ""
    return f"{row.heading}{compared}"


def _bar(axes: Axes, place: int, entry: Speedup) -> None:
    line = place - OURS_ABOVE
    if gain := entry.gain:
        column, text = gain.new.column, times(gain.value)
        if gain.without_luck is not None:
            text += f"\n{times(gain.without_luck)} without luck"
        fill = {"color": column.colour, "hatch": column.hatch, "edgecolor": INK, "linewidth": 0.6}
        if ends := gain.interval:
            fill["xerr"] = [[gain.value - ends.low], [ends.high - gain.value]]
        whisker = {"elinewidth": 1.3, "ecolor": INK}
        axes.barh(line, gain.value, height=0.44, capsize=4, error_kw=whisker, **fill)
        write_beside(axes, line, text, color=INK)  # where no whisker ends
    else:
        label = axes.annotate(f"no ratio ({entry.missing})", (0, line), xytext=(8, 0), **LABEL)
        label.set_in_layout(False)  # long words may leave the picture, but never squeeze it
    if entry.published:
        point = (entry.published, place + PUBLISHED_BELOW)
        axes.plot(*point, linestyle="", zorder=4, **PUBLISHED_MARKER)
        axes.annotate(times(entry.published), point, xytext=(8, 0), **LABEL, color=PUBLISHED)
