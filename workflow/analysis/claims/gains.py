"""Tests of claims about how much faster one family of frameworks, or column, is than another."""

from typing import Any

from analysis.claims.outcome import Outcome, above, all_hold, capital, claim_test, in_every_row
from analysis.comparisons.gains import Gain, all_faster, column_gains, family_gains, in_lines, tally
from analysis.comparisons.speedups import FAMILIES
from analysis.formats.text import count, listed, percent
from analysis.results.plan import RowKey
from analysis.results.results import Results


@claim_test()
def faster_in_every_row(results: Results, new: str, base: str) -> Outcome:
    """One family, or column, is more than 2 % faster than another wherever both are."""
    gains = _gains(results, new, base)
    if not gains:
        return Outcome(
            None, f"No row has both {new} and {base} that may be compared.", tested=False
        )
    low, high = (choose(gains, key=_value) for choose in (min, max))
    text = (
        f"{capital(tally(in_lines(gains)))}; throughput from {low.text} in {low.row.label} to "
        f"{high.text} in {high.row.label}."
    )
    return Outcome(all_faster(gains), text, evidence=_evidence(gains))


@claim_test()
def gain_at_least(
    results: Results, new: str, base: str, model: str, task: str, gain: float
) -> Outcome:
    """The throughput of a row gains at least so much."""
    gains = [
        found
        for found in _gains(results, new, base)
        if (found.row.model, found.row.task) == (model, task)
    ]
    if not gains:
        return Outcome(None, f"No row of {model} {task} has both families.", tested=False)
    holds = in_every_row(gains, 1 + gain)
    text = listed([f"{found.row.label} {found.text}" for found in gains])
    return Outcome(holds, f"Throughput: {text}.", evidence=_evidence(gains))


@claim_test()
def gain_in_share_of_rows(
    results: Results, new: str, base: str, gain: float, share: float, at_most: float
) -> Outcome:
    """So large a part of the rows gains more than so much, and none more than so much."""
    rows = _counted_rows(results)
    gains = [found for found in _gains(results, new, base) if found.row.key in rows]
    if not gains:
        return Outcome(None, "No row has both families that may be compared.", tested=False)
    beyond = [above(found.together(len(gains)), 1 + gain) for found in gains]
    below = [above(found.together(len(gains)), 1 + at_most) for found in gains]
    sure, possible = beyond.count(True), len(beyond) - beyond.count(False)
    required = share * len(gains)
    enough = True if sure >= required else None if possible >= required else False
    capped = all_hold([None if found is None else not found for found in below])
    numbers = sum(_value(found) > 1 + gain for found in gains)
    top = max(gains, key=_value)
    text = (
        f"By the means {numbers} of {count(len(gains), 'row')} gain more than {percent(gain)}, by "
        f"the intervals {sure}. The largest is {top.text} in {top.row.label}."
    )
    return Outcome(all_hold([enough, capped]), text, evidence=_evidence(gains))


def _counted_rows(results: Results) -> set[RowKey]:
    """Every row; of those of one model that generate, the one with the largest batch."""
    largest: dict[tuple[str, str], RowKey] = {}
    for row in results.rows:
        model, task, batch_size = row.row.key
        key = (model, task if task == "generate" else f"{task} {batch_size}")
        largest[key] = max(largest.get(key, row.row.key), row.row.key)
    return set(largest.values())


def _gains(results: Results, new: str, base: str) -> list[Gain]:
    """Of families by their names, else of columns."""
    gains = family_gains if {new, base} <= FAMILIES.keys() else column_gains
    return gains(results, new, base)


def _value(gain: Gain) -> float:
    return gain.ratio.value


def _evidence(gains: list[Gain]) -> dict[str, Any]:
    return {
        "gain": {"/".join(map(str, g.row.key)): _value(g) - 1 for g in gains},
        "verdicts": {"/".join(map(str, g.row.key)): str(g.verdict) for g in gains},
    }
