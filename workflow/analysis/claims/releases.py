"""Tests of claims about what a release of one package changed."""

from __future__ import annotations

from analysis.claims.outcome import Outcome, claim_test, in_every_row
from analysis.comparisons.effects import Comparison, effects_of
from analysis.formats.text import listed
from analysis.results.cells import Cell
from analysis.results.plan import Plan
from analysis.results.results import Results


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
    """With one version of a package instead of another, the throughput gains at least so much.

    Asked of columns that differ in nothing else, in the model's rows and in those of its variants;
    with `largest`, of those of them that are largest in this size.
    """
    pairs = [found for found in release_pairs(results, package, base, new, task) if found.gain]
    of_model = [found for found in pairs if model in _names(results.plan, found)]
    if not of_model:
        text = f"No row of {model} {task} has {package} {base} and {new} that may be compared."
        return Outcome(None, text, tested=False)
    sizes = [_size(results.plan, found, largest) for found in of_model]
    asked = [found for found, size in zip(of_model, sizes, strict=True) if size == max(sizes)]
    text = listed([f"{found.row.row.label} {found.gain.text}" for found in of_model])
    if len(asked) < len(of_model):
        text += f"; {largest} is largest in {listed([found.row.row.label for found in asked])}"
    evidence = {"/".join(map(str, f.row.row.key)): f.gain.ratio.value - 1 for f in of_model}
    holds = in_every_row([found.gain for found in asked], 1 + gain)
    return Outcome(holds, f"Throughput: {text}.", evidence={"gain": evidence})


def release_pairs(
    results: Results, package: str, base: str, new: str, task: str
) -> list[Comparison]:
    """Of a task's rows, in columns that differ in two versions of a package."""
    titles = ([f"{package} {base}"], [f"{package} {new}"])
    return [
        found
        for effect in effects_of(results)
        for found in effect.comparisons
        if (_overlay(found.base), _overlay(found.new)) == titles and found.row.row.task == task
    ]


def _overlay(cell: Cell) -> list[str]:
    return list(cell.column.settings.get("overlay", ()))


def _names(plan: Plan, found: Comparison) -> tuple[str | None, ...]:
    """The row's model, and the one that it is a variant of."""
    name = found.row.row.model
    return name, getattr(plan.models[name], "variant_of", None)


def _size(plan: Plan, found: Comparison, name: str | None) -> float:
    return plan.models[found.row.row.model].architecture[name] if name else 0
