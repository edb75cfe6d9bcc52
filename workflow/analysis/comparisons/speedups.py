"""Speed-ups as the page presents them: the best Keras 3 column of a row over another family, each
among the frameworks without settings of their own, as the page had them.

Both columns are the fastest of their families by the same data, which flatters the larger family:
the interval is that of the best of all members (`families`), and beside the factor stands what is
left of it without that.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from analysis.comparisons.gains import FAMILIES, Gain, gain_of
from analysis.results.cells import Cell
from analysis.results.reference import Reference
from analysis.results.rows import RowCells


@dataclass(frozen=True)
class Speedup:
    """The gain of Keras 3 over a family in one row, above 1 where Keras 3 is faster; `missing` says
    why there is none, `published` is the same ratio from the published table.
    """

    row: RowCells
    gain: Gain | None
    missing: str
    published: float | None


def speedups(rows: tuple[RowCells, ...], family: str, reference: Reference) -> list[Speedup]:
    """The speed-up of each row: the fastest Keras 3 column against the fastest column of a family,
    paired by round.
    """
    return [_speedup(row, family, reference) for row in rows]


def _speedup(row: RowCells, family: str, reference: Reference) -> Speedup:
    columns = tuple(cell.column for cell in row.cells)
    best, base = (reference.fastest(row.row, columns, name) for name in ("keras3", family))
    gain = gain_of(row.family("keras3"), row.family(family))
    missing = "" if gain else "; ".join(_lacking(row, family)) or "no round that both measured"
    return Speedup(row, gain, missing, base / best if base and best else None)


def _lacking(row: RowCells, family: str) -> Iterator[str]:
    """The reasons why there is no ratio, by family: 'Keras 2 unsupported'."""
    for name in ("keras3", family):
        if not row.family(name):
            columns = [cell for cell in row.cells if cell.column.family == name]
            left_out = [cell for cell in columns if cell.column.plain and not cell.comparable]
            statuses = dict.fromkeys(map(_status, left_out))
            absent = "only with settings of its own" if columns else "not among the columns"
            yield f"{FAMILIES[name]} {' or '.join(statuses) or absent}"


def _status(cell: Cell) -> str:
    if cell.disturbed:
        return "disturbed"
    return "not steady" if cell.ok_runs and not cell.steady else cell.status
