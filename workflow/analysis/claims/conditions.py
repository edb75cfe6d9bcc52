"""The differences between a run and the published benchmark, in words.

Another scale, hardware or batch size makes it another experiment; other libraries or settings make
it the same one under other conditions. Only the cells that a claim is about are compared.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from analysis.comparisons.libraries import differing_libraries
from analysis.formats.text import listed
from analysis.results.cells import Cell
from analysis.results.reference import Reference
from analysis.results.results import Results
from analysis.results.stand_in import names_a_simulated


@dataclass(frozen=True)
class Differences:
    """Differences as texts: in the experiment itself, and in the conditions under which it ran."""

    experiment: list[str]
    settings: list[str]

    def __str__(self) -> str:
        return "; ".join([*self.experiment, *self.settings])


def differences(results: Results, reference: Reference, cells: Sequence[Cell]) -> Differences:
    """The differences between these cells of a run and the published benchmark."""
    found = of_releases(results, reference, cells)
    libraries = [str(library) for library in differing_libraries(cells, reference.conditions)]
    return Differences(
        [*found.experiment, *_batch_sizes(cells)],
        [
            *([f"other libraries: {listed(libraries)}"] if libraries else []),
            *found.settings,
            *_execution(cells, reference),
            *_products(cells, reference),
        ],
    )


def of_releases(
    results: Results, reference: Reference, cells: Sequence[Cell] | None = None
) -> Differences:
    """The differences that matter to a claim about two versions of a package, in all cells or in
    some; the versions themselves are what its test asks for.
    """
    asked = list(results.cells) if cells is None else cells
    experiment = [*_scale(results, reference), *_hardware(asked, reference)]
    return Differences(experiment, [*_precision_and_weights(results, reference)])


def without_conditions(results: Results, reference: Reference) -> Differences:
    """The differences for a claim without numbers, and so without conditions to compare."""
    reduced = [f"the models are reduced, {reduction}" for reduction in _scale(results, reference)]
    return Differences(reduced, ["the claim names no machine, models or versions of its own"])


def _scale(results: Results, reference: Reference) -> Iterator[str]:
    scale, published = results.plan.scale, reference.conditions.scale
    if scale != published and results.plan.reduced:
        yield f"the scale is {scale} instead of {published}"


def _hardware(cells: Iterable[Cell], reference: Reference) -> Iterator[str]:
    machines = {r.machine.device for c in cells for r in c.records}
    if not all(_same_hardware(name, reference) for name in machines):
        yield f"the hardware is {listed(sorted(machines))}, not {reference.hardware_short}"


def _same_hardware(name: str, reference: Reference) -> bool:
    """True if a device's own name contains the parts of the published one, 'A100' and '40GB'."""
    device, memory = reference.hardware_short.lower().split(" ", 1)
    spelled = name.lower().replace(" ", "")
    same = device in spelled and memory.replace(" ", "") in spelled
    return same and not names_a_simulated(name)


def _batch_sizes(cells: Iterable[Cell]) -> Iterator[str]:
    rows = dict.fromkeys(cell.row for cell in cells)
    other = [row.label for row in rows if row.batch_size != row.published_batch_size]
    if other:
        yield f"other batch sizes than the page's in {listed(other)}"


def _precision_and_weights(results: Results, reference: Reference) -> Iterator[str]:
    plan, published = results.plan, reference.conditions
    if plan.precision != published.precision:
        yield f"the precision was forced to {plan.precision}"
    if plan.weights != published.weights:
        yield f"the weights are {plan.weights}, the page's were of the {published.weights}"


def _execution(cells: Iterable[Cell], reference: Reference) -> Iterator[str]:
    """Other execution, as in 'Keras 2 (TensorFlow) ran graph instead of jit in BERT fit'."""
    rows: dict[tuple[str, str, str], list[str]] = {}
    for cell in cells:
        published = reference.conditions.execution_of(cell.column.name, cell.row)
        for mode in sorted({*cell.reported("execution")} - {published}):
            what = (cell.column.title, mode, published or "none")
            rows.setdefault(what, []).append(cell.row.label)
    for (title, mode, published), where in rows.items():
        yield f"{title} ran {mode} instead of {published} in {listed(where)}"


def _products(cells: Iterable[Cell], reference: Reference) -> Iterator[str]:
    """Other float32 products than a published script asked for."""
    for cell in cells:
        published = reference.conditions.products.get((cell.column.name, cell.row.model))
        others = {*cell.reported("matmul_precision")} - {published} if published else set()
        if others:
            what = f"products of {cell.column.title} in {cell.row.label} were in "
            yield f"{what}{listed(sorted(others))}, the page's in {published.upper()}"
