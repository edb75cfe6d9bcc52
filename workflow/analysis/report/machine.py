"""What was measured with: the card of the machine, canaries between rounds, and the self-test."""

from __future__ import annotations

from analysis.comparisons.observer import observer_effect
from analysis.formats.text import NA, listed, ms, percent, signed_percent
from analysis.report.grid import Grid
from analysis.results.canaries import Canaries, Canary, rounds
from analysis.results.results import Results
from analysis.results.self_test import SelfTest
from analysis.statistics.intervals import MARGIN, Ratio


def machine_card(results: Results) -> list[Grid]:
    """A table per section of the card; empty when there is no card."""
    card = results.machine_card
    return [
        Grid(
            section.title,
            ("Fact", "Value"),
            tuple((fact.name, NA if fact.value is None else fact.value) for fact in section.facts),
        )
        for section in (card.sections if card else ())
    ]


def card_note(results: Results) -> str:
    """Where the card comes from, or why there is none."""
    card = results.machine_card
    if card is None:
        return f"Not collected: there is no {results.plan.machine_card}."
    ids = set(card.ids.values())
    others = sorted({record.machine.id for record in results.records} - ids)
    collected = (
        f"Collected {card.collected_at[:16].replace('T', ' ')}. {NA}: not reported by the machine."
    )
    if others:
        of = listed(sorted(ids))
        return f"{collected} The card is of {of}; records are from {listed(others)} too."
    return collected


def canaries(results: Results) -> list[Grid]:
    """A table per accelerator."""
    return [_canaries(kind, found) for kind, found in results.canaries.items()]


def _canaries(accelerator: str, found: Canaries) -> Grid:
    """Each canary against the one before it; a line is marked where a round drifted."""
    drifted = {entry.number for entry in rounds(found) if entry.drifted}
    ran = [canary for canary in found if canary and canary.ok]
    names = list(dict.fromkeys(name for canary in ran for name in canary.durations))
    lines, before = [], None
    for index, canary in enumerate(found):
        lines.append((_place(index, len(found) - 1), *_canary(canary, before, names)))
        before = canary if canary and canary.ok else None
    caption = (
        f"The same fixed work on {accelerator} before and after each round, in ms (memory copy: "
        "GiB/s), with its change in time since the canary before it. Marked: beyond "
        f"{percent(MARGIN)}."
    )
    header = ("Canary", "Started (UTC)", *names)
    marked = frozenset(index for index in drifted if index < len(lines))
    return Grid(caption, header, tuple(lines), marked, "drifted")


def _place(index: int, last: int) -> str:
    if index == 0:
        return "before round 1"
    return f"after round {index}" if index == last else f"between rounds {index} and {index + 1}"


def _canary(canary: Canary | None, before: Canary | None, names: list[str]) -> list[str]:
    if canary is None:
        return ["not measured", *[NA] * len(names)]
    if not canary.ok:
        return [f"{canary.status}: {canary.reason}", *[NA] * len(names)]
    started = canary.started_at.isoformat(" ", "seconds")[:19]
    return [started, *(_reading(canary, before, name) for name in names)]


def _reading(canary: Canary, before: Canary | None, name: str) -> str:
    time = canary.durations.get(name)
    if time is None:
        return NA
    shown = f"{1 / time:.2f}" if name == "memory copy" else ms(time)
    was = before.durations.get(name) if before else None
    return f"{shown} ({signed_percent(time / was - 1)})" if was else shown


def self_test(results: Results) -> Grid | None:
    """What the harness read where the truth is known, and what looking at every step changes; None
    when neither was measured.
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
            f"{step.measured_ms:.4g} ms",
            signed_percent(step.error),
        )
        for step in test.known_steps
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
    """Synchronised against pipelined: no error, but what a loop that looks at each step sees."""
    effect = observer_effect(results)
    if effect is None:
        return []
    name = (
        f"a step with a fence after it (median of a run) over a step in a row, {effect.cells} cells"
    )
    measured = f"median {effect.median:.4f}, {effect.low:.4f} to {effect.high:.4f}"
    return [(name, NA, f"ratio {measured}", NA)]


def _ratio(ratio: Ratio | None) -> tuple[str, str]:
    if ratio is None:
        return (NA, NA)
    interval = ratio.interval
    ends = f" [{interval.low:.4f}, {interval.high:.4f}]" if interval else ""
    return (f"{ratio.value:.4f}{ends}", signed_percent(ratio.value - 1))


def self_test_note(results: Results) -> str:
    """Why it is missing or incomplete; empty when it is whole."""
    test = results.self_test
    if test is None:
        return f"The harness was not tested: there is no {results.plan.self_test}."
    return "" if test.ok else f"The self-test is {test.status}: {test.reason}."
