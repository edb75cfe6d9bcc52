"""Key findings of this run: four questions that a reader has, answered only as far as the intervals
allow.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from analysis.comparisons.gains import (
    Gain,
    Winners,
    all_faster,
    column_gains,
    family_gains,
    gain_text,
    in_lines,
    tally,
    winners,
)
from analysis.formats.sentences import template, texts_of
from analysis.formats.text import count, listed, ms
from analysis.results.results import Results
from analysis.statistics.best_set import Standing

TEXTS = Path(__file__).with_suffix(".yaml")
KERAS2, UPGRADED = "keras2-tensorflow", "keras3-tensorflow"

Evidence = Iterable[tuple[str, str]]  # the label of a row, and what it shows


class Answer(StrEnum):
    """What the intervals answer to the question."""

    YES = "yes"
    NO = "no"
    UNDECIDED = "undecided"
    NOT_MEASURED = "not measured"


@dataclass(frozen=True)
class Finding:
    """A question, its answer in a sentence, and a line of evidence per row. `statement` is the
    answer for who does not see the question.
    """

    id: str
    question: str
    verdict: Answer
    answer: str
    statement: str
    evidence: tuple[tuple[str, str], ...]
    numbers: dict[str, Any]


def findings(results: Results) -> list[Finding]:
    """In the order in which the report prints them, of the columns without settings."""
    on = _on(results)
    return [
        _one_best_backend(results, on),
        _faster("keras3_over_keras2", family_gains(results, "keras3", "keras2"), on),
        _faster("upgrade_alone", column_gains(results, UPGRADED, KERAS2), on),
        _faster("keras3_over_pytorch", family_gains(results, "keras3", "pytorch"), on),
    ]


def _finding(
    name: str, verdict: Answer, evidence: Evidence, numbers: dict[str, Any], **values: Any
) -> Finding:
    texts = texts_of(TEXTS)[name]
    answer, statement = (
        template(texts[part][str(verdict)]).render({**texts, **values})
        for part in ("answer", "statement")
    )
    question = texts["question"]
    return Finding(name, question, verdict, answer, statement, tuple(evidence), numbers)


def _on(results: Results) -> str:
    """Which versions of the libraries they are about, where the table has several."""
    stacks = {column.stack for column in results.plan.columns if column.plain}
    return f" on stack {listed(sorted(map(str, stacks)))}" if results.several_stacks else ""


def _one_best_backend(results: Results, on: str) -> Finding:
    contests = winners(results)
    titles = {c.column.name: c.column.title for w in contests for c in w.backends}
    ahead = [name for name in titles if contests and _never_behind(contests, name)]
    return _finding(
        "one_best_backend",
        _best_backend_verdict(contests, list(titles), ahead),
        [(w.row.row.label, _contest(w)) for w in contests],
        {
            "rows": len(contests),
            "corrected_over": "rows and backends",
            "shown_slower_in": {n: sum(w.is_behind(n) for w in contests) for n in titles},
            "fastest_in": {n: sum(w.fastest.column.name == n for w in contests) for n in titles},
        },
        ahead=[titles[name] for name in ahead],
        rows=f"all {count(len(contests), 'row')}{on}" if len(contests) > 1 else f"the only row{on}",
        top=_by_the_means(contests, titles),
    )


def _never_behind(contests: list[Winners], name: str) -> bool:
    return not any(contest.is_behind(name) for contest in contests)


def _best_backend_verdict(contests: list[Winners], names: list[str], ahead: list[str]) -> Answer:
    if not contests:
        return Answer.NOT_MEASURED
    if not ahead:
        return Answer.NO
    alone = [name for name in names if all(contest.is_alone(name) for contest in contests)]
    return Answer.YES if alone else Answer.UNDECIDED


def _by_the_means(contests: list[Winners], titles: dict[str, str]) -> str:
    """' Alone at the top: Keras 3 (JAX) in 5 and ... in 4 of 12 rows; ...'"""
    if not contests:
        return ""
    alone = [f"{titles[n]} in {number}" for n in titles if (number := _alone(contests, n))]
    return (
        f" Shown alone at the top: {listed(alone) if alone else 'none'}"
        f"{' ' if alone else ', in any '}of {count(len(contests), 'row')}."
    )


def _alone(contests: list[Winners], name: str) -> int:
    """In how many rows every other backend is shown slower than this one."""
    return sum(contest.is_alone(name) for contest in contests)


def _contest(contest: Winners) -> str:
    """'fastest Keras 3 (JAX), 8.016 ms; best or equal: Keras 3 (JAX); shown slower: ...'."""
    titles: dict[str, list[str]] = {}
    for cell in contest.backends:
        standing = contest.standings.get(cell.column.name, Standing.NOT_COMPARED)
        titles.setdefault(standing, []).append(cell.column.title)
    standings = [f"{title}: {listed(titles[title])}" for title in Standing if title in titles]
    fastest = contest.fastest
    text = f"fastest {fastest.column.title}, {ms(fastest.step_ms)} ms"
    return "; ".join([text, *standings])


def _faster(name: str, gains: list[Gain], on: str) -> Finding:
    verdicts = {True: Answer.YES, False: Answer.NO, None: Answer.UNDECIDED}
    evidence = [
        (
            gain.row.label,
            f"{gain.text}, {gain.new.column.title} against {gain.base.column.title}"
            + (f": {gain.verdict}" if gain.interval else ""),
        )
        for gain in gains
    ]
    numbers = {
        "gain": {"/".join(map(str, g.row.key)): g.ratio.value - 1 for g in gains},
        "verdicts": {"/".join(map(str, g.row.key)): str(g.verdict) for g in gains},
    }
    verdict = verdicts[all_faster(gains)] if gains else Answer.NOT_MEASURED
    told = f"{tally(in_lines(gains))}{on} ({_range(gains)})" if gains else ""
    return _finding(name, verdict, evidence, numbers, told=told)


def _range(gains: list[Gain]) -> str:
    """'throughput from +5 % [...] in A to +390 % [...] in B'."""
    low, high = (choose(gains, key=lambda gain: gain.ratio.value) for choose in (min, max))
    if low is high:
        return f"throughput {_text(low)} in {low.row.label}"
    return f"throughput from {_text(low)} in {low.row.label} to {_text(high)} in {high.row.label}"


def _text(gain: Gain) -> str:
    """Without what the choice of the fastest adds, which stands with the row."""
    return gain_text(gain.ratio.value, gain.interval)
