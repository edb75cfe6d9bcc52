"""What a comparison shows in a few words: of all cells together, and of the machine itself."""

import math

from analysis.compare.archives import facts
from analysis.compare.cells import OF_THE_PAGE, Comparison
from analysis.formats.text import count, listed
from analysis.results.cells import Cell
from analysis.results.results import Results
from analysis.results.sessions import canaries_of
from analysis.statistics.intervals import (
    CONFIDENCE,
    Interval,
    Verdict,
    geometric_mean,
    interval_around,
    run_logs,
    verdict,
)
from analysis.statistics.mean_ratio import of_mean, of_sum

SAME_WORK = ("environment", "framework", "threads", "scale")  # of a canary's identity


def result(comparison: Comparison) -> str:
    """The number of cells by verdict, and the mean of their ratios; empty where none has one."""
    judged = comparison.pairs.dropna(subset="verdict")
    if judged.empty:
        return ""
    other, base = comparison.other.label, comparison.base.label
    mean = geometric_mean(judged["ratio"])
    found = {shown: (judged["verdict"] == shown).sum() for shown in Verdict}
    missed = (1 - CONFIDENCE) * len(judged)
    told = listed([f"{shown} in {number}" for shown, number in found.items() if number])
    if missed >= 1:
        told += f"; about {missed:.0f} of so many 95 % intervals miss by chance"
    interval = _interval(mean, [cell for side in OF_THE_PAGE for cell in judged[side]])
    around = "on several nodes without an interval"
    if interval:
        around = f"95 % interval {interval.low:.3f} to {interval.high:.3f}: {verdict(interval)}"
    return (
        f"Of {count(len(judged), 'cell')} {other} is {told}. Over all of them {other} takes "
        f"{mean:.3f} times as long as {base} (geometric mean, {around})."
    )


def _interval(mean: float, cells: list[Cell]) -> Interval | None:
    """The interval of the mean of the ratios of these cells of both archives, from the scatter of
    each as it is, as in a mean over rows. None on several nodes: what a node is slower by is so in
    all its cells, which are not independent then.
    """
    if any(len(cell.nodes) > 1 for cell in cells):
        return None
    error, freedom = of_sum([of_mean(run_logs(cell.run_ms)) for cell in cells])
    return interval_around(math.log(mean), 2 * error / len(cells), freedom)


def fixed_work(comparison: Comparison) -> str:
    """How long the canaries took in the other archive over the base; empty where they are not the
    same work in both.
    """
    base, other = (_durations(archive.results) for archive in (comparison.base, comparison.other))
    told = [
        f"{work[0]} {geometric_mean(other[work]) / geometric_mean(base[work]):.3f}"
        for work in base
        if work in other
    ]
    if not told:
        return ""
    labels = f"{comparison.other.label} over {comparison.base.label}"
    means = "By so much the machines differ in fixed work."
    if not comparison.machines_differ:
        means = (
            "Where these are not near 1, the machine was in another state, which the ratios below "
            "hold too."
        )
    return (
        f"The fixed work that is timed around every block took, {labels}: {listed(told)} "
        f"(geometric means). {means}"
    )


def _durations(results: Results) -> dict[tuple[str, ...], list[float]]:
    """The times of each piece of fixed work, by its name and by what makes it the same work, of
    canaries that nothing disturbed.
    """
    found: dict[tuple[str, ...], list[float]] = {}
    for accelerator in results.accelerators:
        where = f" on {accelerator}" if len(results.accelerators) > 1 else ""
        for canary in canaries_of(results.sessions, accelerator):
            if canary.ok and not canary.disturbed:
                known = facts(canary.identity)
                by = [str(known.get(key)) for key in SAME_WORK]
                for name, duration in canary.durations.items():
                    found.setdefault((f"{name}{where}", *by), []).append(duration)
    return found
