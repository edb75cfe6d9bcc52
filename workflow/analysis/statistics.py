"""From block times to verdicts and best sets: all statistics of the report, without I/O.

Times are ms/step. A run (one process) is the unit of replication; step times of one process say
little about another process. Times are compared as ratios, so means are geometric and intervals are
Student's t on logarithms. A mapping of runs goes from the round (the randomised block) to the run's
ms/step.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

CONFIDENCE = 0.95
MARGIN = 0.02  # ratios within 1/1.02 to 1.02 count as the same
MIN_RUNS = 2  # fewer have no spread, hence no interval, no verdict and no best
NS_PER_MS = 1e6

Runs = Mapping[int, float]


class Verdict(StrEnum):
    """What the interval of a ratio of times shows about the first of the two."""

    FASTER = "FASTER"
    SLOWER = "SLOWER"
    SAME = "SAME"
    AMBIGUOUS = "AMBIGUOUS"


@dataclass(frozen=True)
class Interval:
    """A 95 % confidence interval."""

    low: float
    high: float

    @property
    def half_width(self) -> float:
        """Relative half-width on the log scale: 0.05 means times or divided by 1.05."""
        return math.sqrt(self.high / self.low) - 1


@dataclass(frozen=True)
class Ratio:
    """A ratio of two times over the rounds of both; the interval is None below two rounds."""

    value: float
    interval: Interval | None
    rounds: int

    @property
    def verdict(self) -> Verdict:
        return verdict(self.interval)


def run_mean_ms(blocks: Iterable[tuple[int, int]]) -> float:
    """Mean ms/step of one run from (steps, elapsed nanoseconds) of its blocks: total time over
    total steps.
    """
    steps, elapsed_ns = (sum(column) for column in zip(*blocks, strict=True))
    return elapsed_ns / steps / NS_PER_MS


def geometric_mean(values: Collection[float]) -> float:
    """The mean of times that are compared as ratios."""
    return math.exp(math.fsum(map(math.log, values)) / len(values))


def log_t_interval(values: Sequence[float]) -> Interval | None:
    """95 % Student t interval of the geometric mean; None below two values."""
    if len(values) < MIN_RUNS:
        return None
    logs = [math.log(value) for value in values]
    mean = math.fsum(logs) / len(logs)
    half = t_quantile(len(logs) - 1) * _deviation(logs) / math.sqrt(len(logs))
    return Interval(_exp(mean - half), _exp(mean + half))


def t_quantile(degrees_of_freedom: int) -> float:
    """Two-sided 95 % quantile of Student's t."""
    from scipy.special import stdtrit  # here, because importing it takes longer than most commands

    return float(stdtrit(degrees_of_freedom, (1 + CONFIDENCE) / 2))


def _deviation(values: Sequence[float]) -> float:
    """Sample standard deviation."""
    mean = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1))


def _exp(value: float) -> float:
    """exp that saturates: the interval of two wildly different runs is very wide, not an error."""
    return math.exp(min(max(value, -700.0), 700.0))


def relative_standard_error(values: Sequence[float]) -> float | None:
    """Standard error of the mean as a share of the mean; None below two values."""
    if len(values) < MIN_RUNS:
        return None
    return _deviation(values) / math.sqrt(len(values)) / (math.fsum(values) / len(values))


def paired_ratio(times: Runs, base: Runs) -> Ratio | None:
    """exp of the mean of ln(time) - ln(base) over the rounds that both have; None when they share
    none.

    Pairing by round removes the drift of the machine between rounds.
    """
    ratios = [times[number] / base[number] for number in sorted(times.keys() & base.keys())]
    if not ratios:
        return None
    return Ratio(geometric_mean(ratios), log_t_interval(ratios), len(ratios))


def verdict(interval: Interval | None, margin: float = MARGIN) -> Verdict:
    """FASTER or SLOWER when the interval lies wholly beyond the margin, SAME when wholly inside it.

    The margin is symmetric for ratios, 1 / (1 + margin) to 1 + margin, so that A SLOWER than B
    means B FASTER than A.
    """
    if interval is None:
        return Verdict.AMBIGUOUS
    if interval.high < 1 / (1 + margin):
        return Verdict.FASTER
    if interval.low > 1 + margin:
        return Verdict.SLOWER
    inside = 1 / (1 + margin) <= interval.low and interval.high <= 1 + margin
    return Verdict.SAME if inside else Verdict.AMBIGUOUS


def best_set(row: Mapping[str, Runs]) -> frozenset[str]:
    """Every framework of a row that is not shown slower than the fastest.

    Empty when the fastest has a single run or nothing to be compared with; a framework that shares
    fewer than two rounds with the fastest was not compared with it, so it is never called best.
    """
    measured = {name: runs for name, runs in row.items() if runs}
    if len(measured) < 2:
        return frozenset()
    fastest = min(measured, key=lambda name: geometric_mean(measured[name].values()))
    if len(measured[fastest]) < MIN_RUNS:
        return frozenset()
    ratios = {name: paired_ratio(runs, measured[fastest]) for name, runs in measured.items()}
    return frozenset(
        name
        for name, ratio in ratios.items()
        if ratio and ratio.rounds >= MIN_RUNS and ratio.verdict is not Verdict.SLOWER
    )


def fixed_cost_ms(batch: int, step_ms: float, probe_batch: int, probe_ms: float) -> float:
    """The part of a step that does not grow with the batch, from t = a + c * batch through two
    points.

    Clipped to 0 (noise, or a probe that left a cache) and to the whole step (a probe that was no
    slower).
    """
    intercept = (step_ms * probe_batch - probe_ms * batch) / (probe_batch - batch)
    return min(max(intercept, 0.0), step_ms)
