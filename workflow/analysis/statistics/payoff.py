"""A test: is the best of several new ways shown to be faster than the best of several known ones?

The verdict does not rest on which ways have the lowest means. Yes needs a new way that is shown
more than the margin faster than every known one, by intervals that hold for all new ways at once
(Bonferroni); no that each of them is shown not to be faster than one of the known ones, by
intervals that hold for all of these at once.
"""

from collections.abc import Sequence
from enum import StrEnum

from analysis.statistics.intervals import Ratio, Verdict, together, verdict


class Pays(StrEnum):
    """The answer to: do the new ways make the whole step shorter?"""

    YES = "yes"
    NO = "no"
    NOT_SHOWN = "not shown"


def pays(gains: Sequence[Sequence[Ratio | None]], payoffs: int = 1) -> Pays:
    """Judge t(known) / t(new), a line per new way with its ratio to each known one, None where no
    round has both. Yes holds for so many such verdicts at once.
    """
    if not gains or not gains[0]:
        return Pays.NOT_SHOWN
    tests = len(gains) * payoffs
    if any(all(_shown(gain, tests) is Verdict.SLOWER for gain in of_new) for of_new in gains):
        return Pays.YES
    no_gain = (Verdict.FASTER, Verdict.SAME)
    if all(any(_shown(gain, len(of_new)) in no_gain for gain in of_new) for of_new in gains):
        return Pays.NO
    return Pays.NOT_SHOWN


def _shown(gain: Ratio | None, tests: int) -> Verdict:
    return verdict(together(gain, tests)) if gain else Verdict.AMBIGUOUS
