"""What else is not the same in two archives: configuration, machine, versions, parity cards."""

from collections.abc import Callable, Iterator
from typing import Any

from analysis.caveats.core import name as cell_name
from analysis.compare.archives import Archive
from analysis.compare.cells import Comparison
from analysis.formats.text import NA, listed, spelled
from analysis.results.cells import Cell
from analysis.results.record import Record
from analysis.results.results import Results
from analysis.writing.grid import Grid

MACHINE = ("id", "cpu", "cores", "memory_mib", "os", "accelerator_name", "accelerator_memory_mib")
PLAN = ("scale", "accelerator", "precision", "weights", "seed", "runs")
Values = dict[Any, str]


def changes(comparison: Comparison) -> list[Grid]:
    """A table per kind of change; without lines where nothing changed."""
    base, other = comparison.base, comparison.other
    labels = (base.label, other.label)
    return [
        Grid("Configuration", ("Key", *labels), _lines(base, other, _configuration)),
        Grid("Machine", ("Fact", *labels), _lines(base, other, _machine)),
        Grid("Versions", ("Environment, package", *labels), _lines(base, other, _versions)),
        Grid("Parity cards", ("Entry", *labels, "Cells"), tuple(_parity(comparison))),
    ]


def _lines(
    base: Archive, other: Archive, read: Callable[[Results], Values]
) -> tuple[tuple[str, ...], ...]:
    """Keys with another value, in the order in which they are read."""
    a, b = read(base.results), read(other.results)
    return tuple(
        (key, a.get(key, NA), b.get(key, NA))
        for key in dict.fromkeys([*a, *b])
        if a.get(key) != b.get(key)
    )


def _configuration(results: Results) -> Values:
    plan = results.plan
    values = {key: spelled(getattr(plan, key)) for key in PLAN}
    values["threads"] = _all(results, lambda record: record.threads.requested)
    for model, facts in plan.models.items():
        values |= {
            f"architecture of {model}: {key}": spelled(value)
            for key, value in sorted(facts.architecture.items())
        }
    sources = {
        str(_identity(record.identity).get("sources", NA))[:12] for record in results.records
    }
    values["measuring sources"] = listed(sorted(sources))
    return values


def _identity(identity: str) -> dict[str, Any]:
    import json

    try:
        found = json.loads(identity)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _machine(results: Results) -> Values:
    values = {
        key.replace("_", " "): _all(results, lambda record, key=key: getattr(record.machine, key))
        for key in MACHINE
    }
    of_cards: dict[str, dict[str, None]] = {}  # each different value once, in order
    for section in (section for card in results.cards for section in card.sections):
        for fact in section.facts:
            shown = of_cards.setdefault(f"{section.title}: {fact.name}", {})
            shown[spelled(fact.value)] = None
    return values | {key: listed(list(found)) for key, found in of_cards.items()}


def _versions(results: Results) -> Values:
    """Of every environment: how it was deployed, Python, and each package."""
    found: dict[str, list[str]] = {}
    for record in results.records:
        environment = record.environment
        packages = {"python": environment.python, **dict(sorted(environment.packages.items()))}
        packages["(deployed by)"] = environment.method
        for package, version in packages.items():
            found.setdefault(f"{environment.name}, {package}", []).append(version)
    return {key: listed(list(dict.fromkeys(versions))) for key, versions in found.items()}


def _all(results: Results, read: Callable[[Record], Any]) -> str:
    """The value of all records, or all their values."""
    values = dict.fromkeys(spelled(read(record)) for record in results.records)
    return listed(list(values)) if values else NA


def _parity(comparison: Comparison) -> Iterator[tuple[str, str, str, str]]:
    """What really ran otherwise, each change with the cells that share it."""
    cells: dict[tuple[str, str, str], list[Cell]] = {}
    for pair in comparison.pairs:
        if pair.base and pair.other and pair.base.ok_runs and pair.other.ok_runs:
            a, b = _card(pair.base), _card(pair.other)
            for key in dict.fromkeys([*a, *b]):
                if a.get(key) != b.get(key):
                    change = (key.replace("_", " "), a.get(key, NA), b.get(key, NA))
                    cells.setdefault(change, []).append(pair.base)
    for change, where in cells.items():
        yield (*change, "; ".join(map(cell_name, where)))


def _card(cell: Cell) -> Values:
    """A cell's parity card; an entry in which its runs differ has all values."""
    cards = [record.parity or {} for record in cell.records]
    return {
        key: listed(list(dict.fromkeys(spelled(card.get(key)) for card in cards)))
        for key in dict.fromkeys(key for card in cards for key in card)
    }
