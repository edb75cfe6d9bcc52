"""The readings of the harness where the truth is known."""

from statistics import median

from analysis.comparisons.observer import observer_ratio
from analysis.formats.spelling import within
from analysis.formats.text import NA, percent, spread
from analysis.results.results import Results
from analysis.results.self_test import SelfTest
from analysis.statistics.intervals import Ratio, ends
from analysis.writing.grid import Grid


def self_test(results: Results) -> Grid | None:
    """A table of what the harness read where the truth is known, and of what looking at every step
    changes; None when neither was measured.
    """
    lines = [*_known(results.self_test), *_observer(results)]
    header = ("What", "Truth", "Measured", "Error")
    return Grid("The harness where the truth is known", header, tuple(lines)) if lines else None


def _known(test: SelfTest | None) -> list[tuple[str, ...]]:
    if test is None:
        return []
    lines = [
        (
            f"a step of exactly {step.nominal_ms:g} ms, {step.steps} times",
            f"{step.nominal_ms:g} ms",
            f"{step.step_ms:.4g} ms" + (f", of runs {runs}" if " to " in runs else ""),
            percent(step.error, signed=True),
        )
        for step in test.known_steps
        for runs in [spread(step.runs_ms, "{:.4g}".format)]
    ]
    if test.same_cell:
        same = test.same_cell
        name = f"{same.model} {same.task} b{same.batch_size} on {same.column}, under two names"
        lines.append((name, "ratio 1", *_ratio(test.same_cell.ratio)))
    if test.monitor:
        name = f"{test.monitor.step} with the monitor over without"
        lines.append((name, "ratio 1", *_ratio(test.monitor.ratio)))
    return lines


def _observer(results: Results) -> list[tuple[str, ...]]:
    """Synchronised over pipelined steps: no error, but what a loop that looks at each step sees."""
    cells = [cell for row in results.rows for cell in row.comparable]
    ratios = [ratio for cell in cells if (ratio := observer_ratio(cell)) is not None]
    if not ratios:
        return []
    what = "a step with a fence after it (mean of a run) over a step in a row"
    measured = f"median {median(ratios):.4f}, {min(ratios):.4f} to {max(ratios):.4f}"
    return [(f"{what}, {len(ratios)} cells", NA, f"ratio {measured}", NA)]


def _ratio(ratio: Ratio | None) -> tuple[str, str]:
    if ratio is None:
        return (NA, NA)
    measured = within(ratio.value, *ends(ratio.interval), "{:.4f}".format)
    return (measured, percent(ratio.value - 1, signed=True))


def self_test_note(results: Results) -> str:
    """Why the self-test is missing or incomplete; empty when it is whole."""
    test = results.self_test
    if test is None:
        return f"The harness was not tested: there is no {results.plan.self_test}."
    return "" if test.ok else f"The self-test is {test.status}: {test.reason}."
