"""Test of claims that a net is trained faster on one device than on another."""

from __future__ import annotations

from analysis.claims.outcome import Outcome, above, claim_test
from analysis.comparisons.devices import on_both_devices
from analysis.formats.text import times
from analysis.results.cells import Cell
from analysis.results.plan import RowKey
from analysis.results.results import Results
from analysis.statistics.intervals import Interval, Verdict, verdict

NAMES = {"cpu": "the processor", "cuda": "the GPU"}


@claim_test()
def faster_on_device(
    results: Results,
    model: str,
    task: str,
    batch_size: int,
    framework: str,
    device: str,
    at_least: float | None = None,
) -> Outcome:
    """One row of a framework takes less on this device than on the other one: beyond the margin, or
    by at least so many times.
    """
    found = on_both_devices(results, (model, task, batch_size), framework)
    if found is None or found.gain is None:
        why = found.missing if found else "the columns have it not on a processor and on a GPU"
        return Outcome(None, f"Not measured: {why}.", tested=False)
    ratio, interval = found.gain.ratio.value, found.gain.interval  # t(processor) / t(GPU)
    if device == "cpu":
        ratio = 1 / ratio
        interval = interval and Interval(1 / interval.high, 1 / interval.low)
    other = NAMES["cpu" if device == "cuda" else "cuda"]
    ends = f" [{times(interval.low)}, {times(interval.high)}]" if interval else ""
    text = (
        f"{found.row.row.label} on {found.base.column.title} and {found.new.column.title}: a step "
        f"on {other} takes {times(ratio)}{ends} the time of one on {NAMES[device]}."
    )
    evidence = {"ratio": ratio, "interval": [interval.low, interval.high] if interval else None}
    return Outcome(_holds(interval, at_least), text, evidence=evidence)


def cells_of(results: Results, row: RowKey, framework: str) -> list[Cell]:
    """The two cells that such a claim is about."""
    found = on_both_devices(results, row, framework)
    return [found.base, found.new] if found else []


def _holds(interval: Interval | None, at_least: float | None) -> bool | None:
    """Of the ratio t(other) / t(device)."""
    if at_least is not None:
        return above(interval, at_least)
    # A long time of the other device is a slow one: FASTER would be in its favour.
    shown = {Verdict.SLOWER: True, Verdict.FASTER: False, Verdict.SAME: False}
    return shown.get(verdict(interval))
