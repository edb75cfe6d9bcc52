"""What a step of a cell is spent on, for its details in the appendix."""

import pandas as pd

from analysis.data import CELL, CellKey, Data
from analysis.formats.text import count, ms, percent
from analysis.topics import Detail
from analysis.topics.why.compute import cell_operations, cell_parts
from analysis.topics.why.profiler import profiler_costs
from analysis.topics.why.words import slowdown_text
from analysis.writing.grid import Grid

HEADER = ("Operation", "Group", "ms/step", "Share", "Times per step")
MOST = 10  # the records have more, and their groups are of all


def facts(data: Data) -> dict[CellKey, list[tuple[str, str]]]:
    """The share in which nothing computes, and what the profiler cost."""
    cells = data.profiles.groupby(CELL, sort=False)
    found = cells.agg({"share": "mean", "method": "first", "launched": "mean"}).reset_index()
    found = found.merge(profiler_costs(data), on=CELL, how="left")
    keys = found[CELL].itertuples(index=False, name=None)
    return {key: _facts(cell) for key, cell in zip(keys, found.itertuples(), strict=True)}


def _facts(cell) -> list[tuple[str, str]]:
    told = [("Host overhead", f"{percent(cell.share)} of a step, by {cell.method}")]
    if not pd.isna(cell.profiler_slowdown):
        text = f"{slowdown_text(cell)} as long, with {cell.launched:,.0f} operations launched"
        told.append(("A step under the profiler", text))
    return told


def details(data: Data) -> dict[CellKey, Detail]:
    """The longest operations of a timed step."""
    whole_ms, lines = cell_parts(data)["step_ms"].to_dict(), {}
    for found in cell_operations(data).groupby(CELL).head(MOST).itertuples():
        key = (found.model, found.task, found.batch_size, found.column)
        share, times = percent(found.ms / whole_ms[key]), f"{found.count:,.4g}"
        line = (found.name, found.group, ms(found.ms), share, times)
        lines.setdefault(key, []).append(line)
    return {key: Detail("Operations", "", _grid(of_cell)) for key, of_cell in lines.items()}


def _grid(lines: list[tuple[str, ...]]) -> Grid:
    caption = f"The {count(len(lines), 'operation')} that take most of a step, "
    return Grid(f"{caption}without what the profiler adds", HEADER, tuple(lines))
