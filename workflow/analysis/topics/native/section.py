"""Is native code worth it? Three questions, answered from the operations that were timed in several
ways: is it a problem, can the framework do it itself, does it pay?
"""

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from analysis.data import ROW, CellKey, Data, cell_key
from analysis.formats.spelling import known, within
from analysis.formats.text import NA, count, listed, ms, percent, seconds, spread
from analysis.results.timed_operation import Agreement, Build
from analysis.statistics.intervals import MARGIN, Verdict
from analysis.topics import KeySentence
from analysis.topics.native.compute import (
    EARN_BACK,
    GROUP,
    NEVER,
    Pays,
    judged,
    naive_builds,
    payoffs,
    ways,
)
from analysis.topics.native.ways import NATIVE
from analysis.writing.texts import Texts, records

TEXTS = Texts(__file__)
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


def section(data: Data) -> dict[str, Any] | None:
    """Return sentences and tables of the three questions; one without lines shows nothing."""
    every = ways(data)
    if every.empty:
        return None
    found = payoffs(every).assign(
        gain_alone=lambda lines: _gains(lines, "gain_alone"),
        gain_step=lambda lines: _gains(lines, "gain_step"),
        earned_back=lambda lines: list(
            map(earned_back, *(lines[f"{name}_native"] for name in EARN_BACK))
        ),
    )
    shares = found.filter(regex="^share.*_framework$").clip(lower=0.0)
    measured = found.assign(**shares)[found["cell_framework"].notna()]
    compared = found[found["cell_native"].notna()]
    ends = (compared[f"gain_alone_ci95_{end}_native"] for end in ("low", "high"))
    whys = compared["gain_alone"].replace(NA, "no round in which both were timed alone")
    itself = compared.assign(verdict=list(map(judged, *ends)), why_not_shown=whys)
    found_by = (record for cell in compared["cell_native"] for record in cell.records)
    threads = max((record.threads.requested for record in found_by), default=1)
    return {
        "problem": TEXTS.grid("problem", measured),
        "itself_verdicts": list(_by_row(itself, "the framework's best way", ITSELF_WORDS)),
        "pays": TEXTS.grid("pays", compared, margin=MARGIN, threads=threads),
        "verdicts": list(_by_row(compared, "native code", WORDS)),
        "notes": list(_notes(found, every)),
        "every_way": [
            (title, TEXTS.grid("every_way", _spelled(group), title=title, operation=operation))
            for (*_, title, operation), group in every.groupby(
                [*GROUP, "title", "operation"], sort=False
            )
        ],
    }


def _spelled(group: pd.DataFrame) -> pd.DataFrame:
    """Return ways with how each was `built` and its `agreement` in words."""
    known_first = group["first"].dropna()
    return group.assign(
        built=known_first.map(lambda first: build_text(first.build)),
        agreement=known_first.map(lambda first: agreement_text(first.agreement)),
    )


def _gains(found: pd.DataFrame, name: str) -> list[str]:
    ends = (found[f"{name}{end}_native"] for end in ("", "_ci95_low", "_ci95_high"))
    return list(map(within, *ends))


def earned_back(steps: int | str | None, low: int | str | None, high: int | str | None) -> str:
    """Spell '1,234', '1,234 [1,100, never]', 'never'."""
    ends = (None, None) if low == high == NEVER else (low, high)
    return within(steps, *ends, lambda steps: steps if steps == NEVER else f"{steps:,}")


def build_text(build: Build | None) -> str:
    """Spell 'g++ 12.2.0: -O3 -march=native; linked with -lc10'; NA where nothing is built."""
    if build is None:
        return NA
    link = f"; linked with {' '.join(build.link_flags)}" if build.link_flags else ""
    return f"{build.compiler}: {' '.join(build.compile_flags) or 'no flags'}{link}"


def agreement_text(found: Agreement) -> str:
    """Spell 'outputs 0 of 0, gradients 1e-06 of 1e-05, losses of 10 steps 1e-07 of 0.0001'."""
    named = {"outputs": found.outputs, "gradients": found.gradients, "losses": found.losses}
    return listed(
        [
            f"{name}{f' of {part.steps} steps' if part.steps else ''} "
            f"{part.largest_difference:.2g} of {part.allowed:.2g}"
            for name, part in named.items()
            if part
        ]
    )


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


def _notes(found: pd.DataFrame, every: pd.DataFrame) -> Iterator[str]:
    """Say where a share of a step misleads, and what the flags bring."""
    for line in found.to_dict("records"):
        if line["beyond"]:
            yield TEXTS.say("beyond", **line)
        if line["share_ci95_low_framework"] > 1:
            yield TEXTS.say("longer", **line)
    for line in records(naive_builds(every)):
        yield TEXTS.say("naive", **line)


def key_sentences(data: Data) -> list[KeySentence]:
    """Say where native code is worth it, of all rows around an operation, where that is shown."""
    found = payoffs(ways(data))
    found = found[found["cell_native"].notna() & (found["task"] == "fit")]
    pays, no = list(found["title"][found["verdict"] == Pays.YES]), sum(found["verdict"] == Pays.NO)
    if not (pays or no):
        return []
    text = TEXTS.say("key", pays=pays, no=no, asked=len(found), margin=MARGIN)
    return [KeySentence(text, "#native")]


def cell_facts(data: Data) -> dict[CellKey, list[tuple[str, str]]]:
    """Tell of the operation that a cell's model is built around: its time alone, results, build."""
    found = ways(data)
    found = found[found["way"].notna()]
    return {cell_key(way.cell): list(_facts(way)) for way in found.itertuples()}


def _facts(way: Any) -> Iterator[tuple[str, str]]:
    first = way.first
    uses = f", {count(first.uses, 'use')} a step" if first.uses else ""
    alone = known(way.alone_ms, lambda alone_ms: f"{ms(alone_ms)} ms{uses}")
    lines = count(first.lines, "line")
    yield "Its operation alone", f"{first.name}, {first.way}: {alone}, {lines} of code"
    yield (
        "Its results",
        f"largest difference, of what is allowed: {agreement_text(first.agreement)}",
    )
    if first.build:
        yield "Built", f"in {seconds(way.build_s)} s by {build_text(first.build)}"


def methods(data: Data) -> list[str]:
    """Return how operations were timed; nothing where none was measured in a native way."""
    if NATIVE not in set(ways(data)["best"]):
        return []
    found = [record.operation for record in data.results.records if record.operation]
    names = sorted({operation.name for operation in found})
    compilers = sorted({operation.build.compiler for operation in found if operation.build})
    calls = spread(len(operation.alone_ns) for operation in found if operation.alone_ns)
    told = {"names": names, "compilers": compilers, "calls": calls, "margin": MARGIN}
    return [TEXTS.say("methods", **told)]
