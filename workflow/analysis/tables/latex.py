"""A table as LaTeX floats that need booktabs and nothing else, none wider than a page's text."""

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from analysis.formats.text import latex
from analysis.tables.latex_width import TEXT_WIDTH_PT, width_pt
from analysis.tables.model import Table, TableCell, TableRow, parts

NUMBER_PT, SMALL_PT = 7, 5  # \scriptsize, and \tiny below a number
GAP_PT = 4  # two \tabcolsep
LABEL_CHARACTERS = 18  # of a label, and of a part of a column's title, on one line


@dataclass(frozen=True)
class Entry:
    """What stands in one column of one line."""

    latex: str = ""
    width_pt: float = 0.0


Line = Sequence[Entry]


def to_latex(table: Table) -> str:
    """As many floats as its width needs; intervals and badges stand under their numbers."""
    each = parts(table, _fits)
    number = f" (part {{}} of {len(each)})" if len(each) > 1 else ""
    floats = (
        _float(replace(part, caption=table.caption + number.format(place)))
        for place, part in enumerate(each, start=1)
    )
    return "\n".join([r"% needs \usepackage{booktabs}", *floats, ""])


def _fits(table: Table) -> bool:
    lines = [*_header(table), *(line for row in table.rows for line in _row(row))]
    widths = [max(entry.width_pt for entry in column) for column in zip(*lines, strict=True)]
    return sum(widths) + GAP_PT * (len(widths) - 1) <= TEXT_WIDTH_PT


def _float(table: Table) -> str:
    labels = len(table.label_columns)
    notes = [rf"\par\textsuperscript{{{mark}}} {latex(text)}" for mark, text in table.notes]
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering\scriptsize\setlength{\tabcolsep}{2pt}",
            rf"\caption{{{latex(table.caption)}}}\medskip",
            rf"\begin{{tabular}}{{@{{}}{'l' * (labels - 1)}r{'r' * len(table.columns)}@{{}}}}",
            r"\toprule",
            *map(_line, _header(table)),
            r"\midrule",
            *(_line(line) for row in table.rows for line in _row(row)),
            r"\bottomrule",
            r"\end{tabular}",
            *([r"\par\medskip\raggedright", *notes] if notes else []),
            r"\end{table}",
        ]
    )


def _line(entries: Line) -> str:
    return " & ".join(entry.latex for entry in entries) + r" \\"


def _lines(columns: Iterable[Sequence[Entry]]) -> list[Line]:
    """Columns of a few entries each as lines, the shorter ones filled up."""
    return list(zip_longest(*columns, fillvalue=Entry()))


def _header(table: Table) -> list[Line]:
    """'Batch size' on two lines, 'Keras 3 (JAX), tf32' on three."""
    heads = [title.split(" ", 1) for title in table.label_columns]
    heads += [_title(column.title) for column in table.columns]
    return _lines([[_text(text) for text in head] for head in heads])


def _title(title: str) -> list[str]:
    """What stands before the bracket, in it, and each setting."""
    head, bracket, tail = title.partition(" (")
    texts = [head, *f"({tail}".split(", ")] if bracket else head.split(", ")
    return [line for text in texts for line in _wrapped(text)]


def _row(row: TableRow) -> list[Line]:
    """Its numbers, intervals and badges, as far as any cell has one, and its labels beside them."""
    below = [
        [getattr(cell, name) for cell in row.cells]
        for name in ("interval", "badge")
        if any(getattr(cell, name) for cell in row.cells)
    ]
    labels = [[_text(line) for line in _wrapped(label)] for label in row.labels]
    cells = [
        [_number(cell), *map(_small, texts)] for cell, *texts in zip(row.cells, *below, strict=True)
    ]
    return _lines([*labels, *cells])


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, LABEL_CHARACTERS) or [""]


def _text(text: str) -> Entry:
    return Entry(latex(text), width_pt(text, NUMBER_PT))


def _small(text: str) -> Entry:
    """An interval or a badge, in which nothing has to be escaped."""
    return Entry(rf"{{\tiny {text}}}", width_pt(text, SMALL_PT)) if text else Entry()


def _number(cell: TableCell) -> Entry:
    text = rf"\textbf{{{latex(cell.text)}}}" if cell.best else latex(cell.text)
    above = ",".join([*filter(None, [cell.standing_mark]), *cell.marks])
    width = width_pt(cell.text, NUMBER_PT, bold=cell.best) + width_pt(above, SMALL_PT)
    return Entry(text + (rf"\textsuperscript{{{above}}}" if above else ""), width)
