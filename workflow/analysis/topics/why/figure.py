"""What a step of every cell is spent on: time in which nothing computes, and groups of operations.

The colours of the groups go from dark to light in their order, whatever their hue, and some have a
hatch, so that grey paper and colour-blind readers tell them apart.
"""

from typing import Any

import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from analysis.data import Data, cell_key
from analysis.data.operation_groups import Group
from analysis.figures.legends import legend_of_patches
from analysis.figures.panels import MARKER_SIZE, empty, label_panels, line_per_column
from analysis.figures.style import INK
from analysis.formats.text import ms
from analysis.results.rows import RowCells
from analysis.topics.why.compute import GROUPS, IDLE, cell_parts

HUES = colormaps["viridis"]
HATCHES = {Group.COPIES: "///", Group.EMBEDDING: "...", Group.OTHER: "xxx"}
ORDERED = [group for group in Group if group is not Group.OTHER]
LOOKS: dict[str, tuple[Any, str]] = {
    IDLE: ("none", ""),
    **{
        str(group): (HUES(place / (len(ORDERED) - 1)), HATCHES.get(group, ""))
        for place, group in enumerate(ORDERED)
    },
    str(Group.OTHER): ("#d8dade", HATCHES[Group.OTHER]),
}
BAR = {"height": 0.72, "linewidth": 0.5, "edgecolor": INK}


def why(data: Data) -> Figure:
    """One panel per row, one bar per column, ms/step from 0."""
    parts = cell_parts(data)
    if parts.empty:
        return empty("no run has a profile with operations")
    figure, panels = label_panels(data.results, list(LOOKS))
    for place, axes, row in panels:
        _panel(axes, place, row, parts)
    patches = [Patch(facecolor=colour, hatch=hatch, **_EDGE) for colour, hatch in LOOKS.values()]
    legend_of_patches(figure, patches, list(LOOKS))
    return figure


_EDGE = {name: value for name, value in BAR.items() if name != "height"}


def _panel(axes: Axes, place: int, row: RowCells, parts: pd.DataFrame) -> None:
    longest = max(cell.step_ms for cell in row.measured)
    for line, cell in enumerate(row.cells):
        if cell_key(cell) in parts.index:
            of_cell = parts.loc[cell_key(cell)]
            _bar(axes, line, of_cell)
            longest = max(longest, of_cell["step_ms"])
        elif cell.ok_runs:
            axes.plot(cell.step_ms, line, "|", color=INK, markersize=MARKER_SIZE)
    axes.set_xlim(0, 1.03 * longest)
    line_per_column(axes, place, row, lambda cell: f"{ms(cell.step_ms)} ms")
    axes.set_xlabel("ms/step", fontsize=8.5)


def _bar(axes: Axes, line: int, parts: pd.Series) -> None:
    left = 0.0
    for name in (IDLE, *GROUPS):
        colour, hatch = LOOKS[name]
        axes.barh(line, parts[name], left=left, color=colour, hatch=hatch, **BAR)
        left += parts[name]
