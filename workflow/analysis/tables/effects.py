"""What one thing changes, row by row, as CSV."""

from __future__ import annotations

from collections.abc import Iterable

from analysis.comparisons.effects import Comparison, Effect, PairEffect, effects_of
from analysis.comparisons.questions import Question
from analysis.results.results import Results
from analysis.statistics.intervals import Interval
from analysis.tables.csv_files import csv_of, value_text

HEADER = ("question", "setting", "from", "to", "base", "new", "model", "task", "batch_size")
HEADER += ("base_ms_per_step", "new_ms_per_step", "speedup", "ci95_low", "ci95_high", "rounds")
HEADER += ("verdict", "holds_for_all_rows", "rounds_to_decide", "missing", "not_the_same")
HEADER += ("versions",)
MEAN = "geometric mean"  # in the place of a row's model


def effects_csv(results: Results) -> str:
    """One line per question, pair and row, then one for the geometric mean of the pair's rows.

    speedup is t(base) / t(new). Ends are NA below two rounds, and so is the verdict.
    """
    return csv_of(HEADER, ([value_text(entry) for entry in line] for line in _lines(results)))


def _lines(results: Results) -> Iterable[tuple]:
    for effect in effects_of(results):
        for pair in effect.pairs:
            head = (*_question(effect.question), pair.pair.base.name, pair.pair.new.name)
            for found in pair.comparisons:
                yield (*head, *_row(effect, found))
            yield (*head, *_mean(pair))


def _question(question: Question) -> tuple[str, ...]:
    return question.text, question.setting, question.base, question.new


def _row(effect: Effect, found: Comparison) -> tuple:
    gain = found.gain
    times = (found.base.step_ms, found.new.step_ms)
    texts = ("; ".join(found.differences) or None, "; ".join(found.versions) or None)
    tail = (found.missing or None, *texts)
    if gain is None:
        return (*found.row.row.key, *times, *[None] * 4, *[None] * 3, *tail)
    verdict = (str(gain.verdict), found in effect.shown) if gain.interval else (None, None)
    rounds = gain.ratio.rounds
    ratio = (gain.ratio.value, *_ends(gain.interval), rounds)
    return (*found.row.row.key, *times, *ratio, *verdict, found.rounds_needed, *tail)


def _mean(pair: PairEffect) -> tuple:
    mean = pair.mean
    if mean is None:
        return (MEAN, *[None] * 10, None, "every row", None, None)
    verdict = str(pair.mean_verdict) if mean.interval else None
    missing = ", ".join(mean.missing) or None
    numbers = (mean.value, *_ends(mean.interval), None)
    return (MEAN, None, None, None, None, *numbers, verdict, None, None, missing, None, None)


def _ends(interval: Interval | None) -> tuple[float | None, float | None]:
    return (interval.low, interval.high) if interval else (None, None)
