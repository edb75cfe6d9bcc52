"""What else differs between two archives: configuration, machine, versions, parity cards."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from analysis.caveats.core import name as cell_name
from analysis.compare.archives import facts
from analysis.compare.cells import Comparison
from analysis.formats.text import NA, listed, spelled
from analysis.report.parity import card_of
from analysis.report.setting import as_yaml
from analysis.results.cells import Cell
from analysis.results.results import Results
from analysis.writing.grid import Grid

MACHINE = ("id", "cpu", "cores", "memory_mib", "os", "accelerator_name", "accelerator_memory_mib")
PLAN = ("scale", "accelerator", "precision", "weights", "seed", "runs")
Values = dict[str, str]
Facts = Iterable[tuple[str, Any]]  # a name with several values comes several times


def changes(comparison: Comparison) -> list[Grid]:
    """A table per kind of change; without lines where nothing changed."""
    archives = (comparison.base, comparison.other)
    labels = [archive.label for archive in archives]

    def grid(caption: str, first: str, read: Callable[[Results], Facts]) -> Grid:
        found = _changed(*(_values(read(archive.results)) for archive in archives))
        return Grid(caption, (first, *labels), tuple(found))

    configuration = grid("Configuration", "Key", _configuration)
    return [
        replace(configuration, lines=(*configuration.lines, *_other_sources(comparison))),
        grid("Machine", "Fact", _machine),
        grid("Versions", "Environment, package", _versions),
        Grid("Parity cards", ("Entry", *labels, "Cells"), _parity(comparison)),
    ]


def _changed(a: Values, b: Values) -> list[tuple[str, str, str]]:
    """The keys whose values differ, with both values, in the order in which they are read."""
    lines = [(key, a.get(key, NA), b.get(key, NA)) for key in {**a, **b}]
    return [line for line in lines if line[1] != line[2]]


def _values(facts: Facts) -> Values:
    """The values of each name as text; each different value once."""
    found: dict[str, dict[str, None]] = {}
    for name, value in facts:
        found.setdefault(name, {})[spelled(value)] = None
    return {name: listed(list(values)) for name, values in found.items()}


def _configuration(results: Results) -> Facts:
    plan = results.plan
    yield from ((key, getattr(plan, key)) for key in PLAN)
    yield from (("threads", record.threads.requested) for record in results.records)
    for record in results.records:
        yield from _entries("environment", record.environment.variables)
    for key, value in (plan.further | {"training": plan.training or {}}).items():
        told = isinstance(value, dict)
        yield from _entries(key, value) if told else [(key, as_yaml(value, flow=True))]
    for name, model in plan.models.items():
        yield from _entries(f"architecture of {name}", dict(sorted(model.architecture.items())))


def _entries(name: str, values: dict[str, Any]) -> Facts:
    return ((f"{name}: {key}", value) for key, value in values.items())


def _other_sources(comparison: Comparison) -> list[tuple[str, str, str]]:
    """In how many cells of both archives the measuring code was another; no line where in none."""
    both = _of_both(comparison)
    other = sum(_sources(base) != _sources(other) for base, other in both)
    return [("measuring code", "", f"another in {other} of {len(both)} cells")] if other else []


def _of_both(comparison: Comparison) -> list[tuple[Cell, Cell]]:
    """The cells that have a time in both archives."""
    pairs = comparison.pairs
    both = pairs[(pairs["base_runs"] > 0) & (pairs["other_runs"] > 0)]
    return list(zip(both["base_cell"], both["other_cell"], strict=True))


def _sources(cell: Cell) -> set[str]:
    return {str(facts(record.identity).get("sources")) for record in cell.records}


def _machine(results: Results) -> Facts:
    for key in MACHINE:
        for record in results.records:
            yield key.replace("_", " "), getattr(record.machine, key)
    for section in (section for card in results.cards for section in card.sections):
        yield from ((f"{section.title}: {fact.name}", fact.value) for fact in section.facts)


def _versions(results: Results) -> Facts:
    """The versions of every environment: Python, each package, and how it was deployed."""
    for environment in (record.environment for record in results.records):
        packages = {"python": environment.python, **dict(sorted(environment.packages.items()))}
        for package, version in {**packages, "(deployed by)": environment.method}.items():
            yield f"{environment.name}, {package}", version


def _parity(comparison: Comparison) -> tuple[tuple[str, ...], ...]:
    """The entries of parity cards that changed, each with the cells that share the change."""
    cells: dict[tuple[str, str, str], list[str]] = {}
    for base, other in _of_both(comparison):
        for change in _changed(dict(card_of(base)), dict(card_of(other))):
            cells.setdefault(change, []).append(cell_name(base))
    return tuple((*change, "; ".join(names)) for change, names in cells.items())
