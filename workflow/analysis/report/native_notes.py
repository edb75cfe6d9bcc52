"""What the numbers of native code do not say by themselves: gains that a share does not allow,
flags that are missing.
"""

from __future__ import annotations

from collections.abc import Iterable

from analysis.comparisons.native import Payoff, alone_ratio
from analysis.comparisons.native_ways import Ways
from analysis.formats.text import NA, percent, times
from analysis.statistics.intervals import Ratio


def notes(payoff: Payoff, title: str) -> Iterable[str]:
    """Sentences about a model in a framework, `title`."""
    where = f"{payoff.operation} in {title}"
    if payoff.beyond:
        yield (
            f"{where}: the step is {ratio_text(payoff.step)} as fast, more "
            f"than the share of the operation allows ({times(payoff.most)} at most): alone is not "
            "the same as inside a step, where it is fused with others, waits for memory, or keeps "
            "a compiler from its work."
        )
    if payoff.own and (ends := payoff.own.share_interval) and ends.low > 1:
        yield (
            f"{where}: alone the operation takes longer than the whole step "
            f"({percent(payoff.own.share)} of it), so a part of it is not there in a step: fused "
            "with others, or beside them."
        )
    yield from _naive_notes(payoff.ways, where)


def _naive_notes(ways: Ways, where: str) -> Iterable[str]:
    """What the flags bring: the same code built without them."""
    for naive, tuned in ways.naive:
        alone = alone_ratio(naive, tuned)
        flags = " ".join(naive.build.compile_flags) if naive.build else NA
        if alone:
            yield (
                f"{where}: {naive.cell.column.title}, built with {flags}, takes "
                f"{ratio_text(alone)} the time of {tuned.cell.column.title} in the operation alone."
            )


def ratio_text(ratio: Ratio) -> str:
    """'7.10x [6.90x, 7.30x]'."""
    ends = ratio.interval
    return times(ratio.value) + (f" [{times(ends.low)}, {times(ends.high)}]" if ends else "")
