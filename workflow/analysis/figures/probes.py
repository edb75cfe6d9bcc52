"""The same step at other sizes: what a longer cache costs a token, and a larger batch a sample."""

from __future__ import annotations

from collections.abc import Callable

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.comparisons.calls import token_ms
from analysis.comparisons.fullest import fullest
from analysis.data import Data
from analysis.figures.panels import empty, line_panels, log_ticks, mean_of, plot_cell
from analysis.results.cells import Cell
from analysis.results.results import Results
from analysis.results.rows import RowCells
from analysis.results.runs import Run

Points = Callable[[Cell], dict[int, float]]


def padding(data: Data) -> Figure:
    """ms per new token against the length of the cache, at the row's number of new tokens."""
    results = data.results
    label = "max_length, tokens"

    def points(cell: Cell) -> dict[int, float]:
        own_length = results.plan.models[cell.row.model].architecture.get("max_length")
        return token_ms(cell, own_length) if own_length else {}

    return _figure(
        results,
        points,
        (label, "ms per new token"),
        "no row that generates text has times at two lengths",
        _from_zero,
    )


def batch(data: Data) -> Figure:
    """ms per sample against the batch size."""
    results = data.results
    return _figure(
        results,
        sample_ms,
        ("batch size, logarithmic", "ms per sample, log."),
        "no row has times at two batch sizes",
        _logarithmic,
    )


def sample_ms(cell: Cell) -> dict[int, float]:
    """ms/step over the batch size, by batch size, of the runs that were timed at the most sizes;
    empty without a probe of another size.
    """
    by_run = fullest([_of_run(run, cell.row.batch_size) for run in cell.ok_runs], dict.keys)
    sizes = sorted(by_run[0]) if by_run else []
    means = {size: mean_of([found[size] for found in by_run]) for size in sizes}
    return means if len(means) > 1 else {}


def _of_run(run: Run, own: int) -> dict[int, float]:
    probes = run.record.probes if run.record else ()
    others = {p.batch_size: p.step_ms / p.batch_size for p in probes if p.batch_size != own}
    return {own: run.step_ms / own, **others}


def _figure(
    results: Results,
    points: Points,
    labels: tuple[str, str],
    why_empty: str,
    scale: Callable[[Axes, RowCells, Points], None],
) -> Figure:
    rows = [row for row in results.rows if any(points(cell) for cell in row.measured)]
    if not rows:
        return empty(why_empty)
    drawn = {cell.column for row in rows for cell in row.measured if points(cell)}
    figure, panels = line_panels(rows, [c for c in results.plan.columns if c in drawn])
    for axes, row in panels:
        for cell in row.measured:
            if found := points(cell):
                plot_cell(axes, cell, list(found), list(found.values()))
        scale(axes, row, points)
        axes.set_xlabel(labels[0], fontsize=8.5)
        axes.set_ylabel(labels[1], fontsize=8.5)
    return figure


def _from_zero(axes: Axes, row: RowCells, points: Points) -> None:
    axes.set_ylim(bottom=0)
    axes.set_xticks(_sizes(row, points))


def _logarithmic(axes: Axes, row: RowCells, points: Points) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    times = [time for cell in row.measured for time in points(cell).values()]
    low, high = min(times) / 1.3, max(times) * 1.3
    axes.set_ylim(low, high)
    log_ticks(axes.yaxis, low, high)
    axes.set_xticks(_sizes(row, points), [f"{size:,}" for size in _sizes(row, points)])
    axes.set_xticks([], minor=True)


def _sizes(row: RowCells, points: Points) -> list[int]:
    return sorted({size for cell in row.measured for size in points(cell)})
