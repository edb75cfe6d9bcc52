"""effects.tex: a longtable per question and pair of columns."""

from typing import Any

import pandas as pd

from analysis.comparisons.gains import VERDICT_TEXT
from analysis.data import Data
from analysis.formats.text import NA, count
from analysis.formats.text import latex as escaped
from analysis.topics.effects.compute import PAIR, means
from analysis.topics.effects.compute import effects as effects_of
from analysis.topics.effects.section import gain, time_of

HEADER = ["Model and task", "Batch", "ms, base", "ms, new", "Throughput", "Verdict"]
CAPTION = (
    "Throughput gain t(base) / t(new) - 1 with its 95 % interval, paired by round; a verdict is "
    "that of the row alone. Bold: shown for all rows and pairs of the question at once (Holm)."
)


def effects(data: Data) -> str:
    """Return LaTeX that needs booktabs and longtable; a comment where nothing is compared."""
    found = effects_of(data)
    if found.empty:
        return "% no two columns of this table differ in one thing alone\n"
    pairs = (of for _, of in found.groupby(PAIR, sort=False))
    tables = map(_longtable, pairs, means(found).itertuples())
    return "\n".join([r"% needs \usepackage{booktabs} and \usepackage{longtable}", *tables])


def _longtable(pair: pd.DataFrame, mean: Any) -> str:
    lines = [*map(_line, pair.itertuples()), _mean_line(mean)]
    title = f"{pair['question'].iloc[0]} {mean.new_title} against {mean.base_title}. {CAPTION}"
    table = pd.DataFrame(lines, columns=HEADER).to_latex(
        index=False, longtable=True, column_format="@{}lrrrrl@{}", caption=escaped(title)
    )
    return f"{{\\scriptsize\\setlength{{\\tabcolsep}}{{2pt}}\n{table}}}\n"


def _line(pair: Any) -> list[str]:
    row, verdict = pair.base_cell.row, escaped(VERDICT_TEXT.get(pair.verdict, NA))
    texts = (row.title, str(row.batch_size), time_of(pair.base_cell), time_of(pair.new_cell))
    return [
        *map(escaped, (*texts, gain(pair))),
        rf"\textbf{{{verdict}}}" if pair.holds else verdict,
    ]


def _mean_line(mean: Any) -> list[str]:
    rows = f", {count(mean.rows, 'row')}" if mean.rows else ""
    verdict = VERDICT_TEXT.get(mean.verdict, NA)
    return [f"Geometric mean{rows}", "", "", "", escaped(gain(mean)), escaped(verdict)]
