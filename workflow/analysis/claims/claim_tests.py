"""The tests that claims name: which backend of Keras 3 is the fastest, how much faster one family
or column is than another, and what a release changed. Topics have some of their own.
"""

import pandas as pd

from analysis.claims.outcome import CONDITIONS, TESTS, Outcome, all_hold, claim_test, untested
from analysis.comparisons.gains import (
    Gain,
    backends,
    gain_of,
    gains,
    in_every_row,
    numbers,
    tally_of,
)
from analysis.comparisons.pairs import pairs
from analysis.data import Data
from analysis.formats.text import count, listed, percent
from analysis.results.plan import RowKey
from analysis.results.results import Results
from analysis.statistics.best_set import Standing
from analysis.statistics.intervals import MARGIN, above

__all__ = ["CONDITIONS", "TESTS"]


@claim_test()
def no_best_backend(results: Results) -> Outcome:
    """Test that every backend of Keras 3 is significantly slower than another one somewhere."""
    found = backends(results)
    if found.empty:
        return untested("No row has two backends of Keras 3 that may be compared.")
    rows, columns = found["row"].nunique(), found.groupby("column", sort=False)
    first, behind, alone = (columns[name].sum() for name in ("first", "behind", "alone"))
    titles = columns["title"].first()
    fastest, slower = (
        listed([f"{titles[name]} in {number}" for name, number in numbers.items()])
        for numbers in (first[first > 0], behind)
    )
    text = f"Fastest by the means: {fastest} of {count(rows, 'row')}."
    text += f" Significantly slower than another backend: {slower}." if _compared(found) else ""
    holds = True if behind.all() else False if (alone == rows).any() else None
    evidence = {"significantly_slower_in": behind.to_dict(), "rows": rows}
    return Outcome(holds, text, evidence=evidence)


@claim_test()
def first_in_rows(results: Results, column: str, wins: int, rows: int) -> Outcome:
    """Test that a backend is the fastest of Keras 3 in `wins` of `rows` rows."""
    every = backends(results)
    found = every[every["column"] == column]
    if len(found) != rows:
        return untested(f"This table has {len(found)} of the {rows} rows that the claim counts.")
    first, alone, behind = (int(found[name].sum()) for name in ("first", "alone", "behind"))
    possible = rows - behind
    compared = _compared(every[every["row"].isin(found["row"])])
    shown = f"; shown alone at the top in {alone}, not significantly slower in {possible}"
    text = f"Fastest by the means in {first} of {rows} rows{shown if compared else ''}."
    holds = True if alone == possible == wins else None if alone <= wins <= possible else False
    return Outcome(holds, text, evidence={"first": first, "alone": alone, "possible": possible})


def _compared(found: pd.DataFrame) -> bool:
    """True if any row has the runs to compare its backends."""
    return not found["standing"].eq(str(Standing.NOT_COMPARED)).all()


@claim_test()
def faster_in_every_row(results: Results, new: str, base: str) -> Outcome:
    """Test that a family, or column, is over 2 % faster than another wherever both are."""
    found = gains(results, new, base)
    if not found:
        return untested(f"No row has both {new} and {base} that may be compared.")
    low, high = (choose(found, key=lambda gain: gain.value) for choose in (min, max))
    tally = tally_of(found)
    text = (
        f"{tally[:1].upper()}{tally[1:]}; throughput from {low.text} in {low.row.label} to "
        f"{high.text} in {high.row.label}."
    )
    return Outcome(in_every_row(found, 1 + MARGIN), text, evidence=numbers(found))


@claim_test()
def gain_at_least(
    results: Results, new: str, base: str, model: str, task: str, gain: float
) -> Outcome:
    """Test that the throughput of these rows gains at least `gain`."""
    every = gains(results, new, base)
    found = [each for each in every if (each.row.model, each.row.task) == (model, task)]
    if not found:
        return untested(f"No row of {model} {task} has both families.")
    holds = in_every_row(found, 1 + gain)
    return Outcome(holds, f"Throughput: {_of_rows(found)}.", evidence=numbers(found))


def _of_rows(gains: list[Gain]) -> str:
    return listed([f"{gain.row.label} {gain.text}" for gain in gains])


@claim_test()
def gain_in_share_of_rows(
    results: Results, new: str, base: str, gain: float, share: float, at_most: float
) -> Outcome:
    """Test that a `share` of the rows gains more than `gain`, and none more than `at_most`."""
    rows = _counted_rows(results)
    found = [each for each in gains(results, new, base) if each.row.key in rows]
    if not found:
        return untested("No row has both families that may be compared.")
    intervals = [each.together(len(found)) for each in found]
    beyond = [above(interval, 1 + gain) for interval in intervals]
    below = [above(interval, 1 + at_most) for interval in intervals]
    sure, possible = beyond.count(True), len(beyond) - beyond.count(False)
    required = share * len(found)
    enough = True if sure >= required else None if possible >= required else False
    capped = all_hold([None if each is None else not each for each in below])
    number = sum(each.value > 1 + gain for each in found)
    top = max(found, key=lambda each: each.value)
    text = (
        f"By the means {number} of {count(len(found), 'row')} gain more than {percent(gain)}, by "
        f"the intervals {sure}. The largest is {top.text} in {top.row.label}."
    )
    return Outcome(all_hold([enough, capped]), text, evidence=numbers(found))


def _counted_rows(results: Results) -> set[RowKey]:
    """The keys of all rows; of those of a model that generate, the one of the largest batch."""
    largest: dict[tuple[str, str], RowKey] = {}
    for model, task, batch_size in sorted(row.row.key for row in results.rows):
        counted = task if task == "generate" else f"{task} {batch_size}"
        largest[model, counted] = (model, task, batch_size)
    return set(largest.values())


@claim_test()
def release_gain(
    results: Results,
    package: str,
    base: str,
    new: str,
    model: str,
    task: str,
    gain: float,
    largest: str | None = None,
) -> Outcome:
    """Test that another version of a package raises the throughput by at least `gain`.

    Only columns that differ in nothing else count, in the model's rows and in those of its
    variants; with `largest`, only those of these rows that are largest in this size.
    """
    models, of = results.plan.models, pairs(Data(results))
    of = of[(of["from"] == f"{package} {base}") & (of["to"] == f"{package} {new}")]
    of = of[(of["setting"] == "overlay") & (of["task"] == task)]
    every = [gain_of([pair.new_cell], [pair.base_cell]) for pair in of.itertuples()]
    ours = {name for name, entry in models.items() if model in (name, entry.variant_of)}
    found = [each for each in every if each and each.row.model in ours]
    if not found:
        return untested(
            f"No row of {model} {task} has {package} {base} and {new} that may be compared."
        )
    sizes = [models[each.row.model].architecture[largest] if largest else 0 for each in found]
    asked = [each for each, size in zip(found, sizes, strict=True) if size == max(sizes)]
    text = _of_rows(found)
    if len(asked) < len(found):
        text += f"; {largest} is largest in {listed([each.row.label for each in asked])}"
    holds = in_every_row(asked, 1 + gain)
    evidence = {"gain": numbers(found)["gain"]}
    return Outcome(holds, f"Throughput: {text}.", evidence=evidence)
