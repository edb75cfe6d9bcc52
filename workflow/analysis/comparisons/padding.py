"""What share of a call of ``generate()`` static padding can cost, from calls at several lengths.

KerasHub and KerasNLP pad each prompt to ``max_length`` L and keep a cache of that length for each
of the n new tokens. So a call takes t = a + b n + c n L: a whatever is generated, b a token, c a
token and position of the cache. The share of padding is c n L / t at the row's own n and L, with
all positions taken as padding: an upper bound. Where n is the same at all lengths, what a longer
prompt costs to be read is counted with it.

That the first positions cost as much as those that a greater length adds is the model's assumption;
with three lengths at the row's own n, the means by length (in the caveat's evidence) show a bend.

The times of a run are fitted by least squares on relative deviations, because times scatter in
proportion. A run is the unit of replication, so the interval is Student's t over the runs' own
shares; the fit's own interval, of a single run, says nothing about another run.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from analysis.comparisons.calls import Call, calls_of, kinds
from analysis.results.cells import Cell
from analysis.statistics.intervals import MIN_RUNS, Interval, mean_interval, t_interval_of

TERMS = 3  # a, b and c
# Of records whose cards do not say it: native PyTorch's own cache grows with its tokens.
PADDING_FAMILIES = ("keras2", "keras3")
STATIC = "static"  # how the entry `cache` of a card begins, of one made for the whole length


@dataclass(frozen=True)
class Fit:
    """Of one run: the share of c n L at the row's own n and L, and its standard error, None where
    no degrees of freedom are left for it.
    """

    share: float
    standard_error: float | None
    degrees_of_freedom: int


@dataclass(frozen=True)
class Share:
    """Upper bound of padding's share of a call. Its interval is over the runs; of one run, the
    scatter within it. Noise can make a share negative: it is printed as 0.
    """

    value: float
    interval: Interval | None
    by_run: dict[int, float]
    unused: float  # share of the cache's positions that hold no token yet, mean over a call

    @property
    def over_runs(self) -> bool:
        return len(self.by_run) >= MIN_RUNS


def padding_share(cell: Cell, own_length: int) -> Share | None:
    """Of a cell whose prompts are padded; None where too few lengths were timed to fit it."""
    if not pads(cell):
        return None
    calls = {run.number: calls_of(run, own_length) for run in cell.ok_runs}
    fits = {number: fit(found) for number, found in calls.items() if found}
    shares = {number: found.share for number, found in fits.items() if found}
    if not shares:
        return None
    first = next(iter(shares))
    interval = mean_interval(list(shares.values())) or within_run(fits[first])
    new_tokens = calls[first][0].new_tokens
    return Share(fmean(shares.values()), interval, shares, (new_tokens + 1) / 2 / own_length)


def pads(cell: Cell) -> bool:
    """Whether its cache is made for the whole length, as the card says."""
    caches = [(record.parity or {}).get("cache") for record in cell.records]
    known = [cache for cache in caches if cache is not None]
    if known:
        return any(cache.startswith(STATIC) for cache in known)
    return cell.column.family in PADDING_FAMILIES


def within_run(found: Fit) -> Interval | None:
    """95 % interval by the scatter of one run's calls around its fit."""
    if found.standard_error is None:
        return None
    return t_interval_of(found.share, found.standard_error, found.degrees_of_freedom)


def fit(calls: Sequence[Call]) -> Fit | None:
    """Weighted least squares of a + b n + c n L over a run's calls, of which the first is of the
    row's own n and L; None where they cannot separate the three.

    The deviation of a time is taken as proportional to the mean time of its kind (n, L), and that
    of a mean of several calls as smaller by the root of their number.
    """
    means, (n, length) = kinds(calls), calls[0].kind
    if len(means) < TERMS:
        return None
    import numpy as np  # here, because importing them takes longer than most commands
    from scipy import linalg

    weights = np.array([math.sqrt(call.calls) / means[call.kind].ms for call in calls])
    # Terms in units of the row's own call, so that each coefficient is its part of that call.
    terms = [(1.0, c.new_tokens / n, c.new_tokens * c.max_length / (n * length)) for c in calls]
    design = weights[:, None] * np.array(terms)
    times = weights * np.array([call.ms for call in calls])
    parts, _, rank, _ = linalg.lstsq(design, times)
    if rank < len(parts) or parts.sum() <= 0:
        return None
    share = float(parts[-1] / parts.sum())
    freedom = len(calls) - len(parts)
    if freedom < 1:
        return Fit(share, None, freedom)
    variance = ((times - design @ parts) ** 2).sum() / freedom
    covariance = variance * linalg.inv(design.T @ design)
    gradient = (np.array([0.0, 0.0, 1.0]) - share) / parts.sum()  # of the share, by each part
    return Fit(share, float(math.sqrt(gradient @ covariance @ gradient)), freedom)


def without_padding(ratio: Interval, share: Share) -> Interval | None:
    """What is left of a ratio of times when the slower one is freed of its padding.

    The low end takes all positions as padding; the high end those that hold no token yet, since
    the others have to be there. Each end holds with 95 % confidence, as the product of two bounds
    of 97.5 %. None below two runs.
    """
    if not share.over_runs or share.interval is None:
        return None
    low = ratio.low * (1 - share.interval.high)
    return Interval(low, ratio.high * (1 - share.unused * share.interval.low))


def explains(ratio: Interval | None, share: Share | None, limit: float) -> bool | None:
    """Whether a ratio of times is at least the limit because of padding, and would not be without.
    None where the intervals do not decide; a single run has none.
    """
    left = without_padding(ratio, share) if ratio and share else None
    if left is None or ratio.low < limit:
        return None
    return False if left.low >= limit else True if left.high < limit else None
