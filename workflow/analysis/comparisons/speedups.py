"""Speed-ups as the page presents them: the best Keras 3 column of a row over another family, each
among the frameworks without settings of their own, as the page had them.

Both columns are the fastest of their families by the same data, which flatters the larger family:
the interval is that of the best of all members (`families`), and beside it stands what choosing
added to the factor.
"""

from dataclasses import dataclass

from analysis.comparisons.gains import family_gain_of
from analysis.results.cells import Cell
from analysis.results.plan import Column
from analysis.results.reference import Reference
from analysis.results.rows import RowCells
from analysis.statistics.intervals import Interval

FAMILIES = {"keras2": "Keras 2", "keras3": "Keras 3", "pytorch": "plain PyTorch"}


@dataclass(frozen=True)
class Speedup:
    """t_base / t_keras3 of one row; above 1 Keras 3 is faster. `missing` says why there is no
    value. `luck` is the factor that choosing the fastest by these runs added to it.
    """

    row: RowCells
    base: Cell | None
    best: Cell | None
    value: float | None
    interval: Interval | None
    rounds: int
    published: float | None
    missing: str
    luck: float = 1.0


def speedups(rows: tuple[RowCells, ...], family: str, reference: Reference) -> list[Speedup]:
    """One per row: the fastest Keras 3 column against the fastest column of a family, paired by
    round.
    """
    return [_speedup(row, family, reference) for row in rows]


def _speedup(row: RowCells, family: str, reference: Reference) -> Speedup:
    best, base = row.fastest("keras3"), row.fastest(family)
    columns = tuple(cell.column for cell in row.cells)
    published = published_speedup(row, columns, family, reference)
    gain = family_gain_of(row, "keras3", family)
    if gain is None:
        return Speedup(
            row, base, best, None, None, 0, published, _why_missing(row, family, best, base)
        )
    ratio = gain.ratio
    return Speedup(
        row, base, best, ratio.value, gain.interval, ratio.rounds, published, "", gain.luck
    )


def published_speedup(
    row: RowCells, columns: tuple[Column, ...], family: str, reference: Reference
) -> float | None:
    """The same ratio from the published table."""
    base = reference.fastest(row.row, columns, family)
    best = reference.fastest(row.row, columns, "keras3")
    return base / best if base and best else None


def _why_missing(row: RowCells, family: str, best: Cell | None, base: Cell | None) -> str:
    """What became of the families that a ratio would need: 'Keras 2 unsupported'."""
    lacking = [name for name, cell in (("keras3", best), (family, base)) if cell is None]
    return "; ".join(_statuses(row, name) for name in lacking) or "no round that both measured"


def _statuses(row: RowCells, family: str) -> str:
    columns = [cell for cell in row.cells if cell.column.family == family]
    plain = [cell for cell in columns if cell.column.plain]
    statuses = [_status(cell) for cell in plain]
    absent = "only with settings of its own" if columns else "not among the columns"
    return f"{FAMILIES[family]} {' or '.join(dict.fromkeys(statuses)) or absent}"


def _status(cell: Cell) -> str:
    if cell.disturbed:
        return "disturbed"
    return "not steady" if cell.ok_runs and not cell.steady else cell.status
