"""Where and with what the numbers were measured, and in what the rows of this table differ from the
published benchmark's: scale, weights, device.
"""

from collections.abc import Callable, Collection, Iterator
from typing import Any

from analysis.caveats.core import Found, Severity, by_value, measured, places, rule
from analysis.comparisons.libraries import differing_libraries
from analysis.comparisons.questions import differ_only_in
from analysis.data import Data
from analysis.formats.text import count, listed
from analysis.results.cells import Cell
from analysis.results.machines import is_one_machine
from analysis.results.record import Record
from analysis.results.reference import load_reference

# Settings that change how a column's environment is deployed, and which processors it is given.
DEPLOYMENT = {"interpreter"}
PROCESSORS = {"threads", "accelerator"}

Groups = dict[Any, list[Cell]]


def _groups(data: Data, value: Callable[[Record], Any]) -> Groups:
    """The measured cells by each value that their records hold."""
    return by_value(measured(data.results.rows), lambda cell: map(value, cell.records))


def _not_meant(groups: Groups, settings: Collection[str]) -> Groups:
    """The groups without the cells that differ only from columns with another value of one of these
    settings: they are meant to differ, which is the subject of an effect.
    """

    def differs(cell: Cell, value: Any) -> bool:
        others = {other.column for key, cells in groups.items() if key != value for other in cells}
        return any(not differ_only_in(cell.column, other, settings) for other in others)

    kept = {value: [c for c in cells if differs(c, value)] for value, cells in groups.items()}
    return {value: cells for value, cells in kept.items() if cells}


def _told(
    groups: Groups, evidence: dict[str, Any], data: Data, spell: Callable[[Any], str] = str
) -> Found:
    """A finding on cells with any value, told as 'venv (BERT fit: all columns); conda (...)'."""
    rows = data.results.rows
    told = "; ".join(f"{spell(key)} ({places(of, rows=rows)})" for key, of in groups.items())
    cells = dict.fromkeys(cell for key, of in groups.items() if key for cell in of)
    return Found(cells, evidence, {"told": told})


@rule
def several_machines(data: Data) -> Iterator[Found]:
    """Two machines, even of one kind, differ by more than many frameworks do."""
    rows = data.results.rows
    if is_one_machine(data.results.records):
        return
    mixed = [row for row in rows if not is_one_machine(r for c in row.measured for r in c.records)]
    groups = _groups(data, lambda record: record.machine)
    evidence = {
        "machines": {machine.id: len(cells) for machine, cells in groups.items()},
        "rows": [row.row.label for row in mixed],
    }
    details = [
        f"{machine.described} [{machine.id}]: {places(cells, rows=rows)}"
        for machine, cells in groups.items()
    ]
    severity = Severity.CRITICAL if mixed else None
    yield Found(measured(mixed) or None, evidence, {"details": details}, severity)


@rule
def thread_policies_differ(data: Data) -> Iterator[Found]:
    """Cells that were not given the same processors, though their columns are not meant to differ
    in that.
    """

    def given(record: Record) -> tuple[str, int, int]:
        threads = record.threads
        return (threads.policy, threads.requested, len(threads.affinity))

    def spell(key: tuple[str, int, int]) -> str:
        policy, requested, processors = key
        return f"{policy}, {count(requested, 'thread')} on {count(processors, 'processor')}"

    groups = _not_meant(_groups(data, given), PROCESSORS)
    if len(groups) > 1:
        policies, threads, _ = map(set, zip(*groups, strict=True))
        yield _told(groups, {"threads": sorted(threads), "policies": sorted(policies)}, data, spell)


@rule
def deployments_differ(data: Data) -> Iterator[Found]:
    """The same lock installs the same versions, but another interpreter may be built otherwise."""
    groups = _not_meant(_groups(data, lambda record: record.environment.method), DEPLOYMENT)
    if len(groups) > 1:
        evidence = {"methods": {method: len(cells) for method, cells in groups.items()}}
        yield _told(groups, evidence, data)


@rule
def variables_set(data: Data) -> Iterator[Found]:
    """Environment variables may change what a framework does in ways that no parity card shows."""

    def spell(variables: tuple[tuple[str, str], ...]) -> str:
        return listed([f"{name}={value}" for name, value in variables])

    groups = _groups(data, lambda record: tuple(sorted(record.environment.variables.items())))
    evidence = {"variables": sorted({n for variables in groups for n, _ in variables})}
    yield _told(groups, evidence, data, spell)


@rule
def own_interpreter(data: Data) -> Iterator[Found]:
    """A column with the user's own interpreter has its versions, not the locked ones."""
    groups = _groups(data, lambda record: record.environment.method)
    cells = groups.get("interpreter", ())
    yield Found(cells, {"columns": sorted({cell.column.name for cell in cells})})


@rule
def not_the_pages_version(data: Data) -> Iterator[Found]:
    """Libraries whose version on the page is not in our stack of it: the index lacks it."""
    conditions = load_reference().conditions
    for column in data.results.plan.columns:
        if column.bare and column.stack == conditions.stack:
            cells = [cell for cell in measured(data.results.rows) if cell.column == column]
            if found := [str(library) for library in differing_libraries(cells, conditions)]:
                yield Found(cells, {"column": column.name, "libraries": found})


@rule
def scale_is_reduced(data: Data) -> Iterator[Found]:
    """Reduced models rank frameworks differently from full ones; some are never reduced."""
    plan = data.results.plan
    if plan.reduced:
        reduced = {name: model for name, model in plan.models.items() if not model.full_size}
        models = {name: model.architecture for name, model in reduced.items()}
        severity = Severity.CRITICAL if plan.scale == "smoke" else None
        titles = [model.title for model in reduced.values()]
        yield Found(None, {"scale": plan.scale, "models": models}, {"titles": titles}, severity)


@rule
def random_weights(data: Data) -> Iterator[Found]:
    """With random weights times are valid, and generated texts and images mean nothing."""
    plan = data.results.plan
    if plan.weights == "random" and not plan.without_models:
        yield Found(None, {"weights": plan.weights, "seed": plan.seed})


@rule
def measured_on_cpu(data: Data) -> Iterator[Found]:
    """A ranking on processors need not hold on a GPU; the number of threads is part of it."""
    results = data.results
    threads = sorted({record.threads.requested for record in results.records})
    if results.accelerators == ("cpu",) and threads and not results.plan.without_models:
        of_processes = [count(number, "thread") for number in threads]
        evidence = {"accelerator": "cpu", "threads": threads}
        yield Found(None, evidence, {"of_processes": of_processes})
