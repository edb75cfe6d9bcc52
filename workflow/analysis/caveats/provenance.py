"""Where and with what the numbers were measured."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from typing import Any

from analysis.caveats.causes import REACH
from analysis.caveats.core import Caveat, Changes, Rows, Severity, measured, places, rule
from analysis.comparisons.questions import differ_only_in
from analysis.formats.text import count, listed
from analysis.results.cells import Cell
from analysis.results.machine import Machine
from analysis.results.machines import is_one_machine
from analysis.results.record import Record
from analysis.results.results import Results

# Settings that change how a column's environment is deployed, and which processors it is given.
DEPLOYMENT = {"interpreter"}
PROCESSORS = {"threads", "accelerator"}


def _groups(rows: Rows, value: Callable[[Record], Any]) -> dict[Any, list[Cell]]:
    """Measured cells under each value that their records hold."""
    groups: dict[Any, list[Cell]] = defaultdict(list)
    for cell in measured(rows):
        for found in dict.fromkeys(map(value, cell.records)):
            groups[found].append(cell)
    return groups


def _not_meant(groups: dict[Any, list[Cell]], settings: Collection[str]) -> dict[Any, list[Cell]]:
    """Without the cells that differ only from cells of columns that one of these settings alone
    makes differ: that difference is the subject of an effect.
    """
    kept = {
        value: [cell for cell in cells if _differs(cell, value, groups, settings)]
        for value, cells in groups.items()
    }
    return {value: cells for value, cells in kept.items() if cells}


def _differs(
    cell: Cell, value: Any, groups: dict[Any, list[Cell]], settings: Collection[str]
) -> bool:
    others = {other.column for key, cells in groups.items() if key != value for other in cells}
    return any(not differ_only_in(cell.column, other, settings) for other in others)


@rule(
    "Records from several machines",
    "Two machines differ by more than many frameworks do: do not rank across them.",
    Changes.ORDER,
    "Measure each row on one machine.",
)
def several_machines(results: Results) -> Iterator[Caveat]:
    """Two machines, even of one kind, differ by more than many frameworks do."""
    groups = _groups(results.rows, lambda record: record.machine)
    if not is_one_machine(results.records):
        mixed = [
            row
            for row in results.rows
            if not is_one_machine(r for cell in row.measured for r in cell.records)
        ]
        details = "; ".join(
            f"{describe(machine)} [{machine.id}]: {places(cells, rows=results.rows)}"
            for machine, cells in groups.items()
        )
        inside = (
            f", also within {listed([row.row.label for row in mixed])}"
            if mixed
            else ", one per row"
        )
        sentence = (
            f"Records come from more than one machine{inside}: do not rank across machines "
            f"({details})."
        )
        severity = Severity.CRITICAL if mixed else Severity.WARNING
        evidence = {
            "machines": {machine.id: len(cells) for machine, cells in groups.items()},
            "rows": [row.row.label for row in mixed],
        }
        cells = tuple(cell for row in mixed for cell in row.measured)
        yield Caveat("several_machines", severity, cells, evidence, sentence)


def describe(machine: Machine) -> str:
    """What identifies a machine to a reader."""
    extra = f", {machine.accelerator_name}" if machine.accelerator_name else ""
    return (
        f"{machine.cpu}, {machine.cores} cores, {machine.memory_mib / 1024:.0f} GiB{extra}, "
        f"{machine.os}"
    )


@rule(
    "Measured on the processor",
    "A GPU may rank the frameworks otherwise.",
    Changes.ELSEWHERE,
    "Set accelerator: cuda, on a machine with a GPU.",
    REACH,
)
def measured_on_cpu(results: Results) -> Iterator[Caveat]:
    """A ranking on processors need not hold on a GPU; the number of threads is part of it."""
    threads = sorted(_groups(results.rows, lambda record: record.threads.requested))
    alone = all(column.alone for column in results.plan.columns)
    if results.accelerators == ("cpu",) and threads and not alone:
        details = listed([count(number, "thread") for number in threads])
        sentence = (
            f"Measured on the processor with {details} per process: a GPU may rank frameworks "
            "otherwise."
        )
        evidence = {"accelerator": "cpu", "threads": threads}
        yield Caveat("measured_on_cpu", Severity.WARNING, (), evidence, sentence)


@rule(
    "Cells had different threads",
    "They were not given the same processors.",
    Changes.ORDER,
    "Give every column the same threads.",
)
def thread_policies_differ(results: Results) -> Iterator[Caveat]:
    """Cells were not given the same processors, though their columns are not meant to differ in
    that.
    """
    groups = _groups(
        results.rows,
        lambda record: (
            record.threads.policy,
            record.threads.requested,
            len(record.threads.affinity),
        ),
    )
    groups = _not_meant(groups, PROCESSORS)
    if len(groups) > 1:
        evidence = {
            "threads": sorted({key[1] for key in groups}),
            "policies": sorted({key[0] for key in groups}),
        }
        told = {
            f"{policy}, {count(requested, 'thread')} on {count(processors, 'processor')}": cells
            for (policy, requested, processors), cells in groups.items()
        }
        sentence = f"Cells were not given the same threads: {_told(told, results)}."
        cells = _each_once(groups)
        yield Caveat("thread_policies_differ", Severity.CRITICAL, cells, evidence, sentence)


def _told(groups: dict[str, list[Cell]], results: Results) -> str:
    """'venv (BERT fit: all columns); conda (...)'."""
    return "; ".join(
        f"{value} ({places(cells, rows=results.rows)})" for value, cells in groups.items()
    )


def _each_once(groups: dict[Any, list[Cell]]) -> tuple[Cell, ...]:
    return tuple(dict.fromkeys(cell for cells in groups.values() for cell in cells))


@rule(
    "Environments were deployed in different ways",
    "The versions are the same, but the interpreter may be built otherwise.",
    Changes.TIMES,
    "Deploy all in one way: with --use-conda, or without.",
)
def deployments_differ(results: Results) -> Iterator[Caveat]:
    """The same lock installs the same versions, but another interpreter may be built otherwise."""
    groups = _groups(results.rows, lambda record: record.environment.method)
    groups = _not_meant(groups, DEPLOYMENT)
    if len(groups) > 1:
        evidence = {"methods": {method: len(cells) for method, cells in groups.items()}}
        sentence = f"Environments were deployed in different ways: {_told(groups, results)}."
        cells = _each_once(groups)
        yield Caveat("deployments_differ", Severity.WARNING, cells, evidence, sentence)


@rule(
    "Environment variables are set",
    "They may change what a framework does in ways that no parity card shows.",
    Changes.TIMES,
    "Leave environment empty in the configuration.",
)
def variables_set(results: Results) -> Iterator[Caveat]:
    """Environment variables may change what a framework does in ways that no parity card shows."""
    groups = _groups(
        results.rows, lambda record: tuple(sorted(record.environment.variables.items()))
    )
    if any(groups):
        told = {
            listed([f"{name}={value}" for name, value in variables]) or "none": cells
            for variables, cells in groups.items()
        }
        sentence = (
            "The configuration set environment variables of the measured processes: "
            f"{_told(told, results)}."
        )
        evidence = {"variables": sorted({n for variables in groups for n, _ in variables})}
        cells = _each_once({found: cells for found, cells in groups.items() if found})
        yield Caveat("variables_set", Severity.WARNING, cells, evidence, sentence)


@rule(
    "Not the locked environment",
    "The interpreter that the user named holds what it holds.",
    Changes.TIMES,
    "Leave interpreters out: then the locked versions are measured.",
)
def own_interpreter(results: Results) -> Iterator[Caveat]:
    """A column with the user's own interpreter has its versions, not the locked ones."""
    groups = _groups(results.rows, lambda record: record.environment.method)
    if cells := groups.get("interpreter"):
        sentence = (
            "Measured in an interpreter that the user named, not in the locked environment "
            f"({places(cells, rows=results.rows)})."
        )
        evidence = {"columns": sorted({cell.column.name for cell in cells})}
        yield Caveat("own_interpreter", Severity.WARNING, tuple(cells), evidence, sentence)
