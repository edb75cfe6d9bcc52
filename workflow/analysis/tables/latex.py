"""A table as LaTeX floats that need booktabs and graphicx, none wider than a page's text."""

import re
import textwrap
from dataclasses import replace

import pandas as pd

from analysis.formats.text import latex
from analysis.tables.model import Table, TableCell, column_titles, parts

LABEL_CHARACTERS = 18  # of a label, and of a part of a column's title, on one line
FLOAT = r"""\begin{table}
\centering\scriptsize\setlength{\tabcolsep}{2pt}
\caption{%s}\medskip
\sbox0{%%
%s}
\ifdim\wd0>\linewidth\resizebox{\linewidth}{!}{\usebox0}\else\usebox0\fi
%s\end{table}
"""


def to_latex(table: Table) -> str:
    """A float, or several of a table of many columns; one that is too wide is made smaller."""
    each = parts(table)
    number = f" (part {{}} of {len(each)})" if len(each) > 1 else ""
    floats = (
        _float(replace(part, caption=table.caption + number.format(place)))
        for place, part in enumerate(each, start=1)
    )
    return "\n".join([r"% needs \usepackage{booktabs} and \usepackage{graphicx}", *floats])


def _float(table: Table) -> str:
    labels = len(table.label_columns)
    lines = []
    for row in table.rows:
        numbers = (_number(cell, table.marks(cell)) for cell in row.cells)
        lines.append([*(_stacked(_wrapped(label), "l") for label in row.labels), *numbers])
    form = "l" * (labels - 1) + "r" * (1 + len(table.columns))
    body = pd.DataFrame(lines, columns=list(map(_title, column_titles(table)))).to_latex(
        index=False, column_format=f"@{{}}{form}@{{}}"
    )
    notes = [rf"\par\textsuperscript{{{mark}}} {latex(text)}" for mark, text in table.notes]
    notes = [r"\par\medskip\raggedright", *notes, ""] if notes else []
    return FLOAT % (latex(table.caption), body, "\n".join(notes))


def _title(title: str) -> str:
    """A title with what is before the bracket, in it, and each setting on lines of their own."""
    texts = [text for part in re.split(r" (?=\()|, ", title) for text in _wrapped(part)]
    return _stacked(texts, "r")


def _number(cell: TableCell, letters: list[str]) -> str:
    """A number with its marks; below it interval and badge, in which nothing needs an escape."""
    above = ",".join([*filter(None, [cell.standing_mark]), *letters])
    text = rf"\textbf{{{latex(cell.text)}}}" if cell.best else latex(cell.text)
    text += rf"\textsuperscript{{{above}}}" if above else ""
    below = [rf"{{\tiny {small}}}" for small in (cell.interval, cell.badge) if small]
    return _lines([text, *below], "r")


def _stacked(texts: list[str], side: str) -> str:
    return _lines(list(map(latex, texts)), side)


def _lines(texts: list[str], side: str) -> str:
    """Several lines in one place of a table."""
    inside = r"\\".join(texts)
    return (
        rf"\begin{{tabular}}[t]{{@{{}}{side}@{{}}}}{inside}\end{{tabular}}" if texts[1:] else inside
    )


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, LABEL_CHARACTERS) or [""]
