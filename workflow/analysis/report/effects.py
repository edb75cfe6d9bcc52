"""What one thing changes: a part of the page for every question that the columns answer."""

from __future__ import annotations

from dataclasses import dataclass

from analysis.comparisons.different_tests import different_tests
from analysis.comparisons.effects import Comparison, Effect, PairEffect, effects_of
from analysis.comparisons.gains import VERDICT_TEXT, gain_text, tally
from analysis.comparisons.questions import FRAMEWORK, STACK, Question
from analysis.formats.text import NA, anchor, count, listed, ms, percent
from analysis.report.different_tests import in_the_effect
from analysis.results.cells import Cell
from analysis.results.results import Results
from analysis.statistics.forecast import MOST_ROUNDS
from analysis.statistics.intervals import MARGIN, Verdict
from analysis.writing.grid import Grid

HEADER = ("Model and task", "Throughput", "Verdict", "Base, ms/step", "New, ms/step")
CHANGED = (*HEADER, "Versions, what else is not the same, or missing")
HEADER += ("Else not the same, or missing",)


@dataclass(frozen=True)
class EffectView:
    """A question, what differs, what the rows show together, and a table for each pair."""

    anchor: str
    setting: str
    question: str
    difference: str
    shown: str
    different_tests: list[str]  # where the table calls a pair otherwise
    pairs: list[tuple[str, Grid]]  # what the pair shows, row by row


def effect_views(results: Results) -> list[EffectView]:
    """In the order of the questions."""
    return [_view(place, effect) for place, effect in enumerate(effects_of(results), start=1)]


def _view(place: int, effect: Effect) -> EffectView:
    return EffectView(
        anchor("effect", str(place)),
        effect.question.setting,
        effect.question.text,
        _difference(effect.question),
        _shown(effect),
        in_the_effect(different_tests(effect)),
        [(_summary(pair), _grid(pair)) for pair in effect.pairs],
    )


def _difference(question: Question) -> str:
    if question.setting == FRAMEWORK:
        return (
            f"The framework is {question.new} instead of {question.base}; settings that both take "
            "are the same."
        )
    setting = question.setting.replace("_", " ")
    return f"The {setting} is {question.new} instead of {question.base}; no other setting differs."


def _shown(effect: Effect) -> str:
    """What is shown of all rows and pairs at once."""
    tested = sum(bool(found.p_values) for found in effect.comparisons)
    if not tested:
        return (
            "No row has two rounds of both columns that may be compared, so nothing is shown yet."
        )
    parts = []
    for direction in (Verdict.FASTER, Verdict.SLOWER):
        if places := [found for found, of in effect.shown.items() if of is direction]:
            parts.append(f"{VERDICT_TEXT[direction]} {_places(effect, places)}")
    over = f"Corrected for {count(tested, 'comparison')} (Holm)" if tested > 1 else "In its one row"
    if not parts:
        return f"{over}, no difference of more than {percent(MARGIN)} is shown."
    new = f"stack {effect.question.new}" if effect.question.setting == STACK else "it"
    return f"{over}, {new} is shown to be {'; '.join(parts)}."


def _places(effect: Effect, shown: list[Comparison]) -> str:
    """'in BERT fit'; of several pairs 'with Keras 3 (JAX), tf32 in every row'."""
    parts = []
    for pair in effect.pairs:
        labels = [found.row.row.label for found in pair.comparisons if found in shown]
        whole = len(labels) == len(pair.comparisons) > 1
        rows = f"in {'every row' if whole else listed(labels)}"
        several = len(effect.pairs) > 1
        parts += [f"with {pair.pair.new.title} {rows}" if several else rows] if labels else []
    return "; ".join(parts)


def _summary(pair: PairEffect) -> str:
    """'A against B: faster in 3 of 4 rows; geometric mean +12 % [...]; missing from it: ...'."""
    against = f"{pair.pair.new.title} against {pair.pair.base.title}"
    mean = pair.mean
    if mean is None:
        return f"{against}: no row has both that may be compared."
    text = f"geometric mean of {count(len(mean.rows), 'row')} "
    text += gain_text(mean.value, mean.interval)
    text += f" ({VERDICT_TEXT[pair.mean_verdict]})" if mean.interval else ""
    missing = f"; it lacks {listed(list(mean.missing))}" if mean.missing else ""
    return f"{against}: {tally(pair.gains)}; {text}{missing}."


def _grid(pair: PairEffect) -> Grid:
    header = HEADER if not any(found.versions for found in pair.comparisons) else CHANGED
    caption = (
        f"{pair.pair.new.title} (new) against {pair.pair.base.title} (base): throughput gain "
        "t(base) / t(new) - 1 with its 95 % interval, paired by round; each verdict is that of its "
        "row alone"
    )
    return Grid(caption, header, tuple(map(_line, pair.comparisons)))


def _line(found: Comparison) -> tuple[str, ...]:
    times = (_time(found.base), _time(found.new))
    if found.gain is None:
        return (found.row.row.label, NA, "none", *times, found.missing)
    differences = "; ".join([*found.versions, *found.differences])
    gain = found.gain.text.replace(" ", "\u00a0")  # on a phone, too, on one line
    return (found.row.row.label, gain, _verdict(found), *times, differences or "nothing")


def _time(cell: Cell) -> str:
    return ms(cell.step_ms) if cell.ok_runs else cell.status


def _verdict(found: Comparison) -> str:
    """The verdict; where there is none, how many more rounds would probably give one."""
    if not found.gain.interval:
        return "none (a single round shows nothing)"
    text = VERDICT_TEXT[found.gain.verdict]
    if not found.undecided:
        return text
    if found.rounds_needed is None:
        return f"{text}; even {MOST_ROUNDS} rounds would probably not decide it"
    more = count(found.rounds_needed - found.gain.ratio.rounds, "more round")
    return f"{text}; about {more} would as likely as not decide it"
