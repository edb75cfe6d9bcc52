"""Geometric means of the pairwise comparisons over the workloads that both configurations share."""

import pandas as pd

from millistep.analysis.frames import Data
from millistep.analysis.stats import holm, mean_over_workloads
from millistep.analysis.topics.pairs import QUESTION, questions, same_work, verdicts
from millistep.analysis.words import count, gain, within

TITLE = "Pairwise comparisons over all workloads"
COLUMNS = [*QUESTION, "base_title", "new_title", "speedup", "low", "high", "workloads", "verdict"]


def table(data: Data) -> pd.DataFrame:
    """Return a line per pair with a shared round; `speedup` is the mean of t(base) / t(new)."""
    asked = questions(data)
    rounds = asked.merge(
        data.round_ratios, left_on=["base", "new"], right_on=["base", "configuration"]
    )
    rounds = rounds[same_work(data, rounds)]
    if rounds.empty:
        return pd.DataFrame(columns=COLUMNS)
    found = mean_over_workloads(rounds, QUESTION).reset_index()
    found["speedup"] = 1 / found["ratio"]
    found["low"], found["high"] = 1 / found["high"], 1 / found["low"]
    titles = data.configurations.set_index("configuration")["title"]
    found["base_title"], found["new_title"] = found["base"].map(titles), found["new"].map(titles)
    found["verdict"] = verdicts(found.assign(p=holm(found["p"])))
    return asked.merge(found, on=QUESTION)[COLUMNS]


def sentences(table: pd.DataFrame) -> list[str]:
    """Return sentences such as 'Keras 3 (JAX) over Keras 2: throughput +0.8 % [-5.8 %, +7.8 %] on
    average over ...'
    """
    return [
        f"{line.new_title} over {line.base_title}: throughput "
        f"{within(line.speedup, line.low, line.high, gain)} on average over "
        f"{count(line.workloads, 'workload')}"
        f"{', in one round without an interval' if pd.isna(line.low) else ''}."
        for line in table[table["workloads"] > 1].itertuples()
    ]
