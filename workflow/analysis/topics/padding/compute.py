"""The share of a call of ``generate()`` that padding can cost, from calls at several lengths.

KerasHub and KerasNLP pad each prompt to ``max_length`` L and keep a cache of that length for each
of the n new tokens. Of the time of a call (see `statistics.call_time`), the part that grows with n
and L is taken as the cost of padding, at the row's own n and L, with all positions taken as
padding: an upper bound. What a longer prompt costs to be read, and what a copied cache costs in
each token, is counted with it.

Whether padding is why one column is slower than another is asked of the ratio without the padding
of both.

That the first positions cost as much as those that a greater length adds is the model's assumption;
with three lengths at the row's own n, the means by length (in the caveat's evidence) show a bend.

A run is the unit of replication, so the interval of a share is Student's t over the runs' own
shares.
"""

import math
from dataclasses import dataclass
from statistics import fmean

import pandas as pd

from analysis.data import CELL, RUN, CellKey, Data, cell_key, of_fullest_runs
from analysis.formats.spelling import within
from analysis.formats.text import count, percent, times
from analysis.results.cells import Cell
from analysis.statistics.call_time import Fit, fit
from analysis.statistics.intervals import MIN_RUNS, NS_PER_MS, Interval, Ratio, mean_interval

# For records whose cards do not say it: plain PyTorch's own cache grows with its tokens.
PADDING_FAMILIES = ("keras2", "keras3")
STATIC = "static"  # how a card's entry `cache` begins where it is made for the whole length
KIND = ["new_tokens", "max_length"]  # equal for calls that do the same


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


def calls(data: Data) -> pd.DataFrame:
    """A line per block of equal timed calls of the runs that were timed at other lengths, the row's
    own first in each: `new_tokens` of an answer, `max_length`, `ms` of a call, and how many `calls`
    that is the mean of.

    A run whose own answers have no token is left out: what its steps count as tokens is nothing
    that ``generate()`` makes.
    """
    found = data.timed_blocks
    found = found[(found["samples"] == found["batch_size"]) & found[KIND].notna().all(axis=1)]
    found = found.astype(dict.fromkeys(KIND, int)).rename(columns={"steps": "calls"})
    found["new_tokens"] //= found["batch_size"]
    found["ms"] = found["elapsed_ns"] / found["calls"] / NS_PER_MS
    found = found[(found[KIND] > 0).all(axis=1)]
    probes = found.groupby(RUN, sort=False)["probe"]
    kept = (probes.transform("min") == 0) & (probes.transform("max") > 0)
    return found.loc[kept, [*RUN, *KIND, "ms", "calls"]]


def compared_calls(data: Data) -> pd.DataFrame:
    """The calls of the runs that were timed at the most kinds."""
    return of_fullest_runs(calls(data), KIND)


def in_some_runs(found: pd.DataFrame, name: str) -> list[str]:
    """The values of a column that not every run of a cell has: some are timed once a cell."""
    runs = found.groupby(CELL)["run"].transform("nunique")
    having = found.groupby([*CELL, name])["run"].transform("nunique")
    return list(map(str, sorted(found.loc[having < runs, name].unique())))


def kind_means(found: pd.DataFrame) -> pd.DataFrame:
    """A line per cell and kind of call, by kind: mean `ms`, and of how many `calls`."""
    total = found.assign(ms=found["ms"] * found["calls"])
    total = total.groupby([*CELL, *KIND], as_index=False)[["ms", "calls"]].sum()
    return total.assign(ms=total["ms"] / total["calls"])


def shares(data: Data) -> dict[CellKey, Share]:
    """Shares of the cells that may be compared and whose prompts are padded, where enough lengths
    were timed to fit them.
    """
    padded = {cell_key(c) for row in data.results.rows for c in row.comparable if pads(c)}
    found: dict[CellKey, Share] = {}
    for cell, of_cell in calls(data).groupby(CELL, sort=False):
        runs = of_cell.groupby("run", sort=False) if cell in padded else ()
        timed = {int(run): of_run[[*KIND, "ms", "calls"]] for run, of_run in runs}
        fits = {run: fitted for run, of in timed.items() if (fitted := fit(*of.to_numpy().T))}
        if fits:
            new_tokens, length = of_cell[KIND].iloc[0]  # the row's own
            found[cell] = _share(fits, (new_tokens + 1) / 2 / length)
    return found


def _share(fits: dict[int, Fit], unused: float) -> Share:
    by_run = {number: found.share for number, found in fits.items()}
    values, (first, *_) = list(by_run.values()), fits.values()
    return Share(fmean(values), mean_interval(values) or first.interval, by_run, unused)


def pads(cell: Cell) -> bool:
    """True if its cache is made for the whole length, as the card says."""
    if known := cell.reported("cache"):
        return any(cache.startswith(STATIC) for cache in known)
    return cell.column.family in PADDING_FAMILIES


def most_padding(cell: Cell, share: Share | None) -> float:
    """The largest share of a call that padding may be in a cell: 0 where its cache grows, 1 where
    none is known.
    """
    if not pads(cell):
        return 0.0
    known = share and share.over_runs and share.interval
    return min(1.0, max(0.0, known.high)) if known else 1.0


def without_padding(ratio: Interval, share: Share, fast_share: float) -> Interval | None:
    """The ratio of times that is left when both are freed of their padding.

    share: the slower one's. fast_share: the most that padding may be in the faster one.

    The low end takes all positions of the slower one as padding and none of the faster one's; the
    high end those that hold no token yet, since the others have to be there, and all of the faster
    one's. The low end holds with 95 % confidence, as the product of two bounds of 97.5 %, the high
    one with 92.5 % where the faster one pads. None below two runs.
    """
    if not share.over_runs or share.interval is None:
        return None
    low = ratio.low * (1 - share.interval.high)
    high = ratio.high * (1 - share.unused * share.interval.low)
    return Interval(low, high / (1 - fast_share) if fast_share < 1 else math.inf)


def explains(
    ratio: Interval | None, share: Share | None, fast_share: float, limit: float
) -> bool | None:
    """True if a ratio of times is at least the limit because of padding, and would not be without.
    None where the intervals do not decide; a single run has none.
    """
    left = without_padding(ratio, share, fast_share) if ratio and share else None
    if left is None or ratio.low < limit:
        return None
    return False if left.low >= limit else True if left.high < limit else None


def share_text(share: Share) -> str:
    """'4.1 % [3.2 %, 5 %] (3 runs)': a share; one that noise makes negative is printed as 0."""
    runs = count(len(share.by_run), "run") if share.over_runs else "within one run"
    if (ends := share.interval) is None:
        return f"{_clipped(share.value)} ({runs}, no interval)"
    return f"{within(share.value, ends.low, ends.high, _clipped)} ({runs})"


def _clipped(value: float) -> str:
    return percent(min(1.0, max(0.0, value)))


def explanation(ratio: Ratio, share: Share, fast_share: float, limit: float) -> str:
    """Say whether padding is why a column takes so much longer, as far as the intervals show."""
    left = without_padding(ratio.interval, share, fast_share) if ratio.interval else None
    if left is None:
        return "one run cannot tell whether padding explains it"
    low, high = times(max(0.0, left.low)), times(left.high)
    reach = f"{low} to {high}" if math.isfinite(left.high) else f"{low} or more"
    return {
        False: f"padding does not explain it, without any it would still be at least {low}",
        True: f"padding explains it, without any in both it would be at most {high}",
        None: f"undecided whether padding explains it, without any in both it would be {reach}",
    }[explains(ratio.interval, share, fast_share, limit)]
