"""When a column that starts later is ahead for good: a table beside each row of the appendix."""

import pandas as pd

from analysis.data import ROW, Data
from analysis.formats.text import NA
from analysis.results.plan import RowKey
from analysis.topics import Detail
from analysis.topics.break_even.compute import READINGS, break_evens
from analysis.writing.grid import Grid

TITLE = "Break-even"
SAYS = "when a column that starts later is ahead for good"
KINDS = {"cold": "cold", "warm": "warm", "none": "none kept"}
NOT_MEASURED = {"warm": "not measured, needs a second run"}


def row_details(data: Data) -> dict[RowKey, Detail]:
    """Tables of the rows that have pairs in which the faster column is behind at first; the others
    need none. A column with settings of its own is compared with those of its framework alone:
    break_even.csv has all pairs.
    """
    pairs = _shown(data)
    return {
        key: Detail(TITLE, SAYS, Grid.of(_texts(found), f"{TITLE}: {SAYS}"))
        for key, found in pairs.groupby(ROW, sort=False)
    }


def _shown(data: Data) -> pd.DataFrame:
    """A line per pair and kind of start, `steps_whole` from the start of the process beside it."""
    found = break_evens(data)
    first, whole = (found[found["counted_from"] == reading] for reading in READINGS)
    pair = [*ROW, "faster", "slower"]
    both = first.merge(
        whole[[*pair, "caches", "steps"]], on=[*pair, "caches"], suffixes=("", "_whole")
    )
    cells = data.cells.set_index([*ROW, "column"])
    for side in ("faster", "slower"):
        of_side = cells.loc[both[[*ROW, side]].itertuples(index=False, name=None)]
        for name in ("framework", "plain", "column_title"):
            both[f"{side}_{name}"] = of_side[name].to_numpy()
    within = both["faster_framework"] == both["slower_framework"]
    behind = both["steps"].fillna(1) > 1
    behind = behind.groupby([both[name] for name in pair], sort=False).transform("any")
    return both[(within | (both["faster_plain"] & both["slower_plain"])) & behind]


def _texts(found: pd.DataFrame) -> pd.DataFrame:
    """What the table prints."""
    return pd.DataFrame(
        {
            "Ahead for good": found["faster_column_title"],
            "Of": found["slower_column_title"],
            "Caches": found["caches"].map(KINDS),
            "After steps": list(map(_steps, found["steps"], found["caches"])),
            "At the ends of the interval": list(
                map(_ends, found["ci95_low_steps"], found["ci95_high_steps"])
            ),
            "After steps, import and build included": list(
                map(_steps, found["steps_whole"], found["caches"])
            ),
        }
    )


def _steps(steps: int, caches: str) -> str:
    return NOT_MEASURED.get(caches, "not measured") if pd.isna(steps) else f"{steps:,}"


def _ends(low: int, high: int) -> str:
    if pd.isna(low):
        return NA
    return f"{low:,} to {'perhaps never' if pd.isna(high) else f'{high:,}'}"
