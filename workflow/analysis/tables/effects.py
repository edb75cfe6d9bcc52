"""What one thing changes, row by row, as CSV and LaTeX."""

from __future__ import annotations

from collections.abc import Iterable

from analysis.comparisons.effects import Comparison, Effect, PairEffect, effects_of
from analysis.comparisons.gains import VERDICT_TEXT, gain_text
from analysis.comparisons.questions import Question
from analysis.formats.text import NA, count, latex, ms
from analysis.results.cells import Cell, Results
from analysis.statistics.intervals import Interval
from analysis.tables.csv_files import csv_of, value_text

HEADER = ("question", "setting", "from", "to", "base", "new", "model", "task", "batch_size")
HEADER += ("base_ms_per_step", "new_ms_per_step", "speedup", "ci95_low", "ci95_high", "rounds")
HEADER += ("verdict", "holds_for_all_rows", "rounds_to_decide", "missing", "not_the_same")
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
    tail = (found.missing or None, "; ".join(found.differences) or None)
    if gain is None:
        return (*found.row.row.key, *times, *[None] * 4, *[None] * 3, *tail)
    verdict = (str(gain.verdict), found in effect.shown) if gain.interval else (None, None)
    rounds = gain.ratio.rounds
    ratio = (gain.ratio.value, *_ends(gain.interval), rounds)
    return (*found.row.row.key, *times, *ratio, *verdict, found.rounds_needed, *tail)


def _mean(pair: PairEffect) -> tuple:
    mean = pair.mean
    if mean is None:
        return (MEAN, *[None] * 10, None, "every row", None)
    verdict = str(pair.mean_verdict) if mean.interval else None
    missing = ", ".join(mean.missing) or None
    numbers = (mean.value, *_ends(mean.interval), None)
    return (MEAN, None, None, None, None, *numbers, verdict, None, None, missing, None)


def _ends(interval: Interval | None) -> tuple[float | None, float | None]:
    return (interval.low, interval.high) if interval else (None, None)


def effects_latex(results: Results) -> str:
    """A float per question, which needs booktabs and nothing else; a comment where there is
    none.
    """
    found = effects_of(results)
    if not found:
        return "% no two columns of this table differ in one thing alone\n"
    return "\n".join(["% needs \\usepackage{booktabs}", *map(_table, found)])


def _table(effect: Effect) -> str:
    lines = [
        r"\begin{table}",
        r"\centering\scriptsize\setlength{\tabcolsep}{2pt}",
        rf"\caption{{{latex(effect.question.text)} {latex(_caption(effect))}}}\medskip",
        r"\begin{tabular}{@{}lrrrrl@{}}",
        r"\toprule",
        r"Model and task & Batch & ms, base & ms, new & Throughput & Verdict \\",
    ]
    for pair in effect.pairs:
        against = f"{pair.pair.new.title} against {pair.pair.base.title}"
        lines += [r"\midrule", rf"\multicolumn{{6}}{{@{{}}l}}{{\emph{{{latex(against)}}}}} \\"]
        lines += [_latex_row(effect, found) for found in pair.comparisons]
        lines += [_latex_mean(pair)]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", r"\end{table}", ""])


def _caption(effect: Effect) -> str:
    text = (
        "Throughput gain t(base) / t(new) - 1 with its 95 % interval, paired by round; a verdict "
        "is that of the row by itself."
    )
    return f"{text} Bold: shown for all rows at once (Holm)." if effect.shown else text


def _latex_row(effect: Effect, found: Comparison) -> str:
    row, gain = found.row.row, found.gain
    times = (_time(found.base), _time(found.new))
    text = gain.text if gain else NA
    verdict = latex(VERDICT_TEXT[gain.verdict] if gain and gain.interval else NA)
    if found in effect.shown:
        verdict = rf"\textbf{{{verdict}}}"
    return _line(*map(latex, (row.title, str(row.batch_size), *times, text)), verdict)


def _latex_mean(pair: PairEffect) -> str:
    mean = pair.mean
    if mean is None:
        return _line("Geometric mean", "", "", "", NA, NA)
    of = f"Geometric mean, {count(len(mean.rows), 'row')}"
    verdict = VERDICT_TEXT[pair.mean_verdict] if mean.interval else NA
    return _line(of, "", "", "", *map(latex, (gain_text(mean.value, mean.interval), verdict)))


def _time(cell: Cell) -> str:
    """ms/step, or what became of the cell."""
    return ms(cell.step_ms) if cell.ok_runs else cell.status


def _line(*texts: str) -> str:
    return " & ".join(texts) + r" \\"
