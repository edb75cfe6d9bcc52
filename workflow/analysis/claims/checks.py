"""The tests that claims name: from results and a claim's parameters to what was found.

`holds` of an outcome is None when the intervals do not tell; a single run never does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from analysis.backends import Gain, Winners, column, column_gains, family_gains, tally, winners
from analysis.caveats.clocks import host_share
from analysis.caveats.generation import explanation, ratio_words, share_words
from analysis.cells import Results, RowCells
from analysis.padding import explains, padding_share
from analysis.plan import RowKey
from analysis.speedups import FAMILIES
from analysis.statistics import Interval, Verdict, paired_ratio
from analysis.text import count, listed, percent


@dataclass(frozen=True)
class Outcome:
    """What a test found, in words and numbers."""

    holds: bool | None
    words: str
    tested: bool = True  # False when there was nothing to look at
    evidence: dict[str, Any] = field(default_factory=dict)


def no_best_backend(results: Results) -> Outcome:
    """Every backend of Keras 3 is shown slower than another one somewhere."""
    contests = winners(results)
    if not contests:
        return Outcome(None, "No row has two backends of Keras 3.", tested=False)
    titles = {c.framework.name: c.framework.title for w in contests for c in w.backends}
    behind = {name: sum(w.is_behind(name) for w in contests) for name in titles}
    firsts = [w.fastest.framework.name for w in contests]
    alone = any(all(w.best == {name} for w in contests) for name in titles)
    shown = [f"{titles[name]} in {number}" for name, number in behind.items()]
    rows = count(len(contests), "row")
    slower = f" Shown slower than another backend: {listed(shown)}." if _compared(contests) else ""
    words = f"Fastest by the means: {_shares(firsts, titles)} of {rows}.{slower}"
    holds = True if all(behind.values()) else False if alone else None
    return Outcome(holds, words, evidence={"shown_slower_in": behind, "rows": len(contests)})


def _compared(contests: list[Winners]) -> bool:
    """Whether any row has the runs to compare its backends."""
    return any(contest.best for contest in contests)


def _shares(names: list[str], titles: dict[str, str]) -> str:
    return listed([f"{titles[name]} in {names.count(name)}" for name in titles if name in names])


def first_in_rows(results: Results, framework: str, wins: int, rows: int) -> Outcome:
    """A backend is the fastest of Keras 3 in so many rows."""
    contests = [w for w in winners(results) if framework in _names(w)]
    if len(contests) != rows:
        words = f"This table has {len(contests)} of the {rows} rows that the claim counts."
        return Outcome(None, words, tested=False)
    first = sum(w.fastest.framework.name == framework for w in contests)
    alone = sum(w.best == {framework} for w in contests)
    possible = sum(not w.is_behind(framework) for w in contests)
    shown = f"; shown alone at the top in {alone}, not shown slower in {possible}"
    words = f"Fastest by the means in {first} of {rows} rows{shown if _compared(contests) else ''}."
    holds = True if alone == possible == wins else None if alone <= wins <= possible else False
    return Outcome(holds, words, evidence={"first": first, "alone": alone, "possible": possible})


def _names(contest: Winners) -> list[str]:
    return [cell.framework.name for cell in contest.backends]


def faster_in_every_row(results: Results, new: str, base: str) -> Outcome:
    """One family, or column, is more than 2 % faster than another wherever both are."""
    gains = _gains(results, new, base)
    if not gains:
        return Outcome(None, f"No row has both {new} and {base}.", tested=False)
    verdicts = [gain.verdict for gain in gains]
    holds = None
    if all(verdict is Verdict.FASTER for verdict in verdicts):
        holds = True
    elif Verdict.SLOWER in verdicts or Verdict.SAME in verdicts:
        holds = False
    low, high = (choose(gains, key=_value) for choose in (min, max))
    words = (
        f"{_capital(tally(gains))}; throughput from {low.words} in {low.row.row.label} to "
        f"{high.words} in {high.row.row.label}."
    )
    return Outcome(holds, words, evidence=_evidence(gains))


def gain_at_least(
    results: Results, new: str, base: str, model: str, task: str, gain: float
) -> Outcome:
    """The throughput of a row gains at least so much."""
    gains = [
        found
        for found in _gains(results, new, base)
        if (found.row.row.model, found.row.row.task) == (model, task)
    ]
    if not gains:
        return Outcome(None, f"No row of {model} {task} has both families.", tested=False)
    holds = _all_hold([_above(found.interval, 1 + gain) for found in gains])
    words = listed([f"{found.row.row.label} {found.words}" for found in gains])
    return Outcome(holds, f"Throughput: {words}.", evidence=_evidence(gains))


def gain_in_share_of_rows(
    results: Results, new: str, base: str, gain: float, share: float, at_most: float
) -> Outcome:
    """So large a part of the rows gains more than so much, and none more than so much."""
    rows = _counted_rows(results)
    gains = [found for found in _gains(results, new, base) if found.row.row.key in rows]
    if not gains:
        return Outcome(None, "No row has both families.", tested=False)
    beyond = [_above(found.interval, 1 + gain) for found in gains]
    below = [_above(found.interval, 1 + at_most) for found in gains]
    sure, possible = beyond.count(True), len(beyond) - beyond.count(False)
    wanted = share * len(gains)
    enough = True if sure >= wanted else None if possible >= wanted else False
    capped = _all_hold([None if found is None else not found for found in below])
    numbers = sum(_value(found) > 1 + gain for found in gains)
    top = max(gains, key=_value)
    words = (
        f"By the means {numbers} of {count(len(gains), 'row')} gain more than {percent(gain)}, by "
        f"the intervals {sure}. The largest is {top.words} in {top.row.row.label}."
    )
    return Outcome(_all_hold([enough, capped]), words, evidence=_evidence(gains))


def _counted_rows(results: Results) -> set[RowKey]:
    """Every row; of those of one model that generate, the one with the largest batch."""
    largest: dict[tuple[str, str], RowKey] = {}
    for row in results.rows:
        model, task, batch_size = row.row.key
        key = (model, task if task == "generate" else f"{task} {batch_size}")
        largest[key] = max(largest.get(key, row.row.key), row.row.key)
    return set(largest.values())


def slow_by_padding(results: Results, framework: str, task: str, at_least: float) -> Outcome:
    """A column that generates slowly, and would not without the padding to a fixed length."""
    rows = [row for row in results.rows if row.row.task == task]
    found = [entry for row in rows if (entry := _slow(row, framework, at_least, results))]
    if not found:
        return Outcome(None, "No row that generates has this column.", tested=False)
    words = "; ".join(entry.words for entry in found)
    evidence = {"rows": {entry.evidence["row"]: entry.evidence for entry in found}}
    return Outcome(_all_hold([entry.holds for entry in found]), f"{words}.", evidence=evidence)


def _slow(row: RowCells, framework: str, limit: float, results: Results) -> Outcome | None:
    """One row: how much slower than the fastest backend, and whether padding explains it."""
    slow, fastest = column(row, framework), row.fastest("keras3")
    ratio = paired_ratio(slow.run_ms, fastest.run_ms) if slow and fastest else None
    if ratio is None:
        return None
    evidence = {"row": row.row.label, "ratio": ratio.value}
    words = f"{row.row.label}: {ratio_words(ratio)} the time of the fastest backend"
    if _above(ratio.interval, limit) is False:
        return Outcome(False, words, evidence=evidence)
    length = results.plan.models[row.row.model].architecture.get("max_length")
    share = padding_share(slow, length) if length else None
    if share is None:
        return Outcome(None, f"{words}, other lengths not timed", evidence=evidence)
    words += f"; {share_words(share)} of it grow with the length of the cache"
    words += f", {explanation(ratio, share, limit)}"
    holds = explains(ratio.interval, share, limit)
    return Outcome(holds, words, evidence={**evidence, "padding_share": share.value})


def host_rarely_pays(results: Results, share: float, of_cells: float) -> Outcome:
    """In few of the profiled cells the host keeps the device waiting."""
    cells = [cell for row in results.rows for cell in row.measured]
    shares = [found for cell in cells if (found := host_share(cell)) is not None]
    if not shares:
        return Outcome(None, "No cell was profiled.", tested=False)
    high = sum(found >= share for found in shares)
    words = (
        f"In {high} of {count(len(shares), 'profiled cell')} no operation computes during at least "
        f"{percent(share)} of a step; the highest share is {percent(max(shares))}."
    )
    evidence = {"cells": len(shares), "high": high, "threshold": share}
    return Outcome(high < of_cells * len(shares), words, evidence=evidence)


def not_in_the_table(results: Results, why: str) -> Outcome:
    """A claim about something that no row measures."""
    return Outcome(None, f"{_capital(why)}.", tested=False)


TESTS: dict[str, Callable[..., Outcome]] = {
    test.__name__: test
    for test in (
        no_best_backend,
        first_in_rows,
        faster_in_every_row,
        gain_at_least,
        gain_in_share_of_rows,
        slow_by_padding,
        host_rarely_pays,
        not_in_the_table,
    )
}


def _gains(results: Results, new: str, base: str) -> list[Gain]:
    """Of families by their names, else of columns."""
    gains = family_gains if {new, base} <= FAMILIES.keys() else column_gains
    return gains(results, new, base)


def _value(gain: Gain) -> float:
    return gain.ratio.value


def _above(interval: Interval | None, limit: float) -> bool | None:
    """Whether a ratio is at least the limit; None when its interval does not tell."""
    if interval is None:
        return None
    return True if interval.low >= limit else False if interval.high < limit else None


def _all_hold(found: list[bool | None]) -> bool | None:
    """False as soon as one does not hold; None while one does not tell."""
    return False if False in found else None if None in found else True


def _evidence(gains: list[Gain]) -> dict[str, Any]:
    return {
        "gain": {"/".join(map(str, g.row.row.key)): _value(g) - 1 for g in gains},
        "verdicts": {"/".join(map(str, g.row.row.key)): str(g.verdict) for g in gains},
    }


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]
