"""Warnings that the frameworks printed, by kind; the texts are in the records."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from analysis.caveats.core import Caveat, Changes, Severity, label, measured, places, rule
from analysis.formats.text import count
from analysis.results.cells import Cell
from analysis.results.results import Results

SHOWN = 160  # characters of the one warning that a sentence quotes


@dataclass(frozen=True)
class Kind:
    """A kind of warning: what it means, and how its texts are known."""

    name: str
    meaning: str
    severity: Severity
    pattern: re.Pattern[str]


def _kind(name: str, meaning: str, severity: Severity, pattern: str) -> Kind:
    return Kind(name, meaning, severity, re.compile(pattern, re.IGNORECASE))


# The first that fits counts.
KINDS = (
    _kind(
        "tf32",
        "float32 products could run in TF32, or do",
        Severity.WARNING,
        r"tensorfloat|\btf32\b|set_float32_matmul_precision|float32_matmul_precision",
    ),
    _kind(
        "recompilation",
        "a program was traced or compiled again, which among timed steps is invalid",
        Severity.NOTE,
        r"recompil|retrac|cache_size_limit|recompile_limit",
    ),
    _kind(
        "graph_break",
        "a compiled step returns to Python in between",
        Severity.WARNING,
        r"graph[ _-]?break|torch\._dynamo.*(unsupported|skipp)",
    ),
    _kind(
        "fallback",
        "something else ran than was asked for",
        Severity.WARNING,
        r"fall(s|ing)?[ -]?back|fallback|skipping cudagraphs|not enough sms",
    ),
    _kind(
        "slow_compilation",
        "compiling took long, which the first step shows",
        Severity.NOTE,
        r"slow_operation_alarm|slow compil|compil\w* .*\btook\b|constant[ _]folding",
    ),
    _kind("other", "not known to change a time", Severity.NOTE, r""),
)


def kind_of(warning: str) -> Kind:
    """The kind of a warning's text."""
    return next(kind for kind in KINDS if kind.pattern.search(warning))


@rule(
    "Frameworks warned",
    "What they said may change what ran; the texts are in the details of the cells.",
    Changes.TIMES,
)
def framework_warnings(results: Results) -> Iterator[Caveat]:
    """One caveat per kind of warning."""
    found: dict[Kind, dict[Cell, list[str]]] = {kind: {} for kind in KINDS}
    for cell in measured(results.rows):
        for warning in dict.fromkeys(text for r in cell.records for text in r.warnings):
            found[kind_of(warning)].setdefault(cell, []).append(warning)
    for kind, cells in found.items():
        if cells:
            texts = list(dict.fromkeys(text for group in cells.values() for text in group))
            sentence = (
                f"Frameworks warned ({kind.meaning}): {count(len(texts), 'different text')} from "
                f"{places(cells, rows=results.rows)}; the first one: {_quoted(texts[0])}."
            )
            evidence = {
                "kind": kind.name,
                "warnings": {label(cell): len(group) for cell, group in cells.items()},
            }
            yield Caveat("framework_warnings", kind.severity, tuple(cells), evidence, sentence)


def _quoted(text: str) -> str:
    line = " ".join(text.split())
    return f'"{line if len(line) <= SHOWN else line[:SHOWN] + "..."}"'
