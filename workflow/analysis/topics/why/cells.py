"""What a step of a cell is spent on, for its details in the appendix."""

from collections.abc import Iterator

import pandas as pd

from analysis.data import CELL, CellKey, Data
from analysis.formats.text import ms, percent
from analysis.topics import Detail
from analysis.topics.why.compute import cell_operations, cell_parts, profiles
from analysis.topics.why.section import TEXTS, slowdown
from analysis.writing.grid import Grid

MOST = 10  # operations; the records have more, and their groups are of all


def cell_facts(data: Data) -> dict[CellKey, list[tuple[str, str]]]:
    """The share in which nothing computes, and what the profiler cost."""
    runs = profiles(data).astype({"launched": float})
    means = runs.groupby(CELL, sort=False).agg({"share": "mean", "launched": "mean"})
    firsts = runs.drop_duplicates(CELL).set_index(CELL).drop(columns=means.columns)
    found = firsts.join(means)
    return {
        key: list(_facts(cell)) for key, cell in zip(found.index, found.itertuples(), strict=True)
    }


def _facts(cell) -> Iterator[tuple[str, str]]:
    yield "Host overhead", f"{percent(cell.share)} of a step, by {cell.method}"
    if cell.profiler_slowdown == cell.profiler_slowdown:
        launched = f"with {cell.launched:,.0f} operations launched"
        yield "A step under the profiler", f"{slowdown(cell)} as long, {launched}"


def cell_details(data: Data) -> dict[CellKey, Detail]:
    """A table of the longest operations of a timed step, by cell."""
    found = cell_operations(data).groupby(CELL).head(MOST)
    found = found.join(cell_parts(data)["step_ms"], on=CELL)
    texts = pd.DataFrame(
        {
            "Operation": found["name"],
            "Group": found["group"],
            "ms/step": found["ms"].map(ms),
            "Share": (found["ms"] / found["step_ms"]).map(percent),
            "Times per step": found["count"].map("{:,.4g}".format),
        }
    )
    return {
        key: Detail("Operations", "", Grid.of(lines, TEXTS.say("operations", number=len(lines))))
        for key, lines in texts.groupby([found[name] for name in CELL], sort=False)
    }
