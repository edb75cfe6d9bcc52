"""The gaps that three and five runs decide, as a small table below the methods text."""

from __future__ import annotations

from analysis.formats.text import percent
from analysis.report.grid import Grid
from analysis.results.results import Results
from analysis.statistics.intervals import MARGIN, Moderate, as_measured
from analysis.statistics.power import POWER, decided_gap, moderation_of
from analysis.statistics.table_scatter import UNKNOWN

RUNS, SCATTERS = (3, 5), (0.01, 0.02, 0.05)


def power_grid(results: Results) -> Grid:
    """By the scatter of runs; moderated as this table is, where it is."""
    pairs = next((cell.scatter for cell in results.cells), UNKNOWN).pairs
    variances = {"by its own scatter": as_measured}
    if pairs:
        variances["moderated as here"] = moderation_of(min(pairs.degrees_of_freedom, pairs.most))
    rivals = max(len(results.plan.columns) - 1, 1)
    lines = tuple(
        (f"{runs}, {variance}", *_gaps(runs, moderate, rivals))
        for runs in RUNS
        for variance, moderate in variances.items()
    )
    caption = (
        "Power: how much slower a column must be for "
        f"{percent(POWER)} of experiments to show that it is more than {percent(MARGIN)} slower "
        "than the fastest, by how much the runs of a column scatter (relative standard deviation); "
        f"first as the only other column, then as one of {rivals} by Holm's first step"
    )
    header = ("Runs", *(f"scatter {percent(scatter)}" for scatter in SCATTERS))
    return Grid(caption, header, lines)


def _gaps(runs: int, moderate: Moderate, rivals: int) -> list[str]:
    return [
        " / ".join(
            percent(decided_gap(runs, scatter, comparisons, moderate))
            for comparisons in dict.fromkeys((1, rivals))
        )
        for scatter in SCATTERS
    ]
