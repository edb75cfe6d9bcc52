"""Test of claims about where native code pays."""

from collections.abc import Sequence

import pandas as pd

from analysis.claims.outcome import Outcome, claim_test, untested
from analysis.comparisons.gains import change
from analysis.data import Data
from analysis.formats.spelling import within
from analysis.formats.text import listed
from analysis.results.results import Results
from analysis.topics.native.compute import GROUP, Pays, verdict_of, ways
from analysis.topics.native.ways import NATIVE


@claim_test()
def native_code_pays(results: Results, operations: Sequence[str], task: str, pays: bool) -> Outcome:
    """Judge whether native code is worth it for one of these operations in some framework, or,
    where `pays` is false, for none in any. Both rest on the verdicts of a table: that it pays
    somewhere on a yes that holds for all of them at once, that it does nowhere on a no in each.
    """
    found = ways(Data(results))
    found = found[found["operation"].isin(operations) & (found["task"] == task)]
    groups = [
        group for _, group in found.groupby(GROUP, sort=False) if NATIVE in set(group["best"])
    ]
    if not groups:
        text = f"No {task} around {listed(list(operations))} was measured in a native way."
        return untested(text)
    verdicts = [verdict_of(group, len(groups)) for group in groups]
    somewhere = True if Pays.YES in verdicts else None
    if all(verdict is Pays.NO for verdict in verdicts):
        somewhere = False
    text = f"The training step gains, or loses: {'; '.join(map(_gain, groups))}."
    names = [f"{g['model'].iloc[0]}/{g['framework'].iloc[0]}" for g in groups]
    evidence = dict(zip(names, map(str, verdicts), strict=True))
    holds = None if somewhere is None else somewhere is pays
    return Outcome(holds, text, evidence={"worth_it": evidence})


def _gain(group: pd.DataFrame) -> str:
    best = group[group["best"] == NATIVE].iloc[0]
    if pd.isna(best["gain_step"]):
        return f"{best['title']} not compared"
    ends = (best["gain_step_ci95_low"], best["gain_step_ci95_high"])
    return f"{best['title']} {within(best['gain_step'], *ends, change)}"
