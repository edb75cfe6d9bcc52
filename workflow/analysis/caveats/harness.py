"""What the self-test shows of the harness itself."""

from __future__ import annotations

from collections.abc import Iterator

from analysis.caveats.causes import NOISE, UNTESTED
from analysis.caveats.core import Caveat, Changes, Severity, rule
from analysis.caveats.thresholds import HARNESS_ERROR
from analysis.formats.text import count, listed, percent, signed_percent
from analysis.results.results import Results
from analysis.results.self_test import KnownStep
from analysis.statistics.intervals import Ratio, Verdict


@rule(
    "The harness was not tested in full",
    "Its own error is not known.",
    Changes.UNTESTED,
    "Start again: a self-test that is missing is made.",
    UNTESTED,
)
def not_self_tested(results: Results) -> Iterator[Caveat]:
    """The harness's own error is not known."""
    test = results.self_test
    if test is None or not test.ok:
        why = "was not made" if test is None else f"ended as {test.status}: {test.reason}"
        sentence = f"The self-test {why}; the harness's own error is not known in full."
        evidence = {"status": test.status if test else None}
        yield Caveat("not_self_tested", Severity.NOTE, (), evidence, sentence)


@rule(
    "The harness reads known steps wrongly",
    "Times of that length may be off by as much, in every column.",
    Changes.TIMES,
    "Use a quieter machine, remove the file of the self-test and start again.",
)
def harness_error(results: Results) -> Iterator[Caveat]:
    """Fake steps of known duration are read wrongly."""
    steps = results.self_test.known_steps if results.self_test else ()
    wrong = [step for step in steps if step.shown and abs(step.error) > HARNESS_ERROR]
    if wrong:
        sentence = (
            f"The harness reads steps of known duration wrongly by more than "
            f"{percent(HARNESS_ERROR)} ({listed(list(map(_known, wrong)))}): times of that length "
            "may be off by as much, in every column."
        )
        evidence = {
            "error": {f"{step.nominal_ms:g} ms": step.error for step in wrong},
            "threshold": HARNESS_ERROR,
        }
        yield Caveat("harness_error", Severity.WARNING, (), evidence, sentence)


def _known(step: KnownStep) -> str:
    return f"{step.nominal_ms:g} ms as {step.measured_ms:.6g} ms, {signed_percent(step.error)}"


@rule(
    "One cell differs from itself",
    "Measured under two names it should not; other differences are as doubtful.",
    Changes.ORDER,
    "Use a quieter machine, or add runs.",
    NOISE,
)
def same_cell_differs(results: Results) -> Iterator[Caveat]:
    """One cell under two names must not differ from itself."""
    same = results.self_test.same_cell if results.self_test else None
    ratio = same.ratio if same else None
    if ratio and ratio.interval and not ratio.interval.low <= 1 <= ratio.interval.high:
        called = ratio.verdict in (Verdict.FASTER, Verdict.SLOWER)
        sentence = (
            f"The same cell ({same.model} {same.task}, batch {same.batch_size}, {same.column}) "
            f"measured under two names differs from itself: ratio {_ratio(ratio)} over "
            f"{count(ratio.rounds, 'round')}. "
            + (
                "The table would call that a difference, so its other differences are in doubt."
                if called
                else "Chance alone does this in one self-test of twenty."
            )
        )
        evidence = {
            "ratio": ratio.value,
            "interval": [ratio.interval.low, ratio.interval.high],
            "rounds": ratio.rounds,
            "verdict": str(ratio.verdict),
        }
        severity = Severity.CRITICAL if called else Severity.WARNING
        yield Caveat("same_cell_differs", severity, (), evidence, sentence)


def _ratio(ratio: Ratio) -> str:
    return f"{ratio.value:.4f} [{ratio.interval.low:.4f}, {ratio.interval.high:.4f}]"


@rule(
    "The monitor costs time",
    "Every time in the table may include that.",
    Changes.TIMES,
    "Leave the monitor a processor of its own.",
)
def monitor_costs(results: Results) -> Iterator[Caveat]:
    """The monitor makes the steps that it watches slower."""
    monitor = results.self_test.monitor if results.self_test else None
    ratio = monitor.ratio if monitor else None
    ends = ratio.interval if ratio else None
    if ends and ends.low > 1 and ratio.value - 1 > HARNESS_ERROR:
        sentence = (
            f"Steps take {signed_percent(ratio.value - 1)} [{signed_percent(ends.low - 1)}, "
            f"{signed_percent(ends.high - 1)}] longer with the monitor than without it "
            f"({monitor.step}), more than {percent(HARNESS_ERROR)}: every time in the table may "
            "include that."
        )
        evidence = {
            "ratio": ratio.value,
            "interval": [ends.low, ends.high],
            "pairs": ratio.rounds,
            "threshold": HARNESS_ERROR,
        }
        yield Caveat("monitor_costs", Severity.WARNING, (), evidence, sentence)
