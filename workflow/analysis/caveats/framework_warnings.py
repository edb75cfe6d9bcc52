"""Warnings that the frameworks printed, by kind; the texts are in the records."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from analysis.caveats.core import Found, Severity, labelled, measured, rule
from analysis.data import Data
from analysis.results.cells import Cell

SHOWN = 160  # characters of the one warning that a sentence quotes


@dataclass(frozen=True)
class Kind:
    """A kind of warning: what it means, and the expression by which its texts are known."""

    name: str
    meaning: str
    severity: Severity
    pattern: str


# The first that fits counts.
KINDS = (
    Kind(
        "tf32",
        "float32 products could run in TF32, or do",
        Severity.WARNING,
        r"tensorfloat|\btf32\b|set_float32_matmul_precision|float32_matmul_precision",
    ),
    Kind(
        "recompilation",
        "a program was traced or compiled again, which among timed steps is invalid",
        Severity.NOTE,
        r"recompil|retrac|cache_size_limit|recompile_limit",
    ),
    Kind(
        "graph_break",
        "a compiled step returns to Python in between",
        Severity.WARNING,
        r"graph[ _-]?break|torch\._dynamo.*(unsupported|skipp)",
    ),
    Kind(
        "fallback",
        "something else ran than was asked for",
        Severity.WARNING,
        r"fall(s|ing)?[ -]?back|fallback|skipping cudagraphs|not enough sms",
    ),
    Kind(
        "slow_compilation",
        "compiling took long, which the first step shows",
        Severity.NOTE,
        r"slow_operation_alarm|slow compil|compil\w* .*\btook\b|constant[ _]folding",
    ),
    Kind("other", "not known to change a time", Severity.NOTE, r""),
)


def kind_of(warning: str) -> Kind:
    """The kind of a warning's text."""
    return next(kind for kind in KINDS if re.search(kind.pattern, warning, re.IGNORECASE))


@rule
def framework_warnings(data: Data) -> Iterator[Found]:
    """One caveat per kind of warning."""
    found: dict[Kind, dict[Cell, list[str]]] = {kind: {} for kind in KINDS}
    for cell in measured(data.results.rows):
        for warning in dict.fromkeys(text for r in cell.records for text in r.warnings):
            found[kind_of(warning)].setdefault(cell, []).append(warning)
    for kind, cells in found.items():
        texts = list(dict.fromkeys(text for group in cells.values() for text in group))
        numbers = labelled({cell: len(group) for cell, group in cells.items()})
        words = {"meaning": kind.meaning, "different": len(texts)}
        words["first"] = _quoted(*texts[:1])
        yield Found(cells, {"kind": kind.name, "warnings": numbers}, words, kind.severity)


def _quoted(text: str = "") -> str:
    line = " ".join(text.split())
    return f'"{line if len(line) <= SHOWN else line[:SHOWN] + "..."}"'
