"""Effects: what one thing changes, over the rows of the table and the pairs of columns that differ
in it alone.

A verdict is that of its row alone; a statement about a whole effect is corrected for all of its
rows and pairs (Holm). Beside these stands the table's own test, which asks of each column whether
it is slower than the fastest of its row, corrected for the columns of that row. All three take the
same ratios and the same variances; the more comparisons are corrected for, the less is shown.
"""

from functools import lru_cache

import pandas as pd

from analysis.comparisons.cards import other_differences, versions_changed
from analysis.comparisons.gains import of_new
from analysis.comparisons.pairs import pairs
from analysis.data import Data
from analysis.results.cells import Cell, contest, moderate_ratio, paired_contest, ratio_logs
from analysis.results.rows import RowCells
from analysis.statistics.best_set import Standing, p_slower, shown_slower
from analysis.statistics.forecast import rounds_to_place
from analysis.statistics.intervals import MIN_RUNS, Verdict, verdict
from analysis.statistics.mean_ratio import mean_ratio

PAIR = ["effect", "base", "new"]
MEAN = [*PAIR, "base_title", "new_title", "speedup", "ci95_low", "ci95_high", "rows", "verdict"]
MEAN += ["missing"]


@lru_cache(maxsize=2)
def effects(data: Data) -> pd.DataFrame:
    """Return the pairs with `p_value` and `holds`: whether the new column is faster, or slower,
    also where that is asked of all rows and pairs of the effect at once.

    The smaller of the two one-sided p counts, so that Holm's levels are those of two-sided tests
    at 5 %. It is missing without two rounds.
    """
    found = pairs(data)
    p_values = pd.Series([_p_value(*cells) for cells in _cells(found)], found.index, float)
    tested = p_values.dropna()
    held = [shown_slower(of.to_dict()) for _, of in tested.groupby(found["effect"])]
    return found.assign(p_value=p_values, holds=found.index.isin(list(set().union(*held))))


def _p_value(base: Cell, new: Cell) -> float | None:
    logs = ratio_logs(base, new)
    if len(logs) < MIN_RUNS:
        return None
    sign = 1 if sum(logs) >= 0 else -1
    return p_slower([sign * log for log in logs], moderate=moderate_ratio(base, new))


def means(found: pd.DataFrame) -> pd.DataFrame:
    """Return the geometric mean of each pair over the rows that have a ratio; `rows` is their
    number, `missing` a list of the labels of the others. Without any ratio there is none.
    """
    lines = []
    for key, of in found.groupby(PAIR, sort=False):
        titles = of[["base_title", "new_title"]].iloc[0]
        times = [(base.compared_ms, new.compared_ms) for base, new in _cells(of)]
        scatter = of["base_cell"].iloc[0].scatter
        mean = mean_ratio(dict(zip(of["label"], times, strict=True)), scatter.correlation)
        ends = (mean.interval.low, mean.interval.high) if mean and mean.interval else (None, None)
        numbers = (mean.value, *ends, len(mean.rows)) if mean else (None, *ends, 0)
        shown = str(of_new(verdict(mean.interval))) if mean and mean.interval else None
        lines.append((*key, *titles, *numbers, shown, list(mean.missing if mean else of["label"])))
    numbers = ["speedup", "ci95_low", "ci95_high"]
    return pd.DataFrame(lines, columns=MEAN).astype(dict.fromkeys(numbers, float))


def rounds_needed(found: pd.DataFrame) -> pd.Series:
    """Return after how many rounds in all an undecided ratio would as likely as not be decided;
    missing where no sensible number would do, where it is decided, and where two rounds are
    missing.
    """
    undecided = found[found["verdict"] == Verdict.AMBIGUOUS]
    more = [
        rounds_to_place(paired_contest(*cells), [cell.column.name for cell in cells])
        for cells in _cells(undecided)
    ]
    return (undecided["rounds"] + pd.array(more, "Int64")).reindex(found.index)


def differences(found: pd.DataFrame) -> pd.DataFrame:
    """Return effects with `versions`, where library versions are what the columns differ in, and
    `not_the_same`, what else differs; missing without a ratio.
    """
    compared = found.dropna(subset="speedup")
    for name, texts in (("versions", versions_changed), ("not_the_same", other_differences)):
        listed = ["; ".join(texts(*cells)) or None for cells in _cells(compared)]
        found = found.assign(**{name: pd.Series(listed, compared.index, object)})
    return found


def different_tests(data: Data, found: pd.DataFrame) -> pd.DataFrame:
    """Return effects and two columns of what the table calls otherwise, of pairs one of which is
    the fastest of its row.

    `table_only`: shown slower in the table, not shown for the effect as a whole. `pair_only`:
    faster or slower as a pair alone, undecided in the table.
    """
    rows = {row.row.key: row for row in data.results.rows}
    standings = [_against_fastest(rows[base.row.key], base, new) for base, new in _cells(found)]
    standing = pd.Series(standings, found.index, object)
    decided = found["verdict"].isin([Verdict.FASTER, Verdict.SLOWER])
    return found.assign(
        table_only=(standing == Standing.SLOWER) & ~found["holds"],
        pair_only=(standing == Standing.UNDECIDED) & decided,
    )


def _against_fastest(row: RowCells, *pair: Cell) -> Standing | None:
    """Return the table's standing of the slower of the two; None where neither is the fastest of
    those that it compares both with.
    """
    cells = next((cells for cells in row.contestants if {*pair} <= {*cells}), ())
    fastest = contest(cells).fastest
    names = {cell.column.name for cell in pair}
    return row.standings.get(*(names - {fastest})) if fastest in names else None


def _cells(found: pd.DataFrame) -> list[tuple[Cell, Cell]]:
    return list(zip(found["base_cell"], found["new_cell"], strict=True))
