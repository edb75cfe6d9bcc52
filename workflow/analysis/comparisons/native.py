"""Is native code worth it? For each operation and framework the best native way against the best
that the framework does itself, in the operation and in the whole step, beside what it costs.

All gains are t(framework) / t(native), paired by round; above 1 native code is faster. The two are
the fastest by their means, and steady where any is. A verdict does not rest on that choice: yes
needs a native way that is shown more than the margin faster than every way of the framework, by
intervals that hold for all native ways at once (Bonferroni), no that each of them is shown not to
be faster than one of these, by intervals for all of these at once. What was built naively is no
candidate.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from analysis.comparisons.native_ways import Way, Ways, ways_of
from analysis.results.cells import cell_ratio
from analysis.results.results import Results
from analysis.results.rows import RowCells
from analysis.statistics.ceiling import gain_interval, gain_of
from analysis.statistics.intervals import (
    Interval,
    Ratio,
    Verdict,
    paired_ratio,
    together,
    verdict,
)
from analysis.statistics.overtaking import steps_to_overtake


class Pays(StrEnum):
    """Whether native code makes the whole step shorter."""

    YES = "yes"
    NO = "no"
    NOT_SHOWN = "not shown"


@dataclass(frozen=True)
class PayBack:
    """After how many steps the seconds of the build are earned back; None: never. The ends are
    those of the interval of the gain, both None without one, `latest` where that includes no gain.
    """

    steps: int | None
    earliest: int | None
    latest: int | None


@dataclass(frozen=True)
class Payoff:
    """What native code brings in one row and framework."""

    ways: Ways

    @property
    def row(self) -> RowCells:
        return self.ways.row

    @property
    def operation(self) -> str:
        return self.ways.operation

    @property
    def framework(self) -> str:
        return self.ways.framework

    @cached_property
    def own(self) -> Way | None:
        """The best of what the framework does itself; None where none may be compared."""
        return _fastest(self.ways.of_framework)

    @cached_property
    def native(self) -> Way | None:
        """The best native one."""
        return _fastest(self.ways.native)

    @cached_property
    def alone(self) -> Ratio | None:
        """The gain in the operation."""
        return alone_ratio(self.own, self.native)

    @cached_property
    def step(self) -> Ratio | None:
        """The gain in the whole step."""
        return self.step_of(self.native)

    def step_of(self, way: Way | None) -> Ratio | None:
        """That of any way over the best of the framework; None when no round has both."""
        return cell_ratio(self.own.cell, way.cell) if self.own and way else None

    @property
    def most(self) -> float | None:
        """The gain in the step if the operation took no time at all, by its share."""
        share = self.own.share if self.own else None
        return None if share is None else gain_of(share)

    @property
    def most_interval(self) -> Interval | None:
        return gain_interval(self.own.share_interval) if self.own else None

    @property
    def beyond(self) -> bool:
        """Whether the whole interval of the gain in the step lies beyond what the operation's share
        would allow.
        """
        limit = self.most_interval.high if self.most_interval else self.most
        if limit is None or self.step is None or self.step.interval is None:
            return False
        return self.step.interval.low > limit

    @property
    def pay_back(self) -> PayBack | None:
        """None where nothing is built or compared."""
        return pay_back(self.native, self.step) if self.native else None

    @cached_property
    def pays(self) -> Pays:
        return self.among(1)

    def among(self, payoffs: int) -> Pays:
        """The verdict, where yes holds for so many payoffs at once."""
        own, native = (_comparable(found) for found in (self.ways.of_framework, self.ways.native))
        if not own or not native:
            return Pays.NOT_SHOWN
        tests = len(native) * payoffs
        if any(all(_faster(new, base, tests) for base in own) for new in native):
            return Pays.YES
        if all(any(_not_faster(new, base, len(own)) for base in own) for new in native):
            return Pays.NO
        return Pays.NOT_SHOWN

    @property
    def why_not_shown(self) -> str:
        """'one run', 'the intervals do not decide'; empty where it is shown."""
        if self.pays is not Pays.NOT_SHOWN:
            return ""
        for ways, what in (
            (self.ways.of_framework, "way of the framework"),
            (self.ways.native, "native way"),
        ):
            if not _comparable(ways):
                why = next((way.cell.tells_nothing for way in ways), "")
                return f"no {what} {f'may be compared: {why}' if why else 'was measured'}"
        if self.step is None:
            return "no round that both measured"
        return "the intervals do not decide" if self.step.interval else "one run"


def payoffs(results: Results) -> list[Payoff]:
    """In the order of the table, without frameworks in which no native way was measured."""
    return [payoff for payoff in all_payoffs(results) if payoff.native]


def all_payoffs(results: Results) -> list[Payoff]:
    """With those frameworks, too."""
    return [Payoff(ways) for ways in ways_of(results)]


def alone_ratio(base: Way | None, new: Way | None) -> Ratio | None:
    """The ratio of the times of the operation alone, paired by round."""
    if base is None or new is None:
        return None
    return paired_ratio(base.compared_alone, new.compared_alone)


def pay_back(native: Way, step: Ratio | None) -> PayBack | None:
    """From the seconds of a build and a gain in the step."""
    if native.build_s is None or step is None:
        return None

    def steps(gain: float) -> int | None:
        found = float(steps_to_overtake(native.build_s, native.cell.step_ms / 1000, gain))
        return None if math.isnan(found) else int(found)

    if step.interval is None:
        return PayBack(steps(step.value), None, None)
    return PayBack(steps(step.value), steps(step.interval.high), steps(step.interval.low))


def _fastest(ways: Sequence[Way]) -> Way | None:
    """The lowest mean of those that may be compared."""
    return min(_comparable(ways), key=_step_ms, default=None)


def _step_ms(way: Way) -> float:
    return way.cell.step_ms


def _comparable(ways: Sequence[Way]) -> list[Way]:
    return [way for way in ways if way.cell.comparable]


def _faster(new: Way, base: Way, tests: int) -> bool:
    ratio = cell_ratio(base.cell, new.cell)
    return ratio is not None and verdict(together(ratio, tests)) is Verdict.SLOWER


def _not_faster(new: Way, base: Way, tests: int) -> bool:
    ratio = cell_ratio(base.cell, new.cell)
    shown = verdict(together(ratio, tests)) if ratio else Verdict.AMBIGUOUS
    return shown in (Verdict.FASTER, Verdict.SAME)
