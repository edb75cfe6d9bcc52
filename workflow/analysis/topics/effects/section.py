"""What one thing changes: a part of the section for every question, with a table for every pair;
what is shown of whole effects, and where the first table shows something else, in sentences.
"""

from typing import Any

import pandas as pd

from analysis.comparisons.gains import VERDICT_TEXT, tally
from analysis.comparisons.questions import FRAMEWORK, STACK
from analysis.data import Data
from analysis.formats.text import listed, ms
from analysis.results.cells import Cell
from analysis.results.runs import UNSUPPORTED
from analysis.statistics.forecast import MOST_ROUNDS
from analysis.statistics.intervals import MARGIN, Verdict
from analysis.topics import KeySentence
from analysis.topics.effects.compute import PAIR, effects, gain, means
from analysis.writing.grid import Grid
from analysis.writing.texts import Texts

TEXTS = Texts(__file__)
MOST_SENTENCES = 3
MOST_GAINS = 2  # in a sentence at the top; of more it names the rows alone
MOST_MEANS = 3  # over rows, there; of more pairs of columns it has none
OTHER_TESTS = ("table_only", "pair_only")


def section(data: Data) -> dict[str, Any] | None:
    """Return a view per question, in their order; None without any."""
    found = effects(data)
    return {"effects": [_view(of) for _, of in found.groupby("effect")]} if len(found) else None


def key_sentences(data: Data) -> list[KeySentence]:
    """Say what the settings change that columns of this table differ in, where that is shown in a
    row or over rows. In a study also what frameworks change, and last the settings, which it asks
    about, of which nothing is shown or can be.
    """
    study, shown, nothing = data.results.plan.study, [], []
    for _, effect in effects(data).groupby("effect"):
        of_setting = effect["setting"].iloc[0] != FRAMEWORK
        if _is_shown(effect):
            shown += [effect] if study or of_setting else []
        elif study and of_setting and (_tested(effect) or _cannot_run(effect)):
            nothing.append(effect)
    return list(map(_key_sentence, [*shown, *nothing][:MOST_SENTENCES]))


def _is_shown(effect: pd.DataFrame) -> bool:
    return bool(effect["holds"].any()) or any(map(_shows, _averaged(effect)))


def _tested(effect: pd.DataFrame) -> int:
    return int(effect["p_value"].notna().sum())


def _averaged(effect: pd.DataFrame) -> list[Any]:
    """Its means over rows, all of them, so that none is told for having come out well, with
    intervals that hold all at once; none where there are too many.
    """
    pairs = effect.groupby(PAIR).ngroups
    found = [mean for mean in means(effect, pairs).itertuples() if mean.rows > 1]
    return found if len(found) <= MOST_MEANS else []


def _key_sentence(effect: pd.DataFrame) -> KeySentence:
    view, holds, of_rows = _view(effect), int(effect["holds"].sum()), _averaged(effect)
    says = view["shown"]
    if 0 < holds <= MOST_GAINS:
        labels = [f"{line.label} ({gain(line)})" for line in effect.itertuples()]
        says = _shown(effect.assign(label=labels), view["tested"])
    if holds and not any(map(_shows, of_rows)):
        of_rows = []
    told = [TEXTS.say("over_rows", means=of_rows, gain=gain)] if of_rows else []
    return KeySentence(" ".join([view["question"], says, *told]), f"#{view['anchor']}")


def _shows(mean: Any) -> bool:
    return mean.verdict in (Verdict.FASTER, Verdict.SLOWER)


def table_notes(data: Data) -> list[str]:
    """Say which effects show something else than the first table; empty where all agree."""
    every = [of for _, of in effects(data).groupby("effect")]
    notes = []
    for test in OTHER_TESTS:
        found = [
            f"“{of['question'].iloc[0]}” ({_rows(of, test)})" for of in every if of[test].any()
        ]
        notes += [TEXTS.say(f"{test}_note", rows=listed(found))] if found else []
    return notes


def _view(effect: pd.DataFrame) -> dict[str, Any]:
    first, tested = effect.iloc[0], _tested(effect)
    kind = "framework" if first["setting"] == FRAMEWORK else "setting"
    instead = f"{first['to']} instead of {first['from']}"
    cannot = _cannot_run(effect)
    shown = TEXTS.say("cannot_run", reasons=cannot) if cannot else _shown(effect, tested)
    otherwise = [
        TEXTS.say(test, rows=_rows(effect, test), tested=tested)
        for test in OTHER_TESTS
        if effect[test].any()
    ]
    difference = TEXTS.say(kind, setting=first["setting"], instead=instead)
    pairs = (pair for _, pair in effect.groupby(PAIR, sort=False))
    return {
        "anchor": f"effect-{first['effect']}",
        "question": first["question"],
        "shown": shown,
        "tested": tested,
        "says": " ".join([difference, shown, *otherwise]),
        "pairs": []
        if cannot
        else list(map(_of_pair, pairs, means(effect).itertuples(index=False))),
    }


def _cannot_run(effect: pd.DataFrame) -> list[str]:
    """Why no row can have both columns on this machine; empty where one can."""
    cells = zip(effect["base_cell"], effect["new_cell"], strict=True)
    why = [[cell.reason for cell in pair if cell.status == UNSUPPORTED] for pair in cells]
    return sorted({reason for reasons in why for reason in reasons}) if all(why) else []


def _shown(effect: pd.DataFrame, tested: int) -> str:
    """Say what is shown of all rows and pairs at once."""
    if not tested:
        return TEXTS.say("not_tested")
    faster = effect["holds"] & (effect["speedup"] > 1)
    directions = {Verdict.FASTER: faster, Verdict.SLOWER: effect["holds"] & ~faster}
    parts = [
        f"{VERDICT_TEXT[direction]} {_places(effect, held)}"
        for direction, held in directions.items()
        if held.any()
    ]
    new = f"stack {effect['to'].iloc[0]}" if effect["setting"].iloc[0] == STACK else "it"
    return TEXTS.say("shown", tested=tested, parts=parts, new=new, margin=MARGIN)


def _places(effect: pd.DataFrame, held: pd.Series) -> str:
    """Rows in words: 'in BERT fit'; of several pairs 'with Keras 3 (JAX), tf32 in every row'."""
    parts = []
    for _, pair in effect.groupby(PAIR, sort=False):
        if labels := pair["label"][held[pair.index]].tolist():
            every = len(labels) == len(pair) > 1
            rows = f"in {'every row' if every else listed(labels)}"
            title = pair["new_title"].iloc[0]
            parts.append(f"with {title} {rows}" if len(pair) < len(effect) else rows)
    return "; ".join(parts)


def _rows(effect: pd.DataFrame, test: str) -> str:
    """The rows in words: 'BERT fit'; of several pairs 'BERT fit with Keras 3 (JAX), tf32'."""
    labels = effect["label"]
    if effect.groupby(PAIR).ngroups > 1:
        labels = labels + " with " + effect["new_title"]
    return listed(labels[effect[test]].tolist())


def _of_pair(pair: pd.DataFrame, mean: Any) -> tuple[str, Grid]:
    """Return 'A against B: faster in 3 of 4 rows; geometric mean +12 % [...]; it lacks BERT fit',
    and the rows.
    """
    told = {"verdicts": VERDICT_TEXT, "most_rounds": MOST_ROUNDS}
    titles = {name: getattr(mean, name) for name in ("new_title", "base_title")}
    lines = pair.drop(columns=list(titles)).assign(
        gain=[gain(line) for line in pair.itertuples()],
        time_base=pair["base_cell"].map(time_of),
        time_new=pair["new_cell"].map(time_of),
    )
    grid = TEXTS.grid("table", lines, **told, **titles)
    of_mean = {**mean._asdict(), "verdict": VERDICT_TEXT.get(mean.verdict), "gain": gain(mean)}
    return TEXTS.say("pair", tally=tally(pair.dropna(subset="speedup")), **of_mean), grid


def time_of(cell: Cell) -> str:
    """ms/step of a cell, or its status where it has none."""
    return ms(cell.step_ms) if cell.ok_runs else cell.status
