"""Whether every column did the same work."""

from __future__ import annotations

import math
from collections.abc import Iterator

from analysis.caveats.core import Caveat, Changes, Severity, rule
from analysis.caveats.thresholds import FEW_PARAMETERS
from analysis.formats.text import listed, percent
from analysis.results.cells import Cell
from analysis.results.results import Results
from analysis.results.rows import RowCells


@rule(
    "Parameters differ",
    "Columns of one row do not hold, or do not train, the same number of parameters.",
    Changes.ORDER,
)
def parameters_differ(results: Results) -> Iterator[Caveat]:
    """Columns of one row that do not hold, or do not train, the same number of parameters."""
    for row in results.rows:
        for key in ("parameters", "trainable_parameters"):
            columns: dict[int, list[str]] = {}
            for cell in row.measured:
                for number in _numbers(cell, key):
                    columns.setdefault(number, []).append(cell.column.title)
            if len(columns) > 1:
                yield _parameters(row, key, columns)


def _parameters(row: RowCells, key: str, columns: dict[int, list[str]]) -> Caveat:
    """As severe as the difference is large: some biases, or another model."""
    fewest, most = min(columns), max(columns)
    excess = most / fewest - 1 if fewest else math.inf
    severity = (
        Severity.NOTE
        if excess < FEW_PARAMETERS
        else Severity.WARNING
        if key == "trainable_parameters"
        else Severity.CRITICAL
    )
    share = (most - fewest) / most
    part = percent(share) if share >= 0.01 else f"{100 * share:.2g}\u00a0%"
    size = f"by {most - fewest:,} of {most:,} ({part})"
    factor = f", a factor of {most / fewest:.1f}" if 0.5 <= excess < math.inf else ""
    numbers = "; ".join(f"{number:,} in {listed(titles)}" for number, titles in columns.items())
    work = "" if severity is Severity.NOTE else " That is not the same work."
    return Caveat(
        "parameters_differ",
        severity,
        row.measured,
        {
            "what": key.replace("_", " "),
            "values": {f"{number:,}": titles for number, titles in columns.items()},
            "excess": most - fewest,
        },
        f"{row.row.label}: {key.replace('_', ' ')} differ {size}{factor} ({numbers}).{work}",
    )


def _numbers(cell: Cell, key: str) -> list[int]:
    return sorted({getattr(record.work, key) for record in cell.records if record.work})
