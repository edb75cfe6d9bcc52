"""Key findings of this run: four questions that a reader has, answered only as far as the intervals
allow.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.comparisons.gains import backends, gain_text, gains, in_every_row, numbers, tally_of
from analysis.formats.text import count, listed, ms
from analysis.results.results import Results
from analysis.statistics.best_set import Standing
from analysis.statistics.intervals import MARGIN, ends
from analysis.writing.texts import template, texts_of

TEXTS = Path(__file__).with_suffix(".yaml")
# The two families or columns that each question compares.
COMPARED = {
    "keras3_over_keras2": ("keras3", "keras2"),
    "upgrade_alone": ("keras3-tensorflow", "keras2-tensorflow"),
    "keras3_over_pytorch": ("keras3", "pytorch"),
}


class Answer(StrEnum):
    """The answer that the intervals give to a question."""

    YES = "yes"
    NO = "no"
    UNDECIDED = "undecided"
    NOT_MEASURED = "not measured"


@dataclass(frozen=True)
class Finding:
    """A question, its answer in a sentence, and a line of evidence per row: its label and what it
    shows. `statement` is the answer for readers who do not see the question; `numbers` are the gain
    and the verdict of each row that it rests on.
    """

    id: str
    question: str
    verdict: Answer
    answer: str
    statement: str
    evidence: list[tuple[str, str]]
    numbers: dict[str, Any]


@lru_cache(maxsize=2)
def findings(results: Results) -> list[Finding]:
    """The findings about the columns without settings, in the order of the report."""
    stacks = {column.stack for column in results.plan.columns if column.plain}
    on = f" on stack {listed(sorted(map(str, stacks)))}" if results.several_stacks else ""
    faster = [_faster(name, results, on) for name in COMPARED]
    return [_one_best_backend(backends(results), on), *faster]


def _finding(
    name: str,
    verdict: Answer,
    evidence: list[tuple[str, str]],
    numbers: dict[str, Any],
    **values: Any,
) -> Finding:
    texts = texts_of(TEXTS)[name]
    answer, statement = (
        template(texts[part][str(verdict)]).render({**texts, **values})
        for part in ("answer", "statement")
    )
    return Finding(name, texts["question"], verdict, answer, statement, evidence, numbers)


def _one_best_backend(found: pd.DataFrame, on: str) -> Finding:
    columns = found.groupby("column", sort=False)
    titles, rows = columns["title"].first(), found["row"].nunique()
    behind, alone = columns["behind"].sum(), columns["alone"].sum()
    if not rows:
        verdict = Answer.NOT_MEASURED
    elif behind.all():
        verdict = Answer.NO
    else:
        verdict = Answer.YES if (alone == rows).any() else Answer.UNDECIDED
    top = [f"{titles[name]} in {number}" for name, number in alone.items() if number]
    return _finding(
        "one_best_backend",
        verdict,
        list(_contests(found)),
        {},
        ahead=titles[behind == 0].tolist(),
        rows=f"all {rows} rows{on}" if rows > 1 else f"the only row{on}",
        on=on,
        top=f" Shown alone at the top: {listed(top) if top else 'none'}"
        f"{' ' if top else ', in any '}of {count(rows, 'row')}.",
    )


def _contests(found: pd.DataFrame) -> Iterator[tuple[str, str]]:
    """Yield of each row its label, and 'fastest Keras 3 (JAX), 8.016 ms; best or equal: ...'. Who
    is undecided here may be slower in the table, which corrects each row by itself.
    """
    spelled = {standing: str(standing) for standing in Standing}
    if found["row"].nunique() > 1:
        spelled[Standing.UNDECIDED] += " (corrected for all rows)"
    titles = found.groupby(["row", "standing"])["title"].agg(list)
    for line in found[found["first"]].itertuples():
        places = [(text, titles.get((line.row, str(name)))) for name, text in spelled.items()]
        told = [f"{text}: {listed(names)}" for text, names in places if names]
        yield line.label, "; ".join([f"fastest {line.title}, {ms(line.step_ms)} ms", *told])


def _faster(name: str, results: Results, on: str) -> Finding:
    found = gains(results, *COMPARED[name])
    if not found:
        return _finding(name, Answer.NOT_MEASURED, [], numbers(found))
    evidence = [
        (
            gain.row.label,
            f"{gain.text}, {gain.new.column.title} against {gain.base.column.title}"
            + (f": {gain.verdict}" if gain.interval else ""),
        )
        for gain in found
    ]
    extremes = [min(found, key=lambda gain: gain.value), max(found, key=lambda gain: gain.value)]
    # without what choosing the fastest adds, which is told with the row
    texts = [f"{gain_text(g.value, *ends(g.interval))} in {g.row.label}" for g in extremes]
    reach = texts[0] if extremes[0] is extremes[1] else f"from {texts[0]} to {texts[1]}"
    verdicts = {True: Answer.YES, False: Answer.NO, None: Answer.UNDECIDED}
    chosen = any(len(gain.of_new) * len(gain.of_base) > 1 for gain in found)
    whose = "; intervals are for whichever column is the fastest" if chosen else ""
    told = f"{tally_of(found)}{on} (throughput {reach}{whose})"
    return _finding(
        name, verdicts[in_every_row(found, 1 + MARGIN)], evidence, numbers(found), told=told
    )
