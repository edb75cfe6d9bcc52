"""Is native code worth it? Three questions, answered from the operations that were timed in several
ways: is it a problem, can the framework do it itself, does it pay?
"""

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from analysis.data import ROW, CellKey, Data, cell_key
from analysis.formats.text import NA, count, listed, ms, percent, seconds, times
from analysis.statistics.intervals import MARGIN, Interval, Verdict, verdict
from analysis.statistics.payoff import Pays
from analysis.topics import KeySentence
from analysis.topics.native import grids
from analysis.topics.native.compute import GROUP, naive_builds, payoffs, ways
from analysis.topics.native.ways import measured_ways

WORDS = {
    Pays.YES: "pays",
    Pays.NO: f"is shown to bring no more than {percent(MARGIN)}",
    Pays.NOT_SHOWN: "is not shown to pay",
}
ITSELF_WORDS = {
    Verdict.SLOWER: "takes longer than native code",
    Verdict.SAME: f"takes the same within {percent(MARGIN)}",
    Verdict.FASTER: "takes less",
    Verdict.AMBIGUOUS: "is not shown to take longer or less",
}


def values(data: Data) -> dict[str, Any] | None:
    """Return sentences and tables of the three questions; one without lines shows nothing."""
    every = ways(data)
    if every.empty:
        return None
    found = payoffs(every)
    measured = found[found["cell_framework"].notna()]
    compared = found[found["cell_native"].notna()]
    itself = compared.assign(
        verdict=_alone_verdicts(compared),
        why_not_shown=[
            "no round in which both were timed alone" if text == NA else text
            for text in grids.spelled(compared, "gain_alone", times, "_native")
        ],
    )
    return {
        "problem": grids.problem(measured),
        "itself_verdicts": list(_by_row(itself, "the framework's best way", ITSELF_WORDS)),
        "pays": grids.pays(compared),
        "verdicts": list(_by_row(compared, "native code", WORDS)),
        "notes": [*_beyond_shares(found), *_naive(every)],
        "every_way": [
            (group["title"].iloc[0], grids.every_way(group))
            for _, group in every.groupby(GROUP, sort=False)
        ],
    }


def key_sentences(data: Data) -> list[KeySentence]:
    """Say where native code is worth it, of all rows around an operation, where that is shown."""
    found = payoffs(ways(data))
    found = found[found["cell_native"].notna() & (found["task"] == "fit")]
    if found.empty:
        return []
    pays, no = list(found["title"][found["verdict"] == Pays.YES]), sum(found["verdict"] == Pays.NO)
    if not (pays or no):
        return []
    where = f" ({listed(pays)})" if pays else ""
    text = (
        f"Native code pays in {len(pays)} of {count(len(found), 'training step')} built around "
        f"an operation{where}; in {no} it brings no more than {percent(MARGIN)}."
    )
    return [KeySentence(text, "#native")]


def cell_facts(data: Data) -> dict[CellKey, list[tuple[str, str]]]:
    """Tell of the operation that a cell's model is around, timed alone."""
    found = measured_ways(data)
    found = found[found["way"].notna()]
    return {cell_key(way.cell): list(_facts(way)) for way in found.itertuples()}


def _facts(way: Any) -> Iterator[tuple[str, str]]:
    first = way.first
    uses = f", {count(first.uses, 'use')} a step" if first.uses else ""
    alone = NA if pd.isna(way.alone_ms) else f"{ms(way.alone_ms)} ms{uses}"
    lines = count(first.lines, "line")
    yield "Its operation alone", f"{first.name}, {first.way}: {alone}, {lines} of code"
    agreement = grids.agreement_text(first.agreement)
    yield "Its results", f"largest difference, of what is allowed: {agreement}"
    if first.build:
        yield "Built", f"in {seconds(way.build_s)} s by {grids.build_text(first.build)}"


def _by_row(found: pd.DataFrame, subject: str, words: Mapping[str, str]) -> Iterator[str]:
    """Say 'mas in Aligner fit: native code pays on plain PyTorch; is not shown to pay on Keras 3
    (JAX) (one run).' The words are by verdict.
    """
    for (*_, operation), of_row in found.groupby([*ROW, "operation"], sort=False):
        parts = []
        for key, text in words.items():
            of_key = of_row[of_row["verdict"] == key]
            whys = zip(of_key["framework"], of_key["why_not_shown"], strict=True)
            names = [f"{framework} ({why})" if why else framework for framework, why in whys]
            parts += [f"{text} on {listed(names)}"] if names else []
        label = of_row["cell_native"].iloc[0].row.label
        yield f"{operation} in {label}: {subject} {'; '.join(parts)}."


def _alone_verdicts(found: pd.DataFrame) -> list[Verdict]:
    """Judge how long the framework's best way takes beside native code, in the operation."""
    ends = zip(
        found["gain_alone_ci95_low_native"], found["gain_alone_ci95_high_native"], strict=True
    )
    return [verdict(None if pd.isna(low) else Interval(low, high)) for low, high in ends]


def _beyond_shares(found: pd.DataFrame) -> Iterator[str]:
    """Say where a share of a step misleads: alone is not the same as inside a step."""
    steps = grids.spelled(found, "gain_step", times, "_native")
    for line, step in zip(found.to_dict("records"), steps, strict=True):
        where = f"{line['operation']} in {line['title']}"
        if line["beyond"]:
            yield (
                f"{where}: the step is {step} as fast, more than the share of the operation allows "
                f"({times(line['most_by_share_framework'])} at most): alone is not the same as "
                "inside a step, where it is fused with others, waits for memory, or keeps a "
                "compiler from its work."
            )
        if line["share_ci95_low_framework"] > 1:
            yield (
                f"{where}: alone the operation takes longer than the whole step "
                f"({percent(line['share_framework'])} of it), so a part of it is not there in a "
                "step: fused with others, or beside them."
            )


def _naive(every: pd.DataFrame) -> Iterator[str]:
    """Say what the flags bring."""
    found = naive_builds(every)
    gains = grids.spelled(found, "gain_flags", times)
    for pair, gain in zip(found.itertuples(), gains, strict=True):
        yield (
            f"{pair.operation} in {pair.title}: {pair.cell.column.title}, built with "
            f"{' '.join(pair.first.build.compile_flags)}, takes {gain} the time of "
            f"{pair.cell_tuned.column.title} in the operation alone."
        )
