"""When a column that starts later is ahead for good: a table beside each row of the appendix."""

import pandas as pd

from analysis.data import CELL, ROW, Data
from analysis.formats.text import NA
from analysis.results.plan import RowKey
from analysis.topics import Detail
from analysis.topics.break_even.compute import READINGS, SIDES, break_evens
from analysis.writing.grid import Grid

TITLE = "Break-even"
SAYS = "when a column that starts later is ahead for good"
INTERVAL = "by the scatter of starts and of steps, NA where a start was measured once"
KINDS = {"cold": "cold", "warm": "warm", "none": "none kept"}
NOT_MEASURED = {"warm": "not measured, needs a second run"}


def row_details(data: Data) -> dict[RowKey, Detail]:
    """Tables of the rows that have pairs in which the faster column is behind at first; the others
    need none. A column with settings of its own is compared with those of its framework alone:
    break_even.csv has all pairs.
    """
    found = _shown(data)
    steps, whole = (
        list(map(_steps, found[name], found["caches"])) for name in ("steps", "steps_whole")
    )
    ends = zip(found["ci95_low_steps"], found["ci95_high_steps"], strict=True)
    texts = found[ROW].assign(
        **{
            "Ahead for good": found["faster_column_title"],
            "Of": found["slower_column_title"],
            "Caches": found["caches"].map(KINDS),
            "After steps": steps,
            "95 % interval": [_ends(*pair) for pair in ends],
            "After steps, import and build included": whole,
        }
    )
    return {
        key: Detail(
            TITLE, SAYS, Grid.of(of_row.drop(columns=ROW), f"{TITLE}: {SAYS}; interval {INTERVAL}")
        )
        for key, of_row in texts.groupby(ROW, sort=False)
    }


def _shown(data: Data) -> pd.DataFrame:
    """A line per pair and kind of start, `steps_whole` from the start of the process beside it."""
    found = break_evens(data)
    first, whole = (found[found["counted_from"] == reading] for reading in READINGS)
    pair = [*ROW, "faster", "slower"]
    whole = whole[[*pair, "caches", "steps"]]
    both = first.merge(whole, on=[*pair, "caches"], suffixes=("", "_whole"))
    told = data.cells[[*CELL, "framework", "plain", "column_title"]]
    for side in SIDES:
        of_side = told.set_index(CELL).add_prefix(f"{side}_").rename_axis([*ROW, side])
        both = both.join(of_side, on=[*ROW, side])
    within = both["faster_framework"] == both["slower_framework"]
    behind = both["steps"].fillna(1).gt(1).groupby([both[name] for name in pair]).transform("any")
    return both[(within | (both["faster_plain"] & both["slower_plain"])) & behind]


def _steps(steps: int, caches: str) -> str:
    return NOT_MEASURED.get(caches, "not measured") if pd.isna(steps) else f"{steps:,}"


def _ends(low: int, high: int) -> str:
    if pd.isna(low):
        return NA
    return f"{low:,} to {'perhaps never' if pd.isna(high) else f'{high:,}'}"
