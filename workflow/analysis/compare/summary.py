"""What a comparison shows in a few words: of all cells together, and of the machine itself."""

from analysis.compare.archives import facts
from analysis.compare.cells import Comparison
from analysis.formats.text import count, listed
from analysis.results.results import Results
from analysis.results.sessions import canaries_of
from analysis.statistics.intervals import CONFIDENCE, Verdict, geometric_mean

SAME_WORK = ("environment", "framework", "threads", "scale")  # of a canary's identity


def result(comparison: Comparison) -> str:
    """The number of cells by verdict, and the mean of their ratios; empty where none has one."""
    judged = comparison.pairs.dropna(subset="verdict")
    if judged.empty:
        return ""
    other, base, ratios = comparison.other.label, comparison.base.label, judged["ratio"]
    found = {verdict: (judged["verdict"] == verdict).sum() for verdict in Verdict}
    missed = (1 - CONFIDENCE) * len(judged)
    told = listed([f"{verdict} in {number}" for verdict, number in found.items() if number])
    if missed >= 1:
        told += f"; about {missed:.0f} of so many 95 % intervals miss by chance"
    return (
        f"Of {count(len(judged), 'cell')} {other} is {told}. Over all of them {other} takes "
        f"{geometric_mean(ratios):.3f} times as long as {base} (geometric mean)."
    )


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
    return (
        f"The fixed work that is timed around every block took, {labels}: {listed(told)} "
        "(geometric means). Where these are not near 1, the machine was in another state, which "
        "the ratios below hold too."
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
