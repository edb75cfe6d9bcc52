"""From block times to ratios and verdicts: the statistics of the report, without I/O. Best sets are
in `best_set`, means over rows in `mean_ratio`, change points in `steady_state`.

Times are ms/step. A run (one process) is the unit of replication; step times of one process say
little about another process. Times are compared as ratios, so means are geometric and intervals are
Student's t on logarithms. A mapping of runs goes from what two runs must share to be compared, the
round or the sitting in which it was measured, to the run's ms/step. `benchmarks/simulations.py`
counts how often these intervals and verdicts are wrong.

How much runs scatter is taken from the runs themselves unless a function of the type `Moderate`
says otherwise (`moderation`).
"""

import math
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from statistics import fmean
from typing import NamedTuple

from analysis.statistics.starts import independent_of_start, squares, values_by

CONFIDENCE = 0.95
MARGIN = 0.02  # ratios within 1/1.02 to 1.02 count as the same
MIN_RUNS = 2  # fewer have no spread, hence no interval, no verdict and no best
NS_PER_MS = 1e6


class Sitting(NamedTuple):
    """Where and when a run was measured: runs of equal sittings are compared. Session, node and
    start are empty where they are not known.
    """

    round: int
    session: str = ""
    node: str = ""
    start: str = ""


Runs = Mapping[Hashable, float]  # by round, or by sitting
# from a sample variance and its degrees of freedom to those that are used
Moderate = Callable[[float, int], tuple[float, float]]


def as_measured(variance: float, degrees_of_freedom: int) -> tuple[float, float]:
    """The sample's own variance and degrees of freedom: plain Student's t."""
    return variance, degrees_of_freedom


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
    """A ratio of two times over the rounds of both, as its logarithm with the standard error of
    that, which is None below two rounds.
    """

    log: float
    error: float | None
    degrees_of_freedom: float
    rounds: int

    @property
    def value(self) -> float:
        return math.exp(self.log)

    @property
    def interval(self) -> Interval | None:
        return self.together(1)

    def together(self, statements: int) -> Interval | None:
        """The interval, so wide that those of so many statements hold all at once (Bonferroni).

        For a statement about every row, which a single row refutes, and about the best of several.
        """
        if self.error is None:
            return None
        return interval_around(self.log, self.error, self.degrees_of_freedom, statements)

    @property
    def verdict(self) -> Verdict:
        return verdict(self.interval)


def ends(interval: Interval | None) -> tuple[float | None, float | None]:
    """Low and high end for a table; None without an interval."""
    return (interval.low, interval.high) if interval else (None, None)


def numbers(ratio: Ratio | None) -> tuple[float | int | None, ...]:
    """Value, both ends and rounds for a table; all None without a ratio."""
    return (ratio.value, *ends(ratio.interval), ratio.rounds) if ratio else (None,) * 4


def run_mean_ms(blocks: Iterable[tuple[int, int]]) -> float:
    """Mean ms/step of one run from (steps, elapsed nanoseconds) of its blocks: total time over
    total steps.
    """
    steps, elapsed_ns = (sum(column) for column in zip(*blocks, strict=True))
    return elapsed_ns / steps / NS_PER_MS


def geometric_mean(values: Collection[float]) -> float:
    """The mean of times that are compared as ratios."""
    return math.exp(fmean(map(math.log, values)))


def log_t_interval(values: Sequence[float], moderate: Moderate = as_measured) -> Interval | None:
    """95 % Student t interval of the geometric mean; None below two values."""
    return t_interval([math.log(value) for value in values], moderate)


def t_interval(logs: Sequence[float], moderate: Moderate = as_measured) -> Interval | None:
    """exp of the 95 % Student t interval of the mean of logarithms; None below two of them."""
    if len(logs) < MIN_RUNS:
        return None
    return interval_around(fmean(logs), *standard_error(logs, moderate))


def standard_error(logs: Sequence[float], moderate: Moderate) -> tuple[float, float]:
    """Standard error of the mean of two or more logarithms, and its degrees of freedom."""
    variance, degrees_of_freedom = moderate(deviation(logs) ** 2, len(logs) - 1)
    return math.sqrt(variance / len(logs)), degrees_of_freedom


def interval_around(
    mean: float, standard_error: float, degrees_of_freedom: float, intervals: int = 1
) -> Interval:
    """exp of the 95 % Student t interval of a mean of logarithms, one of so many that hold all at
    once (Bonferroni).
    """
    half = t_quantile(degrees_of_freedom, intervals) * standard_error
    return Interval(_exp(mean - half), _exp(mean + half))


@cache
def t_quantile(degrees_of_freedom: float, intervals: int = 1) -> float:
    """Two-sided 95 % quantile of Student's t, for so many intervals that hold all at once
    (Bonferroni).
    """
    from scipy.special import stdtrit  # here, because importing it takes longer than most commands

    return float(stdtrit(degrees_of_freedom, 1 - (1 - CONFIDENCE) / 2 / intervals))


def deviation(values: Sequence[float]) -> float:
    """Sample standard deviation."""
    return math.sqrt(squares(values) / (len(values) - 1))


def _exp(value: float) -> float:
    """exp that saturates: the interval of two wildly different runs is very wide, not an error."""
    return math.exp(min(max(value, -700.0), 700.0))


def relative_standard_error(values: Sequence[float]) -> float | None:
    """Standard error of the mean as a share of the mean; None below two values."""
    if len(values) < MIN_RUNS:
        return None
    return deviation(values) / math.sqrt(len(values)) / fmean(values)


def nodes_of(places: Iterable[Hashable]) -> set[str]:
    """The nodes of runs that were measured in these rounds or sittings."""
    return {getattr(place, "node", "") for place in places}


def independent(logs: Runs, correlation: float = 0.0) -> list[float]:
    """The values that an interval rests on: each, or of several nodes, the mean of each node. Those
    of one node share what is particular to it, those of one start have this correlation.
    """
    of_nodes = values_by("node", logs)
    if len(of_nodes) > 1:
        return [fmean(found) for found in of_nodes.values()]
    return independent_of_start(logs, correlation)


def run_logs(runs: Runs) -> list[float]:
    """Logarithms of run means, by node where they lie on several."""
    return independent({place: math.log(time) for place, time in runs.items()})


def shared(times: Runs, base: Runs) -> list[Hashable]:
    """The rounds that both have."""
    return sorted(times.keys() & base.keys())


def paired_logs(times: Runs, base: Runs, correlation: float = 0.0) -> list[float]:
    """ln(time) - ln(base) of every round that both have, by node where these lie on several; of
    runs of one start that correlate, see :func:`independent_of_start`.
    """
    return independent(log_ratios(times, base), correlation)


def log_ratios(times: Runs, base: Runs) -> dict[Hashable, float]:
    """ln(time) - ln(base) of every round that both have."""
    return {place: math.log(times[place] / base[place]) for place in shared(times, base)}


def paired_ratio(
    times: Runs, base: Runs, moderate: Moderate = as_measured, correlation: float = 0.0
) -> Ratio | None:
    """exp of the mean of ln(time) - ln(base) over the rounds that both have; None when they share
    none.

    Pairing by round removes the drift of the machine between rounds, and what a node is faster or
    slower than another.
    """
    logs = paired_logs(times, base, correlation)
    return ratio_of(logs, len(shared(times, base)), moderate) if logs else None


def ratio_of(logs: Sequence[float], rounds: int, moderate: Moderate = as_measured) -> Ratio:
    """The ratio from its logarithms in so many rounds; of one round, or node, without an error."""
    several = len(logs) >= MIN_RUNS
    error, freedom = standard_error(logs, moderate) if several else (None, 0)
    return Ratio(fmean(logs), error, freedom, rounds)


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


def above(interval: Interval | None, limit: float) -> bool | None:
    """True if a value is at least the limit; None when its interval includes the limit."""
    if interval is None:
        return None
    return True if interval.low >= limit else False if interval.high < limit else None


def mean_interval(values: Sequence[float]) -> Interval | None:
    """95 % Student t interval of an arithmetic mean, of shares for example; None below two values.

    Its ends are absolute, so that `half_width` has no meaning.
    """
    if len(values) < MIN_RUNS:
        return None
    return t_interval_of(fmean(values), deviation(values) / math.sqrt(len(values)), len(values) - 1)


def t_interval_of(mean: float, standard_error: float, degrees_of_freedom: float) -> Interval:
    """95 % Student t interval of a value on its own scale."""
    half = t_quantile(degrees_of_freedom) * standard_error
    return Interval(mean - half, mean + half)


def exact_share_interval(number: int, of: int) -> Interval:
    """95 % interval of a share of independent cases, Clopper and Pearson's."""
    from scipy.stats import binomtest  # here, because importing it takes longer than most use

    found = binomtest(number, of).proportion_ci(CONFIDENCE, "exact")
    return Interval(float(found.low), float(found.high))
