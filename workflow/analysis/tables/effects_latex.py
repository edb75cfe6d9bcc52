"""What one thing changes, row by row, as LaTeX floats that need booktabs and nothing else."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

from analysis.comparisons.effects import Comparison, Effect, PairEffect, effects_of
from analysis.comparisons.gains import VERDICT_TEXT, gain_text
from analysis.formats.text import NA, count, latex, ms
from analysis.results.cells import Cell
from analysis.results.results import Results

MOST_LINES = 45  # of a float, which has to stand on one page with its caption
MOST_CHARACTERS = 70  # of a line over all columns


def effects_latex(results: Results) -> str:
    """One or more floats per question; a comment where there is no question."""
    found = effects_of(results)
    if not found:
        return "% no two columns of this table differ in one thing alone\n"
    return "\n".join(["% needs \\usepackage{booktabs}", *map(_tables, found)])


def _tables(effect: Effect) -> str:
    blocks = [block for pair in effect.pairs for block in _blocks(effect, pair)]
    floats = _grouped(blocks)
    number = " (part {} of {})" if len(floats) > 1 else ""
    return "\n".join(
        _float(effect, lines, number.format(place, len(floats)))
        for place, lines in enumerate(floats, start=1)
    )


def _grouped(blocks: Iterable[list[str]]) -> list[list[str]]:
    """The blocks, in order, as few floats as MOST_LINES allows."""
    floats: list[list[str]] = [[]]
    for block in blocks:
        if floats[-1] and len(floats[-1]) + len(block) > MOST_LINES:
            floats.append([])
        floats[-1] += block
    return floats


def _float(effect: Effect, lines: list[str], number: str) -> str:
    caption = f"{latex(effect.question.text)}{number} {latex(_caption(effect))}"
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering\scriptsize\setlength{\tabcolsep}{2pt}",
            rf"\caption{{{caption}}}\medskip",
            r"\begin{tabular}{@{}lrrrrl@{}}",
            r"\toprule",
            r"Model and task & Batch & ms, base & ms, new & Throughput & Verdict \\",
            *lines,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def _caption(effect: Effect) -> str:
    text = (
        "Throughput gain t(base) / t(new) - 1 with its 95 % interval, paired by round; a verdict "
        "is that of the row by itself."
    )
    return f"{text} Bold: shown for all rows at once (Holm)." if effect.shown else text


def _blocks(effect: Effect, pair: PairEffect) -> Iterable[list[str]]:
    """The lines of a pair below its heading, in as many blocks as fit a float each."""
    lines = [*(_row(effect, found) for found in pair.comparisons), _mean(pair)]
    head = _heading(f"{pair.pair.new.title} against {pair.pair.base.title}")
    size = MOST_LINES - len(head)
    return ([*head, *lines[start : start + size]] for start in range(0, len(lines), size))


def _heading(text: str) -> list[str]:
    wrapped = textwrap.wrap(text, MOST_CHARACTERS)
    emphasised = (rf"\emph{{{latex(line)}}}" for line in wrapped)
    return [r"\midrule", *(rf"\multicolumn{{6}}{{@{{}}l}}{{{line}}} \\" for line in emphasised)]


def _row(effect: Effect, found: Comparison) -> str:
    row, gain = found.row.row, found.gain
    times = (_time(found.base), _time(found.new))
    text = gain.text if gain else NA
    verdict = latex(VERDICT_TEXT[gain.verdict] if gain and gain.interval else NA)
    if found in effect.shown:
        verdict = rf"\textbf{{{verdict}}}"
    return _line([*map(latex, (row.title, str(row.batch_size), *times, text)), verdict])


def _mean(pair: PairEffect) -> str:
    mean = pair.mean
    if mean is None:
        return _line(["Geometric mean", "", "", "", NA, NA])
    of = f"Geometric mean, {count(len(mean.rows), 'row')}"
    verdict = VERDICT_TEXT[pair.mean_verdict] if mean.interval else NA
    return _line([of, "", "", "", *map(latex, (gain_text(mean.value, mean.interval), verdict))])


def _time(cell: Cell) -> str:
    """ms/step, or what became of the cell."""
    return ms(cell.step_ms) if cell.ok_runs else cell.status


def _line(texts: Sequence[str]) -> str:
    return " & ".join(texts) + r" \\"
