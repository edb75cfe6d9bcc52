"""Warnings that the frameworks printed, by kind; the texts are in the records."""

import re
from collections.abc import Iterator
from pathlib import Path

from analysis.caveats.core import Found, Severity, found_in, labelled, measured, rule
from analysis.data import Data
from analysis.writing.texts import texts_of

KINDS = Path(__file__).with_name("warning_kinds.yaml")
SHOWN = 160  # characters of the one warning that a sentence quotes


def kind_of(warning: str) -> str:
    """The kind of a warning: the first whose pattern is found in its text."""
    kinds = texts_of(KINDS).items()
    return next(name for name, kind in kinds if re.search(kind["pattern"], warning, re.IGNORECASE))


@rule
def framework_warnings(data: Data) -> Iterator[Found]:
    """One caveat per kind of warning."""
    cells = measured(data.results.rows)
    printed = {cell: dict.fromkeys(w for r in cell.records for w in r.warnings) for cell in cells}
    for name, kind in texts_of(KINDS).items():
        own = found_in(cells, lambda c, name=name: [w for w in printed[c] if kind_of(w) == name])
        texts = list(dict.fromkeys(text for found in own.values() for text in found))
        numbers = labelled({cell: len(found) for cell, found in own.items()})
        words = {"meaning": kind["meaning"], "different": len(texts), "first": _quoted(*texts[:1])}
        evidence = {"kind": name, "warnings": numbers}
        yield Found(own, evidence, words, Severity[kind["severity"].upper()])


def _quoted(text: str = "") -> str:
    line = " ".join(text.split())
    return f'"{line if len(line) <= SHOWN else line[:SHOWN] + "..."}"'
