"""What a faster host language could bring, for the page: in a sentence, and cell by cell."""

from collections.abc import Iterator

import pandas as pd

from analysis.data import CELL, Data
from analysis.formats.text import count, listed, percent, times
from analysis.topics.why.ceilings import ceilings, withheld
from analysis.topics.why.words import ceiling_text, label, slowdown_text
from analysis.writing.grid import Grid

CAPTION = (
    "What a faster host language could bring, 1 / (1 - share of a step in which nothing "
    "computes): an estimate, with a 95 % interval over runs and over where the profiler's own "
    "time may lie"
)


def ceiling_summary(data: Data) -> str:
    """'Over 66 profiled cells the median ceiling is 1.11x and the highest 1.45x (...)'; empty where
    no cell was profiled.
    """
    return " ".join([*_found(_titled(data)), *_left_out(withheld(data))])


def ceiling_grid(data: Data) -> Grid:
    """One line per profiled cell; without lines where there is none."""
    found = list(_titled(data).itertuples())
    texts = {
        "Cell": list(map(label, found)),
        "Nothing computes": [percent(line.share) for line in found],
        "Ceiling": list(map(ceiling_text, found)),
        "Under the profiler": list(map(slowdown_text, found)),
    }
    return Grid.of(pd.DataFrame(texts), CAPTION)


def _titled(data: Data) -> pd.DataFrame:
    return ceilings(data).merge(data.cells[[*CELL, "row_label", "column_title"]], on=CELL)


def _found(found: pd.DataFrame) -> Iterator[str]:
    if found.empty:
        return
    highest = found.loc[found["ceiling"].idxmax()]
    yield (
        f"Over {count(len(found), 'profiled cell')} the median ceiling is estimated as "
        f"{times(found['ceiling'].median())} and the highest as {ceiling_text(highest)} "
        f"({label(highest)})."
    )
    costs = found.dropna(subset=["slowdown_low"])
    slowed = costs[costs["slowdown_low"] > 1]["profiler_slowdown"]
    if len(slowed):
        yield (
            f"The profiler is shown to make steps longer in {len(slowed)} of "
            f"{count(len(costs), 'cell')}, {times(slowed.min())} to {times(slowed.max())}."
        )


def _left_out(found: pd.DataFrame) -> Iterator[str]:
    if len(found):
        labels = listed(list(map(label, found.itertuples())))
        yield (
            "Nothing is said of cells that other work disturbed, whose steps wait for processors, "
            f"or that were not steady: {labels}."
        )
