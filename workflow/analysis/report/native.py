"""Is native code worth it? Three questions, answered from the operations that were timed in several
ways: is it a problem, can the framework do it itself, does it pay?
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from analysis.comparisons.native import (
    PayBack,
    Payoff,
    Pays,
    all_payoffs,
)
from analysis.comparisons.native_ways import Way
from analysis.formats.text import NA, listed, ms, percent, seconds, times_within
from analysis.report.native_notes import notes, ratio_text
from analysis.report.native_ways import ways_grid
from analysis.results.results import Results
from analysis.statistics.intervals import MARGIN, Interval, Ratio, Verdict
from analysis.writing.grid import Grid

PROBLEM = (
    "Model and framework",
    "Operation",
    "Its share of a step",
    "The most that it could bring",
)
ITSELF = ("Model and framework", "Best way of the framework", "Operation alone, ms", "ms/step")
ITSELF += ("Alone, times the best native way", "Its other ways: ms/step")
PAYS = ("Model and framework", "Best native way", "Times as fast: the operation", "the whole step")
PAYS += ("Worth it", "Lines of code", "Build, s", "Extra packages", "Steps that earn it back")
WORDS = {
    Pays.YES: "pays",
    Pays.NO: f"is shown to bring no more than {percent(MARGIN)}",
    Pays.NOT_SHOWN: "is not shown to pay",
}
ITSELF_WORDS = {
    Verdict.SLOWER: "takes longer than native code",
    Verdict.SAME: f"takes the same within {percent(MARGIN)}",
    Verdict.FASTER: "takes less",
    Verdict.AMBIGUOUS: "is not shown to take longer or less",
}


@dataclass(frozen=True)
class NativeView:
    """The section: sentences and tables of the three questions; tables without lines have nothing
    to show.
    """

    problem: Grid
    itself: Grid
    itself_verdicts: tuple[str, ...]
    pays: Grid
    verdicts: tuple[str, ...]
    notes: tuple[str, ...]
    every_way: tuple[tuple[str, Grid], ...]  # by model and framework

    @property
    def empty(self) -> bool:
        """Whether no operation was measured."""
        return not self.problem.lines


def native_view(results: Results) -> NativeView:
    found = all_payoffs(results)
    compared = [payoff for payoff in found if payoff.native]
    return NativeView(
        _problem(found),
        _itself(found),
        tuple(_by_row(compared, "the framework's best way", ITSELF_WORDS, _comes_up)),
        _pays(compared),
        tuple(_by_row(compared, "native code", WORDS, _pays_at_all)),
        tuple(note for payoff in found for note in notes(payoff, title(payoff))),
        tuple((title(payoff), ways_grid(payoff, title(payoff))) for payoff in found),
    )


def title(payoff: Payoff) -> str:
    """'Aligner fit on native PyTorch'."""
    return f"{payoff.row.row.label} on {payoff.framework}"


def _by_row(
    found: Sequence[Payoff],
    subject: str,
    words: Mapping[str, str],
    answer: Callable[[Payoff], tuple[str, str]],
) -> Iterator[str]:
    """One sentence for each row: 'mas in Aligner fit: native code pays on native PyTorch; is not
    shown to pay on Keras 3 (JAX) (one run).' The answer of a framework is a key of the words, and
    a reason, or nothing.
    """
    rows = dict.fromkeys((payoff.operation, payoff.row.row) for payoff in found)
    for operation, row in rows:
        answers = [(*answer(payoff), payoff.framework) for payoff in found if payoff.row.row == row]
        parts = []
        for key, text in words.items():
            names = [f"{name} ({why})" if why else name for of, why, name in answers if of == key]
            parts += [f"{text} on {listed(names)}"] if names else []
        yield f"{operation} in {row.label}: {subject} {'; '.join(parts)}."


def _pays_at_all(payoff: Payoff) -> tuple[str, str]:
    return payoff.pays, payoff.why_not_shown


def _comes_up(payoff: Payoff) -> tuple[str, str]:
    """Whether the framework's best way takes as little time as native code, in the operation."""
    if payoff.alone is None:
        return Verdict.AMBIGUOUS, "no round in which both were timed alone"
    return payoff.alone.verdict, ratio_text(payoff.alone)


def _problem(found: Sequence[Payoff]) -> Grid:
    caption = (
        "Share of the operation in a step of the framework's best way: its uses times the median "
        "of calls outside any step, over the step of the same run, and 1 / (1 - share), what the "
        "step would gain if the operation took no time; 95 % intervals over runs"
    )
    lines = tuple(
        (
            title(payoff),
            payoff.operation,
            _share(payoff.own),
            _factors(payoff.most, payoff.most_interval),
        )
        for payoff in found
        if payoff.own
    )
    return Grid(caption, PROBLEM, lines)


def _share(way: Way) -> str:
    if way.share is None:
        return NA
    ends = way.share_interval
    interval = f" [{percent(max(ends.low, 0.0))}, {percent(ends.high)}]" if ends else ""
    return percent(way.share) + interval


def _factors(value: float | None, interval: Interval | None) -> str:
    if value is None:
        return NA
    return times_within(value, interval)


def _itself(found: Sequence[Payoff]) -> Grid:
    caption = "What each framework does without native code: the fastest of its ways by the step"
    lines = tuple(
        (
            title(payoff),
            payoff.own.cell.column.title,
            ms(payoff.own.alone_ms),
            ms(payoff.own.cell.step_ms),
            _gain(payoff.alone),
            _others(payoff.ways.of_framework, payoff.own),
        )
        for payoff in found
        if payoff.own
    )
    return Grid(caption, ITSELF, lines)


def _others(ways: Sequence[Way], best: Way) -> str:
    others = [way for way in ways if way is not best]
    texts = [f"{way.cell.column.title} {ms(way.cell.step_ms)}" for way in others]
    return listed(texts) if texts else NA


def _pays(found: Sequence[Payoff]) -> Grid:
    caption = (
        "The best native way over the best way of the framework: t(framework) / t(native), "
        "paired by round, with 95 % intervals; what it costs in lines of code (in brackets "
        "those of the framework's way), in seconds of building and in packages; and after how many "
        "steps the build is earned back. Yes needs a native way that is faster by more than "
        f"{percent(MARGIN)} than every way of the framework, with intervals for all native ways at "
        f"once; no that none of them is{_threads(found)}"
    )
    return Grid(caption, PAYS, tuple(map(_pays_line, found)))


def _threads(found: Sequence[Payoff]) -> str:
    """What a comparison with code that makes no threads of its own is to be read with."""
    records = (record for payoff in found for record in payoff.native.cell.records)
    most = max((record.threads.requested for record in records), default=1)
    if most == 1:
        return ""
    return (
        f". A framework's own operations have up to {most} threads here, native code those that "
        "it makes: that of this repository makes none"
    )


def _pays_line(payoff: Payoff) -> tuple[str, ...]:
    native, own = payoff.native, payoff.own
    why = payoff.why_not_shown
    return (
        title(payoff),
        native.cell.column.title,
        *map(_gain, (payoff.alone, payoff.step)),
        f"{payoff.pays}: {why}" if why else str(payoff.pays),
        f"{native.lines} ({own.lines if own else NA})",
        seconds(native.build_s),
        _packages(native),
        pay_back_text(payoff.pay_back),
    )


def _gain(ratio: Ratio | None) -> str:
    """'2.00x [1.90x, 2.10x]', on one line."""
    return ratio_text(ratio).replace(" ", "\u00a0") if ratio else NA


def _packages(way: Way) -> str:
    return listed(list(way.build.packages)) if way.build else NA


def pay_back_text(found: PayBack | None) -> str:
    """'1,234', '1,234 [1,100, 1,500]', '1,234 [1,100, never]', 'never'."""
    if found is None:
        return NA
    ends = ""
    if found.earliest is not None or found.latest is not None:
        ends = f" [{_steps(found.earliest)}, {_steps(found.latest)}]"
    return _steps(found.steps) + ends


def _steps(number: int | None) -> str:
    return "never" if number is None else f"{number:,}"
