"""Every cell over the fastest of its row: the table as a picture, on the first page.

One hue from light to dark, so that grey paper and colour-blind readers see the same order; the
numbers are in the cells, and frames, not colours, mark the best set.
"""

import math
import textwrap

from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from analysis.data import Data
from analysis.figures.panels import empty, note_left_out, shown
from analysis.figures.style import PUBLISHED, RULE
from analysis.formats.text import NA
from analysis.results.cells import Cell
from analysis.results.plan import Column
from analysis.results.rows import RowCells
from analysis.results.runs import UNSUPPORTED
from analysis.statistics.best_set import Standing

CELL_IN, LINE_IN = (0.7, 0.26), 0.13
CHARACTER_IN = 0.066  # of a row's name
TITLE_CHARACTERS = 13  # of a line above a column
DARKEST = 8.0  # times the fastest; what is slower is no darker
HUES = colormaps["Blues"]
WHITE_FROM = 0.72  # of the way to the darkest: from here on white digits are read better
INSET = 0.07  # of a frame within its cell, so that it shows on a dark page too
FRAMES = {Standing.BEST: "solid", Standing.UNDECIDED: (0, (2, 1.6))}
LEGEND = "1.00 is the fastest; frame: best or equal; dashed: undecided"
LEGEND_IN = 3.7  # its width, and so the least of the figure


def relative(data: Data) -> Figure:
    """A line per row, a box per column: time over that of the fastest."""
    results = data.results
    rows, columns = shown(results.rows), results.plan.columns
    if not any(row.measured for row in rows):
        return empty("nothing is measured yet")
    titles = [_title(column) for column in columns]
    left = 0.15 + CHARACTER_IN * max(len(row.row.label) for row in rows)
    above = 0.1 + LINE_IN * max(title.count("\n") + 1 for title in titles)
    below = 0.28 + (0.3 if len(results.rows) > len(rows) else 0)
    width, height = CELL_IN[0] * len(columns), CELL_IN[1] * len(rows)
    figure = Figure(figsize=(max(LEGEND_IN, left + width + 0.05), above + height + below))
    total_w, total_h = figure.get_size_inches()
    box = (left / total_w, below / total_h, width / total_w, height / total_h)
    axes = figure.add_axes(box)
    _frame(axes, titles, [row.row.label for row in rows])
    for line, row in enumerate(rows):
        for place, cell in enumerate(row.cells):
            _box(axes, place, line, cell, row)
    figure.text(0.06 / total_w, (below - 0.2) / total_h, LEGEND, fontsize=7.5)
    note_left_out(figure, results.rows)
    return figure


def _title(column: Column) -> str:
    """Above a column: a new line at the bracket and at each setting."""
    parts = column.title.replace(" (", "\n(").replace(", ", ",\n").split("\n")
    return "\n".join(line for part in parts for line in textwrap.wrap(part, TITLE_CHARACTERS))


def _frame(axes: Axes, titles: list[str], labels: list[str]) -> None:
    axes.set_xlim(0, len(titles))
    axes.set_ylim(len(labels), 0)
    axes.set_xticks([place + 0.5 for place in range(len(titles))], titles, fontsize=6.8)
    axes.set_yticks([line + 0.5 for line in range(len(labels))], labels, fontsize=8.5)
    axes.xaxis.tick_top()
    axes.tick_params(length=0, pad=3)
    axes.grid(visible=False)
    for spine in axes.spines.values():
        spine.set_visible(False)


def _box(axes: Axes, place: int, line: int, cell: Cell, row: RowCells) -> None:
    ratio = over_fastest(cell, row)
    centre = {"ha": "center", "va": "center"}
    if ratio is None:
        axes.add_patch(Rectangle((place, line), 1, 1, fill=False, edgecolor=RULE, linewidth=0.6))
        text = _without_ratio(cell)
        axes.text(place + 0.5, line + 0.5, text, fontsize=6.8, color=PUBLISHED, **centre)
        return
    share = min(1.0, max(0.0, math.log(ratio)) / math.log(DARKEST))
    axes.add_patch(Rectangle((place, line), 1, 1, facecolor=HUES(share), edgecolor="white"))
    standing = row.standings[cell.column.name]
    colour = "white" if share >= WHITE_FROM else "black"
    best = standing is Standing.BEST
    mark = "" if cell.comparable else "*"
    axes.text(
        *(place + 0.5, line + 0.5, f"{ratio:.2f}{mark}" if ratio < 99.5 else f"{ratio:.0f}{mark}"),
        **{"fontsize": 8.5, "color": colour, "weight": "bold" if best else "normal", **centre},
    )
    if standing in FRAMES:
        size = 1 - 2 * INSET
        axes.add_patch(
            Rectangle(
                (place + INSET, line + INSET),
                *(size, size),
                **{"fill": False, "edgecolor": colour, "linestyle": FRAMES[standing]},
                linewidth=1.3,
            )
        )


def over_fastest(cell: Cell, row: RowCells) -> float | None:
    """Its time over the lowest of those that are compared, or of all undisturbed ones where none
    is; None without a number that is worth one.
    """
    found = [other for other in row.measured if not other.disturbed]
    base = [other for other in found if other.comparable] or found
    if not cell.ok_runs or cell.disturbed or not base:
        return None
    return cell.step_ms / min(other.step_ms for other in base)


def _without_ratio(cell: Cell) -> str:
    if cell.disturbed:
        return "disturbed"
    return NA if cell.status == UNSUPPORTED else cell.status.replace(" ", "\n")
