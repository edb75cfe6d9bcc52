"""effects.tex: a longtable per question and pair of columns."""

import pandas as pd

from analysis.comparisons.gains import VERDICT_TEXT
from analysis.data import Data
from analysis.formats.text import NA, count
from analysis.formats.text import latex as escaped
from analysis.topics.effects import compute
from analysis.topics.effects.compute import PAIR, gain, means
from analysis.topics.effects.section import TEXTS, time_of


def effects(data: Data) -> str:
    """Return LaTeX that needs booktabs and longtable; a comment where nothing is compared."""
    found = compute.effects(data)
    if found.empty:
        return "% no two columns of this table differ in one thing alone\n"
    tables = [r"% needs \usepackage{booktabs} and \usepackage{longtable}"]
    pairs = (of for _, of in found.groupby(PAIR, sort=False))
    for pair, mean in zip(pairs, means(found).itertuples(), strict=True):
        title = TEXTS.say("latex", question=pair["question"].iloc[0], **mean._asdict())
        rows = f", {count(mean.rows, 'row')}" if mean.rows else ""
        last = [f"Geometric mean{rows}", "", "", "", gain(mean), VERDICT_TEXT.get(mean.verdict, NA)]
        texts = _texts(pair)
        texts.loc[len(texts)] = list(map(escaped, last))
        table = texts.to_latex(
            index=False, longtable=True, column_format="@{}lrrrrl@{}", caption=escaped(title)
        )
        tables.append(f"{{\\scriptsize\\setlength{{\\tabcolsep}}{{2pt}}\n{table}}}\n")
    return "\n".join(tables)


def _texts(pair: pd.DataFrame) -> pd.DataFrame:
    verdicts = [escaped(VERDICT_TEXT.get(verdict, NA)) for verdict in pair["verdict"]]
    texts = {
        "Model and task": [escaped(cell.row.title) for cell in pair["base_cell"]],
        "Batch": pair["batch_size"].map(str),
        "ms, base": [escaped(time_of(cell)) for cell in pair["base_cell"]],
        "ms, new": [escaped(time_of(cell)) for cell in pair["new_cell"]],
        "Throughput": [escaped(gain(line)) for line in pair.itertuples()],
        "Verdict": [
            rf"\textbf{{{verdict}}}" if holds else verdict
            for verdict, holds in zip(verdicts, pair["holds"], strict=True)
        ],
    }
    return pd.DataFrame(texts).reset_index(drop=True)
