"""Where and with what the numbers were measured."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from typing import Any

from analysis.caveats.core import Found, Rows, Severity, measured, places, rule
from analysis.comparisons.libraries import differing_libraries
from analysis.comparisons.questions import differ_only_in
from analysis.data import Data
from analysis.formats.text import count, listed
from analysis.results.cells import Cell
from analysis.results.machine import Machine
from analysis.results.machines import is_one_machine
from analysis.results.record import Record
from analysis.results.reference import load_reference

# Settings that change how a column's environment is deployed, and which processors it is given.
DEPLOYMENT = {"interpreter"}
PROCESSORS = {"threads", "accelerator"}

Groups = dict[Any, list[Cell]]


def _groups(rows: Rows, value: Callable[[Record], Any]) -> Groups:
    """Measured cells under each value that their records hold."""
    groups: Groups = defaultdict(list)
    for cell in measured(rows):
        for found in dict.fromkeys(map(value, cell.records)):
            groups[found].append(cell)
    return groups


def _not_meant(groups: Groups, settings: Collection[str]) -> Groups:
    """Without the cells that differ only from cells of columns that one of these settings alone
    makes differ: that difference is the subject of an effect.
    """

    def differs(cell: Cell, value: Any) -> bool:
        others = {other.column for key, cells in groups.items() if key != value for other in cells}
        return any(not differ_only_in(cell.column, other, settings) for other in others)

    kept = {value: [c for c in cells if differs(c, value)] for value, cells in groups.items()}
    return {value: cells for value, cells in kept.items() if cells}


def _told(
    groups: Groups, evidence: dict[str, Any], data: Data, spell: Callable[[Any], str] = str
) -> Found:
    """What differs, as 'venv (BERT fit: all columns); conda (...)', of cells with any value."""
    rows = data.results.rows
    told = "; ".join(f"{spell(key)} ({places(of, rows=rows)})" for key, of in groups.items())
    cells = dict.fromkeys(cell for key, of in groups.items() if key for cell in of)
    return Found(cells, evidence, {"told": told})


@rule
def several_machines(data: Data) -> Iterator[Found]:
    """Two machines, even of one kind, differ by more than many frameworks do."""
    results = data.results
    if is_one_machine(results.records):
        return
    groups = _groups(results.rows, lambda record: record.machine)
    mixed = [
        row
        for row in results.rows
        if not is_one_machine(r for cell in row.measured for r in cell.records)
    ]
    details = [
        f"{describe(machine)} [{machine.id}]: {places(cells, rows=results.rows)}"
        for machine, cells in groups.items()
    ]
    evidence = {
        "machines": {machine.id: len(cells) for machine, cells in groups.items()},
        "rows": [row.row.label for row in mixed],
    }
    cells = [cell for row in mixed for cell in row.measured] or None
    severity = Severity.CRITICAL if mixed else None
    yield Found(cells, evidence, {"details": details}, severity)


def describe(machine: Machine) -> str:
    """What identifies a machine to a reader."""
    extra = f", {machine.accelerator_name}" if machine.accelerator_name else ""
    return (
        f"{machine.cpu}, {machine.cores} cores, {machine.memory_mib / 1024:.0f} GiB{extra}, "
        f"{machine.os}"
    )


@rule
def thread_policies_differ(data: Data) -> Iterator[Found]:
    """Cells were not given the same processors, though their columns are not meant to differ in
    that.
    """

    def given(record: Record) -> tuple[str, int, int]:
        threads = record.threads
        return (threads.policy, threads.requested, len(threads.affinity))

    def spell(key: tuple[str, int, int]) -> str:
        policy, requested, processors = key
        return f"{policy}, {count(requested, 'thread')} on {count(processors, 'processor')}"

    groups = _not_meant(_groups(data.results.rows, given), PROCESSORS)
    if len(groups) > 1:
        evidence = {
            "threads": sorted({key[1] for key in groups}),
            "policies": sorted({key[0] for key in groups}),
        }
        yield _told(groups, evidence, data, spell)


@rule
def deployments_differ(data: Data) -> Iterator[Found]:
    """The same lock installs the same versions, but another interpreter may be built otherwise."""
    groups = _groups(data.results.rows, lambda record: record.environment.method)
    groups = _not_meant(groups, DEPLOYMENT)
    if len(groups) > 1:
        evidence = {"methods": {method: len(cells) for method, cells in groups.items()}}
        yield _told(groups, evidence, data)


@rule
def variables_set(data: Data) -> Iterator[Found]:
    """Environment variables may change what a framework does in ways that no parity card shows."""

    def spell(variables: tuple[tuple[str, str], ...]) -> str:
        return listed([f"{name}={value}" for name, value in variables]) or "none"

    groups = _groups(
        data.results.rows, lambda record: tuple(sorted(record.environment.variables.items()))
    )
    evidence = {"variables": sorted({n for variables in groups for n, _ in variables})}
    yield _told(groups, evidence, data, spell)


@rule
def own_interpreter(data: Data) -> Iterator[Found]:
    """A column with the user's own interpreter has its versions, not the locked ones."""
    groups = _groups(data.results.rows, lambda record: record.environment.method)
    cells = groups.get("interpreter", ())
    yield Found(cells, {"columns": sorted({cell.column.name for cell in cells})})


@rule
def not_the_pages_version(data: Data) -> Iterator[Found]:
    """The stack of the page's versions lacks one where the package index does not have it."""
    conditions = load_reference().conditions
    for column in data.results.plan.columns:
        if not column.bare or column.stack != conditions.stack:
            continue
        cells = [cell for cell in measured(data.results.rows) if cell.column == column]
        if found := [str(library) for library in differing_libraries(cells, conditions)]:
            yield Found(cells, {"column": column.name, "libraries": found})
