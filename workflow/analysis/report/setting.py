"""What was run, where and when, as texts that several sections share."""

import json
from collections.abc import Callable
from typing import Any

from analysis.caveats.provenance import describe
from analysis.comparisons.libraries import differing_libraries
from analysis.formats.text import count, listed
from analysis.results.machines import machines_of
from analysis.results.plan import Plan
from analysis.results.record import Record
from analysis.results.reference import Reference
from analysis.results.results import Results

NOTHING = "nothing measured yet"
MONTHS_OF_A_YEAR = 12


def machines(results: Results) -> str:
    """Every machine that a number comes from; of equal ones, on how many nodes."""
    return listed([_of_nodes(results, machine) for machine in _described(results)]) or NOTHING


def _described(results: Results) -> list[str]:
    return sorted({describe(machine) for machine in machines_of(results.records)})


def _of_nodes(results: Results, machine: str) -> str:
    """'4 nodes with Example CPU each'; the machine alone where it is one, or not known."""
    equal = (record for record in results.records if describe(record.machine) == machine)
    nodes = {record.session.node for record in equal if record.session}
    return f"{count(len(nodes), 'node')} with {machine} each" if len(nodes) > 1 else machine


def period(results: Results) -> str:
    """First start to last end, UTC."""
    if not results.records:
        return NOTHING
    first = min(record.started_at for record in results.records)
    last = max(record.finished_at for record in results.records)
    return f"{_minute(first)} to {_minute(last)} UTC"


def _minute(timestamp: str) -> str:
    return timestamp[:16].replace("T", " ")


def values_of(results: Results, value: Callable[[Record], Any]) -> str:
    """The different values of the records, sorted."""
    return listed(sorted({str(value(record)) for record in results.records}))


def coverage(results: Results) -> str:
    """'11 of 12 cells have a time'."""
    cells = list(results.cells)
    measured = [cell for cell in cells if cell.ok_runs]
    return (
        f"{len(measured)} of {count(len(cells), 'cell')} {'has' if len(measured) == 1 else 'have'} "
        "a time"
    )


def facts(results: Results) -> list[tuple[str, str]]:
    """What was run, where and when."""
    plan = results.plan
    models = listed([model.title for model in plan.models.values()])
    rows = count(len(plan.rows), "row")
    return [
        ("Table", f"{models} in {rows} (model, task, batch size) on {_columns(plan)}"),
        ("Machine", machines(results)),
        ("Accelerator", accelerators(results)),
        ("Scale", f"{plan.scale}. {plan.scale_reason}"),
        ("Measured", period(results)),
        ("Runs", f"{plan.runs_per_cell} planned; {coverage(results)}"),
        ("Threads", threads(results)),
        ("Weights", f"{plan.weights}, seed {plan.seed}"),
        ("Software", software(results)),
        ("Data", f"sha256 of plan and records {results.digest}"),
    ]


def _columns(plan: Plan) -> str:
    """'6 frameworks', or '4 frameworks in 12 columns' where some have settings of their own."""
    frameworks = len({column.framework for column in plan.columns})
    text = count(frameworks, "framework")
    columns = len(plan.columns)
    return text if columns == frameworks else f"{text} in {count(columns, 'column')}"


def libraries_since_the_page(results: Results, reference: Reference) -> str:
    """How the libraries differ from those of the published page, and how long after it these runs
    were made; empty where nothing that the page has was measured.
    """
    rows = [row for row in results.rows if row.row.published_batch_size is not None]
    cells = [cell for row in rows for cell in row.measured]
    if not cells:
        return ""
    found = differing_libraries(cells, reference.conditions)
    published = reference.conditions.published
    after = f"made {_after(results, published)} the published page ({published})"
    if not found:
        return f"The libraries of these runs, {after}, are its own versions."
    newer = "newer than its" if all(library.newer for library in found) else "others than its"
    names = listed([str(library) for library in found])
    return f"The libraries of these runs, {after}, are {newer}: {names}."


def _after(results: Results, published: str) -> str:
    """'about 2.5 years after', from month to month."""
    first = min(record.started_at for record in results.records)
    months = _months(first) - _months(published)
    if months < MONTHS_OF_A_YEAR:
        return f"{count(max(0, months), 'month')} after"
    return f"about {round(2 * months / MONTHS_OF_A_YEAR) / 2:g} years after"


def _months(date: str) -> int:
    year, month = date.split("-")[:2]
    return int(year) * MONTHS_OF_A_YEAR + int(month)


def accelerators(results: Results) -> str:
    """'cpu', or 'cuda (12 columns) and cpu (6 columns)' where columns differ in it."""
    found = [column.accelerator for column in results.plan.columns]
    if len(set(found)) < 2:
        return found[0] if found else results.plan.accelerator
    return listed(
        [f"{kind} ({count(found.count(kind), 'column')})" for kind in dict.fromkeys(found)]
    )


def threads(results: Results) -> str:
    """The thread policies in use."""
    if not results.records:
        return NOTHING
    return values_of(
        results,
        lambda record: f"{record.threads.policy} ({count(record.threads.requested, 'thread')})",
    )


def software(results: Results) -> str:
    """'Keras 3 (JAX): keras 3.15.1 and jax 0.10.2': what each column's live framework reported."""
    parts = []
    for column in results.plan.columns:
        cards = [
            record.parity
            for cell in results.cells
            if cell.column == column
            for record in cell.records
        ]
        reported = [str(card["framework_version"]).split(", ") for card in cards if card]
        versions = dict.fromkeys(version for found in reported for version in found)
        if versions:
            parts.append(f"{column.title}: {listed(list(versions))}")
    return "; ".join(parts) or NOTHING


def settings(results: Results) -> str:
    """The configuration that gives this plan again, as YAML."""
    plan = results.plan
    lines = [f"{key}: {getattr(plan, key)}" for key in ("scale", "accelerator", "weights")]
    lines += _runs(plan)
    requested = {record.threads.requested for record in results.records}
    lines += [f"threads: {number}" for number in requested if len(requested) == 1]
    lines += [f"training: {json.dumps(plan.training)}"] if plan.training else []
    lines += [f"seed: {plan.seed}", "models:"]
    for model in dict.fromkeys(row.model for row in plan.rows):
        lines.append(f"  {model}:")
        rows = [row for row in plan.rows if row.model == model]
        for task in dict.fromkeys(row.task for row in rows):
            sizes = [row.batch_size for row in rows if row.task == task]
            lines.append(f"    {task}: {sizes[0] if len(sizes) == 1 else sizes}")
    lines += ["columns:", *(f"  - {column.name}" for column in plan.columns)]
    return "\n".join(lines)


def _runs(plan: Plan) -> list[str]:
    """The number of runs, and that of each row that has another one."""
    fewer = {row: runs for row, runs in plan.runs_by_row.items() if 0 < runs < plan.runs}
    if not fewer:
        return [f"runs: {plan.runs}"]
    tasks: dict[str, dict[str, dict[int, int]]] = {}
    for (model, task, batch_size), runs in fewer.items():
        tasks.setdefault(model, {}).setdefault(task, {})[batch_size] = runs
    lines = [f"  {model}: {found}" for model, found in tasks.items()]
    return ["runs:", f"  default: {plan.runs}", *lines]
