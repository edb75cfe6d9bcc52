"""What one thing changes: a part of the section for every question, with a table for every pair."""

from typing import Any

import pandas as pd

from analysis.comparisons.gains import VERDICT_TEXT, gain_text, tally
from analysis.comparisons.pairs import interval_of
from analysis.comparisons.questions import FRAMEWORK
from analysis.data import Data
from analysis.formats.text import NA, count, listed, ms
from analysis.results.cells import Cell
from analysis.statistics.forecast import MOST_ROUNDS
from analysis.statistics.intervals import Verdict
from analysis.topics.effects.compute import (
    PAIR,
    differences,
    different_tests,
    effects,
    means,
    rounds_needed,
)
from analysis.topics.effects.sentences import against_table, anchor_of, shown
from analysis.writing.grid import Grid

HEADER = ("Model and task", "Throughput", "Verdict", "Base, ms/step", "New, ms/step")
CHANGED = (*HEADER, "Versions, what else is not the same, or missing")
HEADER += ("Else not the same, or missing",)


def section(data: Data) -> dict[str, Any] | None:
    """Return a view per question, in their order; None without any."""
    found = differences(different_tests(data, effects(data)))
    found = found.assign(rounds_needed=rounds_needed(found))
    return {"effects": [_view(of) for _, of in found.groupby("effect")]} if len(found) else None


def _view(effect: pd.DataFrame) -> dict[str, Any]:
    pairs = (pair for _, pair in effect.groupby(PAIR, sort=False))
    first = effect.iloc[0]
    return {
        "anchor": anchor_of(first["effect"]),
        "question": first["question"],
        "says": " ".join(filter(None, [_difference(first), shown(effect), against_table(effect)])),
        "pairs": list(map(_of_pair, pairs, means(effect).itertuples())),
    }


def _difference(effect: pd.Series) -> str:
    instead = f"{effect['to']} instead of {effect['from']}"
    if effect["setting"] == FRAMEWORK:
        return f"The framework is {instead}; settings that both take are the same."
    return f"The {effect['setting'].replace('_', ' ')} is {instead}; no other setting differs."


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
