"""The abstract: what this run shows, in one paragraph that claims no more than the numbers do."""

from __future__ import annotations

from analysis.caveats import Caveat, Severity
from analysis.comparisons.speedups import Speedup, speedups
from analysis.formats.text import count, listed, ms, times
from analysis.report.setting import (
    coverage,
    libraries_since_the_page,
    machines,
    period,
)
from analysis.results.cells import Results, RowCells
from analysis.results.plan import Plan
from analysis.results.reference import Reference
from analysis.statistics.best_set import Standing, not_slower
from analysis.statistics.intervals import Interval

MOST_ROWS = 4  # beyond this, rows are counted instead of described


def abstract(results: Results, reference: Reference, caveats: list[Caveat]) -> str:
    """One paragraph computed from the results."""
    plan = results.plan
    models = listed([model.title for model in plan.models.values()])
    what = (
        f"ms/step of {models} in {count(len(plan.rows), 'row')} (model, task, batch size) on "
        f"{_columns(plan)}, at {plan.scale} scale with {plan.weights} weights."
    )
    if not results.records:
        return f"{what} Nothing is measured yet: {coverage(results)}."
    where = (
        f"Measured on {machines(results)}, {period(results)}; {coverage(results)}, "
        f"{_runs(results)}."
    )
    compared = [row for row in results.rows if len(row.measured) > 1]
    few = len(compared) <= MOST_ROWS
    sentences = [_row_sentence(row) for row in compared] if few else [_best_counts(compared)]
    critical = sum(caveat.severity is Severity.CRITICAL for caveat in caveats)
    warning = f"Read with its {count(len(caveats), 'caveat')}, {critical} of them critical."
    libraries = libraries_since_the_page(results, reference)
    parts = [libraries, what, where, *sentences, *_over_keras2(results, reference), warning]
    return " ".join(sentence for sentence in parts if sentence)


def _columns(plan: Plan) -> str:
    """'6 frameworks', or '4 frameworks in 12 columns' where some have settings of their own."""
    frameworks = len({column.framework for column in plan.columns})
    text = count(frameworks, "framework")
    columns = len(plan.columns)
    return text if columns == frameworks else f"{text} in {count(columns, 'column')}"


def _runs(results: Results) -> str:
    numbers = sorted({len(cell.ok_runs) for cell in results.cells if cell.ok_runs})
    return (
        f"each from {listed([str(number) for number in numbers])} "
        f"run{'s' if numbers != [1] else ''}"
    )


def _row_sentence(row: RowCells) -> str:
    """Who is best or equal in a row and who is undecided; where none was compared, the lowest time
    without calling it best.
    """
    low = min(row.measured, key=lambda cell: cell.step_ms)
    high = max(row.measured, key=lambda cell: cell.step_ms)
    span = (
        f"from {ms(low.step_ms)} ms on {low.column.title} to {ms(high.step_ms)} ms on "
        f"{high.column.title}"
    )
    if not not_slower(row.standings):
        return f"{row.row.label}: {span}; {_why_none_is_best(row)}, so none is called best."
    standings = [
        (standing, _titles(row, standing)) for standing in (Standing.BEST, Standing.UNDECIDED)
    ]
    text = "; ".join(f"{standing}: {listed(titles)}" for standing, titles in standings if titles)
    return f"{row.row.label}: {span}; {text}."


def _titles(row: RowCells, standing: Standing) -> list[str]:
    return [
        cell.column.title for cell in row.measured if row.standings[cell.column.name] is standing
    ]


def _why_none_is_best(row: RowCells) -> str:
    steady = [cell for cell in row.measured if cell.steady]
    if len(steady) < 2:
        return f"{count(len(steady), 'column')} had a steady time"
    lowest = min(steady, key=lambda cell: cell.step_ms)
    if len(lowest.ok_runs) == 1:
        return "the lowest steady time is from one run"
    return "no other shares two rounds with the lowest steady time"


def _best_counts(rows: list[RowCells]) -> str:
    """How often each column is among the best; stands for a sentence per row."""
    ranked = sum(bool(not_slower(row.standings)) for row in rows)
    if not ranked:
        return (
            "No column is called best: that takes two steady columns in a row, and several runs "
            "of both."
        )
    of = f"of {count(ranked, 'row')}"
    return (
        f"Best or equal, {of}: {_counts(rows, (Standing.BEST,))}. Not shown slower than the "
        f"fastest, {of}: {_counts(rows, (Standing.BEST, Standing.UNDECIDED))}."
    )


def _counts(rows: list[RowCells], standings: tuple[Standing, ...]) -> str:
    """'Keras 3 (JAX) in 5 and PyTorch (compiled) in 4', or 'none'."""
    names = [
        name for row in rows for name, standing in row.standings.items() if standing in standings
    ]
    titles = {cell.column.name: cell.column.title for row in rows for cell in row.cells}
    return listed([f"{t} in {names.count(name)}" for name, t in titles.items() if name in names])


def _over_keras2(results: Results, reference: Reference) -> list[str]:
    """The page's headline comparison, where this run has it."""
    entries = [
        entry for entry in speedups(results.rows, "keras2", reference) if entry.value is not None
    ]
    if not entries:
        return []
    return [f"The fastest Keras 3 column over Keras 2: {_ratios(entries)}."]


def _ratios(entries: list[Speedup]) -> str:
    """Each with its interval; of many rows, the lowest and the highest."""
    if len(entries) <= MOST_ROWS:
        return listed(list(map(_ratio, entries)))
    ranked = sorted(entries, key=lambda entry: entry.value)
    low, high = _ratio(ranked[0]), _ratio(ranked[-1])
    return f"in {count(len(entries), 'row')} from {low} to {high}"


def _ratio(entry: Speedup) -> str:
    return f"{entry.row.row.label} {times(entry.value)}{_ends(entry.interval)}"


def _ends(interval: Interval | None) -> str:
    return f" [{interval.low:.2f}, {interval.high:.2f}]" if interval else ""
