"""What is shown of whole effects, and where the first table shows something else, in sentences."""

import pandas as pd

from analysis.comparisons.gains import VERDICT_TEXT
from analysis.comparisons.questions import FRAMEWORK, STACK
from analysis.data import Data
from analysis.formats.text import count, listed, percent
from analysis.statistics.intervals import MARGIN, Verdict
from analysis.topics import KeySentence
from analysis.topics.effects.compute import PAIR, different_tests, effects

MOST_SENTENCES = 3


def key_sentences(data: Data) -> list[KeySentence]:
    """Say what the settings change that columns of this table differ in, where that is shown."""
    found = effects(data)
    of_settings = found[found["setting"] != FRAMEWORK].groupby("effect")
    held = [(place, of) for place, of in of_settings if of["holds"].any()]
    return [
        KeySentence(f"{of['question'].iloc[0]} {shown(of)}", f"#{anchor_of(place)}")
        for place, of in held[:MOST_SENTENCES]
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


def against_table(effect: pd.DataFrame) -> str:
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


def anchor_of(place: int) -> str:
    return f"effect-{place}"


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
