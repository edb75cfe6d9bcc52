"""Where the order of the columns in a row is no ranking, or one of luck."""

from collections.abc import Iterator

from analysis.caveats.core import Found, Severity, label, places, rule
from analysis.data import Data
from analysis.formats.text import ms, percent
from analysis.results.cells import Cell
from analysis.results.rows import RowCells
from analysis.statistics.intervals import MARGIN, geometric_mean
from analysis.statistics.modes import modes_of, without_rounds


@rule
def close_call(data: Data) -> Iterator[Found]:
    """Rows whose fastest column leads by less than the margin that counts as the same."""
    compared = [row for row in data.results.rows if len(row.comparable) > 1]
    firsts = {row: sorted(row.comparable, key=lambda cell: cell.step_ms)[:2] for row in compared}
    leads = {row: two[1].step_ms / two[0].step_ms - 1 for row, two in firsts.items()}
    close = {row.row: firsts[row] for row, lead in leads.items() if lead < MARGIN}
    of_rows = {row.row: lead for row, lead in leads.items()}
    cells = [cell for two in close.values() for cell in two]
    details = [
        f"{row.label}: {first.column.title} before {second.column.title} by "
        f"{100 * of_rows[row]:.2f}\u00a0%"
        for row, (first, second) in close.items()
    ]
    evidence = {
        "lead": {"/".join(map(str, row.key)): of_rows[row] for row in close},
        "rows": len(compared),
        "threshold": MARGIN,
    }
    single = any(len(cell.ok_runs) == 1 for cell in cells)
    severity = Severity.WARNING if single else None
    yield Found(cells, evidence, {"single": single, "details": details}, severity)


@rule
def two_modes(data: Data) -> Iterator[Found]:
    """Cells whose run means lie in two groups far apart."""
    found = {cell: modes for row in data.results.rows for cell, modes in _modes(row).items()}

    def text(cell: Cell) -> str:
        fast, slow, share = found[cell].values()
        return f"{ms(fast)} or {ms(slow)} ms, the slower in {percent(share)} of its runs"

    def apart(cell: Cell) -> float:
        return found[cell]["slower_ms"] / found[cell]["faster_ms"]

    evidence = {label(cell): modes for cell, modes in found.items()}
    yield Found(found, evidence, {"where": places(found, text, apart)})


def _modes(row: RowCells) -> dict[Cell, dict[str, float]]:
    """ms/step of both modes, and the share of runs in the slower, of the cells that have two."""
    cells = {cell.column.name: cell for cell in row.measured if not cell.disturbed}
    rounds = without_rounds({name: cell.run_ms for name, cell in cells.items()})
    found = {}
    for name, logs in rounds.items():
        if modes := modes_of(logs):
            fast, slow = modes.split(list(cells[name].run_ms.values()))
            found[cells[name]] = {
                "faster_ms": geometric_mean(fast),
                "slower_ms": geometric_mean(slow),
                "share_slower": len(slow) / len(logs),
            }
    return found
