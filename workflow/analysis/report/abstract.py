"""The abstract: what this run shows, in one paragraph that says no more than the numbers do."""

from __future__ import annotations

from analysis.caveats import Caveat, Severity
from analysis.cells import Results, RowCells
from analysis.reference import Reference
from analysis.report.setting import coverage, machines, period
from analysis.speedups import speedups
from analysis.statistics import Interval
from analysis.text import count, listed, ms, times


def abstract(results: Results, reference: Reference, caveats: list[Caveat]) -> str:
    """One paragraph computed from the results."""
    plan = results.plan
    models = listed([model.title for model in plan.models.values()])
    what = (
        f"ms/step of {models} in {count(len(plan.rows), 'row')} (model, task, batch size) on "
        f"{count(len(plan.frameworks), 'framework')}, at {plan.scale} scale with {plan.weights} "
        "weights."
    )
    if not results.records:
        return f"{what} Nothing is measured yet: {coverage(results)}."
    where = (
        f"Measured on {machines(results)}, {period(results)}; {coverage(results)}, "
        f"{_runs(results)}."
    )
    sentences = [_row_sentence(row) for row in results.rows if len(row.measured) > 1]
    critical = sum(caveat.severity is Severity.CRITICAL for caveat in caveats)
    warning = f"Read with its {count(len(caveats), 'caveat')}, {critical} of them critical."
    return " ".join([what, where, *sentences, *_over_keras2(results, reference), warning])


def _runs(results: Results) -> str:
    numbers = sorted({len(cell.ok_runs) for cell in results.cells if cell.ok_runs})
    return (
        f"each from {listed([str(number) for number in numbers])} "
        f"run{'s' if numbers != [1] else ''}"
    )


def _row_sentence(row: RowCells) -> str:
    """The best set of a row; where there is none, the lowest time without calling it best."""
    low, high = row.fastest(), max(row.measured, key=lambda cell: cell.step_ms)
    span = (
        f"from {ms(low.step_ms)} ms on {low.framework.title} to {ms(high.step_ms)} ms on "
        f"{high.framework.title}"
    )
    if not row.best:
        return f"{row.row.title}: {span}; the lowest time is from one run, so none is called best."
    titles = listed([cell.framework.title for cell in row.cells if cell.framework.name in row.best])
    return f"{row.row.title}: {span}; not shown slower than the fastest: {titles}."


def _over_keras2(results: Results, reference: Reference) -> list[str]:
    """The page's headline comparison, where this run has it."""
    entries = [
        entry for entry in speedups(results.rows, "keras2", reference) if entry.value is not None
    ]
    if not entries:
        return []
    words = [
        f"{entry.row.row.title} {times(entry.value)}{_ends(entry.interval)}" for entry in entries
    ]
    return [f"The fastest Keras 3 column over Keras 2: {listed(words)}."]


def _ends(interval: Interval | None) -> str:
    return f" [{interval.low:.2f}, {interval.high:.2f}]" if interval else ""
