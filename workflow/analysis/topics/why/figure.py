"""What a step of every cell is spent on: time in which nothing computes, and groups of operations.

The colours of the groups go from dark to light in their order, whatever their hue, and some have a
hatch, so that grey paper and colour-blind readers tell them apart.
"""

from collections.abc import Iterator
from typing import Any

from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from analysis.data import Data, cell_key
from analysis.data.operation_groups import Group
from analysis.figures.panels import MARKER_SIZE, column_panels, empty
from analysis.figures.style import INK
from analysis.results.cells import Cell
from analysis.topics.why.compute import GROUPS, IDLE, cell_parts

HUES = colormaps["viridis"]
HATCHES = {Group.COPIES: "///", Group.EMBEDDING: "...", Group.OTHER: "xxx"}
ORDERED = [group for group in Group if group is not Group.OTHER]
LOOKS: dict[str, Any] = {
    str(group): {"facecolor": HUES(place / (len(ORDERED) - 1)), "hatch": HATCHES.get(group, "")}
    for place, group in enumerate(ORDERED)
}
LOOKS[IDLE] = {"facecolor": "none"}
LOOKS[str(Group.OTHER)] = {"facecolor": "#d8dade", "hatch": HATCHES[Group.OTHER]}
EDGE = {"linewidth": 0.5, "edgecolor": INK}


def why(data: Data) -> Figure:
    """One panel per row, one bar per column, ms/step from 0."""
    parts = cell_parts(data)
    if parts.empty:
        return empty("no run has a profile with operations")

    def bar(axes: Axes, line: int, cell: Cell) -> Iterator[float]:
        yield cell.step_ms
        if cell_key(cell) not in parts.index:
            axes.plot(cell.step_ms, line, "|", color=INK, markersize=MARKER_SIZE)
            return
        left = 0.0
        for name in (IDLE, *GROUPS):
            wide = parts.loc[cell_key(cell), name]
            axes.barh(line, wide, height=0.72, left=left, **LOOKS[name], **EDGE)
            left += wide
        yield left

    handles = {name: Patch(**LOOKS[name], **EDGE) for name in (IDLE, *GROUPS)}
    return column_panels(data, handles, bar, "ms/step")
