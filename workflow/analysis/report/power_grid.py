"""The gaps that three and five runs decide, as a small table below the methods text."""

from __future__ import annotations

from analysis.formats.text import percent
from analysis.results.results import Results, has_priors
from analysis.statistics.intervals import MARGIN
from analysis.statistics.power import POWER, SPREAD, decided_gap
from analysis.writing.grid import Grid

RUNS, SCATTERS = (3, 5, 10), (0.01, 0.02, 0.05)


def power_grid(results: Results) -> Grid:
    """By the scatter of runs; moderated where the table has the rows for it."""
    weighed = {"by its own scatter": False}
    if has_priors(results):
        weighed["weighed with its columns"] = True
    rivals = max(len(results.plan.columns) - 1, 1)
    lines = tuple(
        (f"{runs}, {how}", *_gaps(runs, moderated, rivals))
        for runs in RUNS
        for how, moderated in weighed.items()
    )
    caption = (
        "Power: how much slower a column must be for "
        f"{percent(POWER)} of experiments to show that it is more than {percent(MARGIN)} slower "
        "than the fastest, by how much the runs of a column scatter in the median row (relative "
        f"standard deviation, whose logarithm varies by {SPREAD:g} from row to row); first as the "
        f"only other column, then as one of {rivals} by Holm's first step"
    )
    header = ("Runs", *(f"scatter {percent(scatter)}" for scatter in SCATTERS))
    return Grid(caption, header, lines)


def _gaps(runs: int, moderated: bool, rivals: int) -> list[str]:
    return [
        " / ".join(
            percent(decided_gap(runs, scatter, comparisons, moderated))
            for comparisons in dict.fromkeys((1, rivals))
        )
        for scatter in SCATTERS
    ]
