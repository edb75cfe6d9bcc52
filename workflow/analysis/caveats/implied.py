"""The precision that the speed of a cell implies, where the card only declares float32."""

from __future__ import annotations

from collections.abc import Iterator

from analysis.caveats.core import Caveat, Changes, Severity, label, rule
from analysis.formats.text import count, listed
from analysis.results.cells import Cell
from analysis.results.results import Results

EXACT = "float32"
TERA = 1e12


@rule(
    "Too fast for the float32 that is claimed, in part",
    "Some columns of a row cannot have used float32, others can: it compares precisions too.",
    Changes.ORDER,
)
def precision_mixed(results: Results) -> Iterator[Caveat]:
    """Rows labelled float32 in which some columns are too fast for it and others are not."""
    mixed = [row for row in _rows(results) if 0 < sum(row.values()) < len(row)]
    if mixed:
        sentence = (
            f"{_peak(results)}: in {count(len(mixed), 'row')} some columns computed faster than "
            "that, so they cannot have used float32, and others slower. These rows compare "
            f"precisions too. Implied TFLOP/s: {'; '.join(map(_both_speeds, mixed))}."
        )
        yield _caveat("precision_mixed", Severity.CRITICAL, mixed, results, sentence)


@rule(
    "Too fast for the float32 that is claimed",
    "No column of these rows can have used float32.",
    Changes.TIMES,
)
def precision_mislabelled(results: Results) -> Iterator[Caveat]:
    """Rows labelled float32 in which every column is too fast for it."""
    wrong = [row for row in _rows(results) if row and all(row.values())]
    if wrong:
        sentence = (
            f"{_peak(results)}: in {count(len(wrong), 'row')} every column computed faster than "
            f"that, so none can have used float32. Implied TFLOP/s: "
            f"{'; '.join(map(_speeds, wrong))}."
        )
        yield _caveat("precision_mislabelled", Severity.WARNING, wrong, results, sentence)


def _rows(results: Results) -> list[dict[Cell, bool]]:
    """Of every row, the cells labelled float32 and whether they are too fast for it."""
    if EXACT not in results.claimed_peaks:
        return []
    return [
        {
            cell: speed > results.claimed_peaks[EXACT]
            for cell in row.measured
            if (speed := _speed(cell))
        }
        for row in results.rows
    ]


def _speed(cell: Cell) -> float | None:
    """Highest implied FLOP/s among the runs whose float32 is only declared."""
    speeds = [run.flops_per_s for run in cell.ok_runs if run.claimed_dtype == EXACT]
    return max((speed for speed in speeds if speed), default=None)


def _peak(results: Results) -> str:
    return (
        f"Float32 reaches {results.claimed_peaks[EXACT] / TERA:g} TFLOP/s on this device "
        f"({results.peak_source})"
    )


def _both_speeds(row: dict[Cell, bool]) -> str:
    """'BERT fit 41.7 to 43.3, but 11.5 to 19.1 in Keras 2 (TensorFlow) and Keras 3 (PyTorch)'."""
    slower = {cell: False for cell, faster in row.items() if not faster}
    titles = listed([cell.column.title for cell in slower])
    return f"{_speeds({c: True for c in row if c not in slower})}, but {_span(slower)} in {titles}"


def _speeds(row: dict[Cell, bool]) -> str:
    return f"{next(iter(row)).row.label} {_span(row)}"


def _span(cells: dict[Cell, bool]) -> str:
    low, high = (f"{choose(map(_speed, cells)) / TERA:.1f}" for choose in (min, max))
    return low if low == high else f"{low} to {high}"


def _caveat(
    name: str, severity: Severity, rows: list[dict[Cell, bool]], results: Results, sentence: str
) -> Caveat:
    cells = tuple(cell for row in rows for cell in row)
    evidence = {
        "tflops_per_s": {label(cell): _speed(cell) / TERA for cell in cells},
        "float32_peak_tflops_per_s": results.claimed_peaks[EXACT] / TERA,
        "peak_source": results.peak_source,
    }
    return Caveat(name, severity, cells, evidence, sentence)
