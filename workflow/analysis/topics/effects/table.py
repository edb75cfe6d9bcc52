"""effects.csv."""

import pandas as pd

from analysis.comparisons.pairs import QUESTION
from analysis.data import ROW, Data
from analysis.topics.effects.compute import PAIR, differences, means, rounds_needed
from analysis.topics.effects.compute import effects as effects_of

COLUMNS = [*QUESTION[1:], "base", "new", *ROW, "base_ms_per_step", "new_ms_per_step", "speedup"]
COLUMNS += ["ci95_low", "ci95_high", "rounds", "verdict", "holds_for_all_rows", "rounds_to_decide"]
COLUMNS += ["missing", "not_the_same", "versions"]
MEAN = "geometric mean"  # in the place of a row's model


def effects(data: Data) -> pd.DataFrame:
    """Return a line per question, pair and row, then one for the geometric mean of the pair's rows.

    `speedup` is t(base) / t(new). Ends are missing below two rounds, and so is the verdict.
    """
    found = effects_of(data)
    lines = differences(found).assign(
        holds_for_all_rows=found["holds"].astype(object).where(found["verdict"].notna(), None),
        rounds_to_decide=rounds_needed(found),
    )
    mean = means(found).assign(model=MEAN)
    mean["missing"] = [", ".join(labels) or None for labels in mean["missing"]]
    mean.loc[mean["speedup"].isna(), "missing"] = "every row"
    mean = mean.merge(found[[*QUESTION, *PAIR[1:]]].drop_duplicates(), on=PAIR)
    parts = [part.reindex(columns=[PAIR[0], *COLUMNS]) for part in (lines, mean)]
    whole = dict.fromkeys(["batch_size", "rounds", "rounds_to_decide"], "Int64")
    both = pd.concat([part.astype(whole).astype(object) for part in parts])
    place = both.groupby(PAIR, sort=False).ngroup()
    return both.iloc[place.argsort(kind="stable")][COLUMNS]
