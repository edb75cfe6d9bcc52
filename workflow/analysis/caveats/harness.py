"""What the self-test shows of the harness itself."""

from collections.abc import Iterator

from analysis.caveats.core import Found, Severity, rule
from analysis.caveats.thresholds import HARNESS_ERROR
from analysis.data import Data
from analysis.formats.text import percent
from analysis.statistics.intervals import MARGIN, Interval, Ratio, Verdict


@rule
def not_self_tested(data: Data) -> Iterator[Found]:
    """The harness's own error is not known."""
    test = data.results.self_test
    if test is None or not test.ok:
        why = "was not made" if test is None else f"ended as {test.status}: {test.reason}"
        yield Found(None, {"status": test.status if test else None}, {"why": why})


@rule
def harness_error(data: Data) -> Iterator[Found]:
    """Fake steps of known duration are read wrongly."""
    steps = data.results.self_test.known_steps if data.results.self_test else ()
    wrong = [step for step in steps if _shown(step.interval) and abs(step.error) > HARNESS_ERROR]
    if wrong:
        errors = {f"{step.nominal_ms:g} ms": step.error for step in wrong}
        known = [
            f"{step.nominal_ms:g} ms as {step.step_ms:.6g} ms, {percent(step.error, signed=True)}"
            for step in wrong
        ]
        yield Found(None, {"error": errors, "threshold": HARNESS_ERROR}, {"known": known})


@rule
def same_cell_differs(data: Data) -> Iterator[Found]:
    """One cell under two names must not differ from itself."""
    same = data.results.self_test.same_cell if data.results.self_test else None
    ratio = same.ratio if same else None
    if ratio and _shown(ratio.interval):
        called = ratio.verdict in (Verdict.FASTER, Verdict.SLOWER)
        evidence = _ratio(ratio) | {"rounds": ratio.rounds, "verdict": str(ratio.verdict)}
        severity = Severity.CRITICAL if called else None
        yield Found(None, evidence, {"same": same, "called": called}, severity)


@rule
def monitor_costs(data: Data) -> Iterator[Found]:
    """The monitor makes the steps that it watches slower."""
    monitor = data.results.self_test.monitor if data.results.self_test else None
    ratio = monitor.ratio if monitor else None
    if ratio and ratio.interval and ratio.interval.low > 1 and ratio.value - 1 > HARNESS_ERROR:
        evidence = _ratio(ratio) | {"pairs": ratio.rounds, "threshold": HARNESS_ERROR}
        yield Found(None, evidence, {"step": monitor.step})


@rule
def harness_uncertain(data: Data) -> Iterator[Found]:
    """Parts of the self-test that show no error, and could not have shown one beyond its bar."""
    test = data.results.self_test
    if test is None:
        return
    parts = [
        (f"steps of {step.nominal_ms:g} ms", step.interval, HARNESS_ERROR)
        for step in test.known_steps
    ]
    if test.same_cell and test.same_cell.ratio:
        parts.append(("one cell under two names", test.same_cell.ratio.interval, MARGIN))
    if test.monitor and test.monitor.ratio:
        parts.append(("the cost of the monitor", test.monitor.ratio.interval, HARNESS_ERROR))
    least = {
        what: interval.half_width
        for what, interval, bar in parts
        if interval and not _shown(interval) and interval.half_width > bar
    }
    if least:
        texts = [f"{percent(error)} for {what}" for what, error in least.items()]
        yield Found(None, {"least_shown": least}, {"texts": texts})


def _shown(interval: Interval | None) -> bool:
    """True if it leaves out that nothing differs."""
    return interval is not None and not interval.low <= 1 <= interval.high


def _ratio(ratio: Ratio) -> dict[str, object]:
    return {"ratio": ratio.value, "interval": [ratio.interval.low, ratio.interval.high]}
