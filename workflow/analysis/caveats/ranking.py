"""Where the order of the columns in a row is no ranking."""

from __future__ import annotations

from collections.abc import Iterator

from analysis.caveats.core import Caveat, Changes, Severity, rule
from analysis.formats.text import percent
from analysis.results.cells import Cell
from analysis.results.results import Results
from analysis.results.rows import RowCells
from analysis.statistics.intervals import MARGIN


@rule(
    "The fastest column leads by less than the margin",
    "Such a lead names no winner.",
    Changes.ORDER,
    "Add rounds.",
)
def close_call(results: Results) -> Iterator[Caveat]:
    """Rows whose fastest column leads by less than the margin that counts as the same."""
    compared = [row for row in results.rows if len(row.comparable) > 1]
    leads = {row.row.key: _lead(row) for row in compared}
    close = [row for row in compared if leads[row.row.key] < MARGIN]
    if close:
        details = "; ".join(
            f"{row.row.label}: {_first(row)} before {_second(row)} by "
            f"{100 * leads[row.row.key]:.2f}\u00a0%"
            for row in close
        )
        single = any(len(cell.ok_runs) == 1 for row in close for cell in _two(row))
        why = "on a single run " if single else ""
        sentence = (
            f"In {len(close)} of {len(compared)} rows the fastest column leads by less than "
            f"{percent(MARGIN)} {why}({details}): such a lead names no winner."
        )
        cells = tuple(cell for row in close for cell in _two(row))
        evidence = {
            "lead": {"/".join(map(str, row.row.key)): leads[row.row.key] for row in close},
            "rows": len(compared),
            "threshold": MARGIN,
        }
        severity = Severity.WARNING if single else Severity.NOTE
        yield Caveat("close_call", severity, cells, evidence, sentence)


def _two(row: RowCells) -> list[Cell]:
    """The two fastest cells."""
    return sorted(row.comparable, key=lambda cell: cell.step_ms)[:2]


def _lead(row: RowCells) -> float:
    """Time of the second over that of the fastest, less 1."""
    fastest, second = _two(row)
    return second.step_ms / fastest.step_ms - 1


def _first(row: RowCells) -> str:
    return _two(row)[0].column.title


def _second(row: RowCells) -> str:
    return _two(row)[1].column.title
