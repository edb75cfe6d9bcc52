"""The best of a family over the best of another, both chosen by the runs that they are judged by.

The gain of families is the largest over the new columns of the smallest ratio to any base column.
Its interval is simultaneous over what may be the best: the lower end of a new column holds with
those of all other new ones, the upper end of a base column with those of all other base ones
(Bonferroni). So a claim about a family is tested over all its members, whichever is the fastest.
Those that are significantly slower than the fastest of both families do not count as what may be
the best, unless all of their family are; nor do those with a single run, unless they took least. So
a family is shown slower wherever the row shows all of its members slower than a fastest one of the
other.

The factor itself is flattered by the choice: of three equal columns the one that was lucky is
taken. By how much is told by choosing anew for every round from the other rounds alone: then the
round that is judged by had no part in the choice.
"""

import math
from collections.abc import Hashable, Mapping, Sequence
from statistics import fmean

from analysis.statistics.best_set import Contest, shown_slower
from analysis.statistics.block_means import adjusted_logs
from analysis.statistics.intervals import MIN_RUNS, Interval, Runs

Logs = Mapping[Hashable, float]  # of times, by round
MIN_ROUNDS = 3  # to choose from two at least


def family_interval(
    held: Contest, news: Sequence[str], bases: Sequence[str], statements: int = 1
) -> Interval | None:
    """95 % interval of the gain, t_base / t_new, in a contest of both families. So many such
    intervals (`statements`) hold all at once. None where a ratio has none.
    """
    means = adjusted_logs(held.row)
    news, bases = (_counted(held.row, names, means) for names in (news, bases))
    ratios = {(new, base): held.ratio(base, new) for new in news for base in bases}
    if not ratios or any(ratio is None or ratio.error is None for ratio in ratios.values()):
        return None
    slower = shown_slower(held.p_values)
    new, base = ([n for n in names if n not in slower] or names for names in (news, bases))
    low = {pair: ratio.together(statements * len(new)).low for pair, ratio in ratios.items()}
    high = {pair: ratio.together(statements * len(base)).high for pair, ratio in ratios.items()}
    return Interval(
        max(min(low[name, other] for other in bases) for name in new),
        max(min(high[name, other] for other in base) for name in news),
    )


def _counted(
    row: Mapping[str, Runs], names: Sequence[str], means: Mapping[str, float]
) -> list[str]:
    """Those of several runs; none where one of a single run took least, for which no other can
    stand.
    """
    counted = [name for name in names if len(row[name]) >= MIN_RUNS]
    return counted if min(names, key=means.__getitem__) in counted else []


def luck_of_choice(news: Sequence[Logs], bases: Sequence[Logs]) -> float:
    """The factor by which choosing raises t_base / t_new, from logarithms of times by round; 1
    where there is no choice, or fewer than MIN_ROUNDS rounds that all have.
    """
    rounds = set.intersection(*(set(logs) for logs in (*news, *bases)))
    if len(rounds) < MIN_ROUNDS or len(news) == len(bases) == 1:
        return 1.0
    return math.exp(_luck(bases, rounds) - _luck(news, rounds))


def _luck(columns: Sequence[Logs], rounds: set[Hashable]) -> float:
    """The lowest mean, less the mean of what the other rounds choose for each round."""

    def fastest(of: set[Hashable]) -> Logs:
        return min(columns, key=lambda logs: fmean(logs[place] for place in of))

    chosen = fastest(rounds)
    return fmean(chosen[left] - fastest(rounds - {left})[left] for left in rounds)
