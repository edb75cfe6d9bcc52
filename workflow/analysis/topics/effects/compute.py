"""Effects: what one thing changes, over the rows of the table and the pairs of columns that differ
in it alone.

A verdict is that of its row alone; a statement about a whole effect is corrected for all of its
rows and pairs (Holm). Beside these stands the table's own test, which asks of each column whether
it is slower than the fastest of its row, corrected for the columns of that row. All three take the
same ratios and the same variances; the more comparisons are corrected for, the less is shown.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any

import pandas as pd

from analysis.comparisons.cards import other_differences, versions_changed
from analysis.comparisons.gains import gain_text, of_new
from analysis.comparisons.pairs import pairs
from analysis.data import Data
from analysis.results.cells import Cell, cell_ratio, contest, paired_contest
from analysis.results.rows import RowCells
from analysis.statistics.best_set import Standing, p_slower, shown_slower
from analysis.statistics.forecast import rounds_to_place
from analysis.statistics.intervals import Verdict, ends, verdict
from analysis.statistics.mean_ratio import mean_ratio

PAIR = ["effect", "base", "new"]
ENDS = ["ci95_low", "ci95_high"]
MEAN = [*PAIR, "base_title", "new_title", "speedup", *ENDS, "rows", "verdict", "missing"]


@lru_cache(maxsize=2)
def effects(data: Data) -> pd.DataFrame:
    """Return the pairs with what else there is to say of each.

    `holds`: whether the new column is faster, or slower, also where that is asked of all rows and
    pairs of the effect at once. For this the smaller of the two one-sided p counts (`p_value`,
    missing without two rounds), so that Holm's levels are those of two-sided tests at 5 %.
    `rounds_to_decide`: after how many in all an undecided ratio would as likely as not be decided;
    missing where no sensible number would do. `versions` of libraries, and other differences
    (`not_the_same`), for pairs with a ratio. For pairs with the fastest column of a row, where the
    table says otherwise: `table_only`, significantly slower there but not for the whole effect;
    `pair_only`, faster or slower as a pair alone but undecided there.
    """
    found, rows = pairs(data), {row.row.key: row for row in data.results.rows}
    cells = list(zip(found["base_cell"], found["new_cell"], strict=True))

    def column(judge: Callable[[Cell, Cell], Any], where: pd.Series, dtype: Any) -> pd.Series:
        told = (judge(*pair) if asked else None for pair, asked in zip(cells, where, strict=True))
        return pd.Series(list(told), found.index, dtype)

    compared, undecided = found["speedup"].notna(), found["verdict"] == Verdict.AMBIGUOUS
    p_value = column(_p_value, compared, float)
    held = [shown_slower(of.to_dict()) for _, of in p_value.dropna().groupby(found["effect"])]
    holds = pd.Series(found.index.isin(list(set().union(*held))), found.index)
    standing = column(lambda *pair: _standing(rows[pair[0].row.key], *pair), compared, object)
    decided = found["verdict"].isin([Verdict.FASTER, Verdict.SLOWER])
    return found.assign(
        p_value=p_value,
        holds=holds,
        rounds_to_decide=found["rounds"] + column(_more_rounds, undecided, "Int64"),
        versions=column(lambda *pair: _listed(versions_changed(*pair)), compared, object),
        not_the_same=column(lambda *pair: _listed(other_differences(*pair)), compared, object),
        table_only=(standing == Standing.SLOWER) & ~holds,
        pair_only=(standing == Standing.UNDECIDED) & decided,
    )


def _p_value(base: Cell, new: Cell) -> float | None:
    ratio = cell_ratio(base, new)
    if ratio is None or ratio.error is None:
        return None
    return p_slower(replace(ratio, log=abs(ratio.log)))


def _more_rounds(*pair: Cell) -> int | None:
    return rounds_to_place(paired_contest(*pair), [cell.column.name for cell in pair])


def _listed(texts: list[str]) -> str | None:
    return "; ".join(texts) or None


def _standing(row: RowCells, *pair: Cell) -> Standing | None:
    """Return the table's standing of the slower of the two; None where neither is the fastest of
    those that it compares both with.
    """
    cells = next((cells for cells in row.contestants if {*pair} <= {*cells}), ())
    fastest = contest(cells).fastest
    names = {cell.column.name for cell in pair}
    return row.standings.get(*(names - {fastest})) if fastest in names else None


def means(found: pd.DataFrame, statements: int = 1) -> pd.DataFrame:
    """Return the geometric mean of each pair over the rows that have a ratio; `rows` is their
    number, `missing` a list of the labels of the others. Without any ratio there is none. The
    intervals of so many means hold all at once (`statements`).
    """
    lines = []
    for key, of in found.groupby([*PAIR, "base_title", "new_title"], sort=False):
        cells = zip(of["base_cell"], of["new_cell"], strict=True)
        times = [(base.compared_ms, new.compared_ms) for base, new in cells]
        scatter = of["base_cell"].iloc[0].scatter
        mean = mean_ratio(
            dict(zip(of["label"], times, strict=True)), scatter.correlation, statements
        )
        if mean is None:
            lines.append((*key, None, None, None, 0, None, of["label"].tolist()))
            continue
        shown = str(of_new(verdict(mean.interval))) if mean.interval else None
        numbers = (mean.value, *ends(mean.interval), len(mean.rows))
        lines.append((*key, *numbers, shown, list(mean.missing)))
    found = pd.DataFrame(lines, columns=MEAN)
    return found.astype(dict.fromkeys(["speedup", *ENDS], float))


def gain(found: Any) -> str:
    """'+42 % [+40 %, +44 %]': the gain of a line with `speedup` and its interval."""
    return gain_text(found.speedup, found.ci95_low, found.ci95_high)
