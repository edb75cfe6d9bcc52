"""Every cell over the fastest of its row: the table as a picture, on the first page.

One hue from light to dark, so that grey paper and colour-blind readers see the same order; the
numbers are in the cells, and frames, not colours, mark the best set.
"""

import math
import textwrap
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
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

# Titles stand upright and cells are narrow, since a narrow picture is the less reduced on the page.
CELL_IN, LINE_IN = (0.54, 0.26), 0.13
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
    every, columns = data.results.rows, data.results.plan.columns
    rows, titles = shown(every), [_title(column) for column in columns]
    if not any(row.measured for row in rows):
        return empty("nothing is measured yet")
    labels = [row.row.label for row in rows]
    lines = [title.split("\n") for title in titles]
    cell_in = max(CELL_IN[0], LINE_IN * max(map(len, lines)))
    wide_in = 0.2 + CHARACTER_IN * max(map(len, labels)) + cell_in * len(columns)
    high_in = 0.5 + CHARACTER_IN * max(len(line) for of_title in lines for line in of_title)
    high_in += CELL_IN[1] * len(rows) + (0.3 if len(every) > len(rows) else 0)
    figure = Figure(figsize=(max(LEGEND_IN, wide_in), high_in), layout="constrained")
    axes = figure.subplots()
    ratios = np.array([[_over_fastest(cell, row) for cell in row.cells] for row in rows], float)
    axes.pcolormesh(ratios, cmap=HUES, norm=LogNorm(1, DARKEST), edgecolors="white", linewidth=1)
    axes.set_xticks(np.arange(len(titles)) + 0.5, titles, fontsize=8, rotation=90)
    axes.set_yticks(np.arange(len(labels)) + 0.5, labels, fontsize=8.5)
    axes.invert_yaxis()
    axes.xaxis.tick_top()
    axes.tick_params(length=0, pad=3)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    for (line, place), ratio in np.ndenumerate(ratios):
        row = rows[line]
        _box(axes, (place, line), ratio, row.cells[place], row)
    note_left_out(figure, every)
    figure.supxlabel("\n".join(filter(None, [LEGEND, figure.get_supxlabel()])), fontsize=7.5)
    return figure


def _title(column: Column) -> str:
    """The title above a column, with a new line at the bracket and at each setting."""
    parts = column.title.replace(" (", "\n(").replace(", ", ",\n").split("\n")
    return "\n".join(line for part in parts for line in textwrap.wrap(part, TITLE_CHARACTERS))


def _box(axes: Axes, at: tuple[int, int], ratio: float, cell: Cell, row: RowCells) -> None:
    look: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 8.5}
    middle = (at[0] + 0.5, at[1] + 0.5)
    if math.isnan(ratio):
        axes.add_patch(Rectangle(at, 1, 1, fill=False, edgecolor=RULE, linewidth=0.6))
        axes.text(*middle, _without_ratio(cell), **{**look, "fontsize": 6.8, "color": PUBLISHED})
        return
    standing = row.standings[cell.column.name]
    colour = "white" if math.log(ratio) >= WHITE_FROM * math.log(DARKEST) else "black"
    weight = "bold" if standing is Standing.BEST else "normal"
    number = f"{ratio:.2f}" if ratio < 99.5 else f"{ratio:.0f}"
    text = number if cell.comparable else f"{number}*"
    axes.text(*middle, text, color=colour, weight=weight, **look)
    if standing in FRAMES:
        size, corner = 1 - 2 * INSET, (at[0] + INSET, at[1] + INSET)
        line = {"edgecolor": colour, "linestyle": FRAMES[standing], "linewidth": 1.3}
        axes.add_patch(Rectangle(corner, size, size, fill=False, **line))


def _over_fastest(cell: Cell, row: RowCells) -> float | None:
    """A cell's time over the lowest of the cells that are compared, or of all undisturbed ones
    where none is; None without a time, or if it was disturbed.
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
