"""What one thing changes: a part of the section for every question, its key sentence, and what
stands below the first table where that shows something else.
"""

from __future__ import annotations

from typing import Any

import pandas as pd

from analysis.comparisons.gains import VERDICT_TEXT, gain_text, tally
from analysis.comparisons.pairs import interval_of
from analysis.comparisons.questions import FRAMEWORK, STACK
from analysis.data import Data
from analysis.formats.text import NA, count, listed, ms, percent
from analysis.results.cells import Cell
from analysis.statistics.forecast import MOST_ROUNDS
from analysis.statistics.intervals import MARGIN, Verdict
from analysis.topics import KeySentence
from analysis.topics.effects.compute import (
    PAIR,
    differences,
    different_tests,
    effects,
    means,
    rounds_needed,
)
from analysis.writing.grid import Grid

HEADER = ("Model and task", "Throughput", "Verdict", "Base, ms/step", "New, ms/step")
CHANGED = (*HEADER, "Versions, what else is not the same, or missing")
HEADER += ("Else not the same, or missing",)
MOST_SENTENCES = 3


def section(data: Data) -> dict[str, Any] | None:
    """Return a view per question, in their order; None without any."""
    found = differences(different_tests(data, effects(data)))
    found = found.assign(rounds_needed=rounds_needed(found))
    return {"effects": [_view(of) for _, of in found.groupby("effect")]} if len(found) else None


def key_sentences(data: Data) -> list[KeySentence]:
    """Say what the settings change that columns of this table differ in."""
    found = effects(data)
    of_settings = list(found[found["setting"] != FRAMEWORK].groupby("effect"))
    return [
        KeySentence(f"{of['question'].iloc[0]} {shown(of)}", _anchor(place))
        for place, of in of_settings[:MOST_SENTENCES]
    ]


def table_notes(data: Data) -> list[str]:
    """Say which effects show something else than the first table; empty where all agree."""
    found = different_tests(data, effects(data))
    sentences = {
        "table_only": (
            "Shown slower here, corrected for the columns of a row, but not for {}: that is "
            "corrected for all rows and pairs of its question."
        ),
        "pair_only": (
            "Undecided here, corrected for the columns of a row, but decided as a pair alone for "
            "{}."
        ),
    }
    return [
        sentence.format(_questions(found, name))
        for name, sentence in sentences.items()
        if found[name].any()
    ]


def _questions(found: pd.DataFrame, test: str) -> str:
    """'“What does TF32 change?” (BERT fit)'."""
    of_effects = [of for _, of in found.groupby("effect") if of[test].any()]
    return listed([f"“{of['question'].iloc[0]}” ({_rows(of, of[test])})" for of in of_effects])


def _rows(effect: pd.DataFrame, asked: pd.Series) -> str:
    """'BERT fit'; of several pairs 'BERT fit with Keras 3 (JAX), tf32'."""
    labels = effect["label"]
    if _several(effect):
        labels = labels + " with " + effect["new_title"]
    return listed(labels[asked].tolist())


def _several(effect: pd.DataFrame) -> bool:
    """Return whether an effect has several pairs, so that rows alone do not name a comparison."""
    return len(effect[PAIR].drop_duplicates()) > 1


def _in_the_effect(effect: pd.DataFrame) -> str:
    """Say where the first table calls a pair otherwise; empty where both agree."""
    sentences = []
    if effect["table_only"].any():
        sentences.append(
            f"The table calls the slower column of {_rows(effect, effect['table_only'])} shown "
            "slower, and that is not shown here: the table is corrected for the columns of one "
            f"row, this for all {count(_tested(effect), 'comparison')} of the question."
        )
    if effect["pair_only"].any():
        sentences.append(
            f"The verdict in {_rows(effect, effect['pair_only'])} is that of the pair alone; the "
            "table, corrected for all columns of the row, calls its slower column undecided."
        )
    return " ".join(sentences)


def _tested(effect: pd.DataFrame) -> int:
    return int(effect["p_value"].notna().sum())


def _anchor(place: int) -> str:
    return f"effect-{place}"


def _view(effect: pd.DataFrame) -> dict[str, Any]:
    pairs = (pair for _, pair in effect.groupby(PAIR, sort=False))
    first = effect.iloc[0]
    return {
        "anchor": _anchor(first["effect"]),
        "question": first["question"],
        "says": " ".join(filter(None, [_difference(first), shown(effect), _in_the_effect(effect)])),
        "pairs": list(map(_of_pair, pairs, means(effect).itertuples())),
    }


def _difference(effect: pd.Series) -> str:
    instead = f"{effect['to']} instead of {effect['from']}"
    if effect["setting"] == FRAMEWORK:
        return f"The framework is {instead}; settings that both take are the same."
    return f"The {effect['setting'].replace('_', ' ')} is {instead}; no other setting differs."


def shown(effect: pd.DataFrame) -> str:
    """Say what is shown of all rows and pairs at once."""
    tested = _tested(effect)
    if not tested:
        return (
            "No row has two rounds of both columns that may be compared, so nothing is shown yet."
        )
    over = f"Corrected for {count(tested, 'comparison')} (Holm)" if tested > 1 else "In its one row"
    faster = effect["holds"] & (effect["speedup"] > 1)
    directions = {Verdict.FASTER: faster, Verdict.SLOWER: effect["holds"] & ~faster}
    parts = [
        f"{VERDICT_TEXT[direction]} {_places(effect, held)}"
        for direction, held in directions.items()
        if held.any()
    ]
    if not parts:
        return f"{over}, no difference of more than {percent(MARGIN)} is shown."
    new = f"stack {effect['to'].iloc[0]}" if effect["setting"].iloc[0] == STACK else "it"
    return f"{over}, {new} is shown to be {'; '.join(parts)}."


def _places(effect: pd.DataFrame, held: pd.Series) -> str:
    """'in BERT fit'; of several pairs 'with Keras 3 (JAX), tf32 in every row'."""
    parts = []
    for _, pair in effect.groupby(PAIR, sort=False):
        if labels := pair["label"][held[pair.index]].tolist():
            every = len(labels) == len(pair) > 1
            rows = f"in {'every row' if every else listed(labels)}"
            title = pair["new_title"].iloc[0]
            parts.append(f"with {title} {rows}" if _several(effect) else rows)
    return "; ".join(parts)


def _of_pair(pair: pd.DataFrame, mean: Any) -> tuple[str, Grid]:
    """Return 'A against B: faster in 3 of 4 rows; geometric mean +12 % [...]; it lacks BERT fit',
    and the rows.
    """
    against = f"{mean.new_title} against {mean.base_title}"
    caption = (
        f"{mean.new_title} (new) against {mean.base_title} (base): throughput gain "
        "t(base) / t(new) - 1 with its 95 % interval, paired by round; each verdict is that of its "
        "row alone"
    )
    header = CHANGED if pair["versions"].notna().any() else HEADER
    grid = Grid(caption, header, tuple(map(_line, pair.itertuples())))
    if not mean.rows:
        return f"{against}: no row has both that may be compared.", grid
    text = f"geometric mean of {count(mean.rows, 'row')} {gain(mean)}"
    text += f" ({VERDICT_TEXT[mean.verdict]})" if interval_of(mean) else ""
    text += f"; it lacks {listed(mean.missing)}" if mean.missing else ""
    return f"{against}: {tally(pair.dropna(subset='speedup'))}; {text}.", grid


def _line(pair: Any) -> tuple[str, ...]:
    times = (time_of(pair.base_cell), time_of(pair.new_cell))
    if pd.isna(pair.speedup):
        return (pair.label, NA, "none", *times, pair.missing)
    texts = [text for text in (pair.versions, pair.not_the_same) if pd.notna(text)]
    on_one_line = gain(pair).replace(" ", "\u00a0")  # on a phone, too
    return (pair.label, on_one_line, _verdict(pair), *times, "; ".join(texts) or "nothing")


def gain(found: Any) -> str:
    """'+42 % [+40 %, +44 %]' of a line with `speedup` and its interval."""
    return NA if pd.isna(found.speedup) else gain_text(found.speedup, interval_of(found))


def time_of(cell: Cell) -> str:
    """ms/step, or what became of the cell."""
    return ms(cell.step_ms) if cell.ok_runs else cell.status


def _verdict(pair: Any) -> str:
    """Return the verdict; where there is none, how many more rounds would probably give one."""
    if interval_of(pair) is None:
        return "none (a single round shows nothing)"
    text = VERDICT_TEXT[pair.verdict]
    if pair.verdict != Verdict.AMBIGUOUS:
        return text
    if pd.isna(pair.rounds_needed):
        return f"{text}; even {MOST_ROUNDS} rounds would probably not decide it"
    more = count(pair.rounds_needed - pair.rounds, "more round")
    return f"{text}; about {more} would as likely as not decide it"
