"""The content of effects.csv."""

import pandas as pd

from analysis.comparisons.pairs import QUESTION
from analysis.data import ROW, Data
from analysis.topics.effects import compute
from analysis.topics.effects.compute import ENDS, PAIR, means

COLUMNS = [*QUESTION[1:], "base", "new", *ROW, "base_ms_per_step", "new_ms_per_step", "speedup"]
COLUMNS += [*ENDS, "rounds", "verdict", "holds_for_all_rows", "rounds_to_decide", "missing"]
COLUMNS += ["not_the_same", "versions"]
WHOLE = dict.fromkeys(["batch_size", "rounds", "rounds_to_decide"], "Int64")
MEAN = "geometric mean"  # in the place of a row's model


def effects(data: Data) -> pd.DataFrame:
    """Return a line per question, pair and row, then one for the geometric mean of the pair's rows.

    `speedup` is t(base) / t(new). Ends are missing below two rounds, and so is the verdict.
    """
    lines = compute.effects(data)
    mean = means(lines).drop(columns="rows").assign(model=MEAN)
    mean["missing"] = [", ".join(labels) or None for labels in mean["missing"]]
    mean.loc[mean["speedup"].isna(), "missing"] = "every row"
    mean = mean.merge(lines[[*QUESTION, *PAIR[1:]]].drop_duplicates(), on=PAIR)
    held = lines["holds"].astype(object).where(lines["verdict"].notna(), None)
    parts = [
        part.reindex(columns=[PAIR[0], *COLUMNS]).astype(WHOLE).astype(object)
        for part in (lines.assign(holds_for_all_rows=held), mean)
    ]
    both = pd.concat(parts)
    return both.loc[:, COLUMNS].iloc[both.groupby(PAIR, sort=False).ngroup().argsort(kind="stable")]
