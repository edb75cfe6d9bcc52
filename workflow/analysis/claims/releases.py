"""Tests of claims about what a release of one package changed."""

from analysis.claims.outcome import Outcome, claim_test, in_every_row
from analysis.comparisons.gains import Gain, gain_of
from analysis.comparisons.pairs import pairs
from analysis.data import Data
from analysis.formats.text import listed
from analysis.results.cells import Cell
from analysis.results.plan import Model
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
    models = results.plan.models
    found = [
        each
        for each in release_gains(results, package, base, new)
        if each.row.task == task and model in (each.row.model, models[each.row.model].variant_of)
    ]
    if not found:
        text = f"No row of {model} {task} has {package} {base} and {new} that may be compared."
        return Outcome(None, text, tested=False)
    sizes = [_size(models[each.row.model], largest) for each in found]
    asked = [each for each, size in zip(found, sizes, strict=True) if size == max(sizes)]
    text = listed([f"{each.row.label} {each.text}" for each in found])
    if len(asked) < len(found):
        text += f"; {largest} is largest in {listed([each.row.label for each in asked])}"
    evidence = {"/".join(map(str, each.row.key)): each.ratio.value - 1 for each in found}
    holds = in_every_row(asked, 1 + gain)
    return Outcome(holds, f"Throughput: {text}.", evidence={"gain": evidence})


def release_gains(results: Results, package: str, base: str, new: str) -> list[Gain]:
    """Compare columns that differ in two versions of a package, row by row."""
    found = pairs(Data(results))
    titles = ([f"{package} {base}"], [f"{package} {new}"])
    cells = zip(found["base_cell"], found["new_cell"], strict=True)
    asked = [pair for pair in cells if tuple(map(_overlay, pair)) == titles]
    return [gain for of_base, of_new in asked if (gain := gain_of(of_new, of_base))]


def _overlay(cell: Cell) -> list[str]:
    return list(cell.column.settings.get("overlay", ()))


def _size(model: Model, name: str | None) -> float:
    return model.architecture[name] if name else 0
