"""What a step of a cell is spent on, for its details in the appendix."""

from __future__ import annotations

import pandas as pd

from analysis.data import CELL, CellKey, Data
from analysis.formats.text import count, ms, percent
from analysis.topics import Detail
from analysis.topics.why.compute import cell_operations, cell_parts
from analysis.topics.why.profiler import profiler_costs
from analysis.topics.why.words import slowdown_text
from analysis.writing.grid import Grid

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
    whole_ms = cell_parts(data)["step_ms"]
    return {
        key: Detail("Operations", "", _grid(found, whole_ms[key]))
        for key, found in cell_operations(data).groupby(CELL)
    }


def _grid(found: pd.DataFrame, whole_ms: float) -> Grid:
    shown = found.head(MOST)
    texts = {
        "Operation": shown["name"],
        "Group": shown["group"],
        "ms/step": shown["ms"].map(ms),
        "Share": (shown["ms"] / whole_ms).map(percent),
        "Times per step": shown["count"].map("{:,.4g}".format),
    }
    caption = f"The {count(len(shown), 'operation')} that take most of a step, "
    return Grid.of(pd.DataFrame(texts), f"{caption}without what the profiler adds")
