"""What was run, where and when, as texts that several sections share."""

import math
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from analysis.comparisons.libraries import differing_libraries
from analysis.formats.text import count, listed
from analysis.results.machines import machines_of
from analysis.results.plan import Column, Plan, RowKey
from analysis.results.record import Record
from analysis.results.reference import Reference
from analysis.results.results import Results
from analysis.results.runs import NOT_MEASURED
from analysis.results.stand_in import NOT_TO_BE_CITED, TITLE, is_simulated

NOTHING = "nothing measured yet"


def nothing(results: Results) -> str:
    """Why there is no time at all: nothing is measured yet, or how often runs ended how."""
    ended = Counter(run.status for _, run in results.runs if run.record)
    if not ended:
        return "Nothing is measured yet"
    told = listed([f"{number} {status}" for status, number in ended.items()])
    return f"No run has a time: {told}"


def title(results: Results) -> str:
    """Return a study's own title, or the models; before it, that a GPU was simulated or that runs
    are still to come.
    """
    study = results.plan.study
    models = listed([model.title for model in results.plan.models.values()])
    named = f"Millistep report: {study['title'] if study else models}"
    runs = [run for _, run in results.runs]
    if left := sum(run.status == NOT_MEASURED for run in runs):
        named = f"So far, {len(runs) - left} of {count(len(runs), 'run')}. {named}"
    return f"{TITLE}: {named}" if is_simulated(results) else named


def nothing_to_cite(results: Results) -> str:
    """Why the results are not to be cited: of a simulated GPU, or without any time; else empty."""
    if is_simulated(results):
        return NOT_TO_BE_CITED
    return "" if results.records else f"{nothing(results)}: there is nothing to cite."


def citation(results: Results, drawn_by: str) -> str:
    """How to cite the results, or why not to."""
    if why := nothing_to_cite(results):
        return why
    plan = results.plan
    return (
        f"{drawn_by} (CITATION.cff of its repository), {plan.scale} scale, "
        f"{plan.runs_per_cell} planned, measured on {machines(results)}, "
        f"{period(results)}; sha256 of plan and records {results.digest}."
    )


def _records(results: Results) -> tuple[Record, ...]:
    """The records that count; where none does, those that say why."""
    return results.records or results.all_records


def machines(results: Results) -> str:
    """Every machine that a number comes from; of equal ones the number of nodes."""
    found = sorted({machine.described for machine in machines_of(_records(results))})
    return listed([_of_nodes(results, machine) for machine in found], NOTHING)


def _of_nodes(results: Results, machine: str) -> str:
    """'4 nodes with Example CPU each', or the machine alone where it is one, or not known; and in
    what the runs were there.
    """
    equal = (record for record in _records(results) if record.machine.described == machine)
    nodes = {record.session.node for record in equal if record.session}
    cards = filter(None, map(results.machine_cards.get, sorted(nodes)))
    inside = dict.fromkeys(what for card in cards for what in card.inside)
    machine += f", in {listed(list(inside))}" if inside else ""
    return f"{count(len(nodes), 'node')} with {machine} each" if len(nodes) > 1 else machine


def period(results: Results) -> str:
    """The time from the first start to the last end, in UTC."""
    records = _records(results)
    if not records:
        return NOTHING
    first = min(record.started_at for record in records)
    last = max(record.finished_at for record in records)
    day, begin, end = first[:10], _minute(first), _minute(last)
    return f"{begin} to {end.removeprefix(f'{day} ')} UTC"


def _minute(timestamp: str) -> str:
    return timestamp[:16].replace("T", " ")


def values_of(results: Results, value: Callable[[Record], Any]) -> str:
    """The different values of the records, sorted."""
    return listed(sorted({str(value(record)) for record in _records(results)}))


def coverage(results: Results) -> str:
    """How many cells have a time: '11 of 12 cells have a time'."""
    cells = list(results.cells)
    measured = [cell for cell in cells if cell.ok_runs]
    return (
        f"{len(measured)} of {count(len(cells), 'cell')} {'has' if len(measured) == 1 else 'have'} "
        "a time"
    )


def facts(results: Results) -> list[tuple[str, str]]:
    """The facts of a run in words: what, where and when."""
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
        ("Seed", f"{plan.seed}")
        if plan.without_models
        else ("Weights", f"{plan.weights}, seed {plan.seed}"),
        ("Software", software(results)),
        ("Data", f"sha256 of plan and records {results.digest}"),
    ]


def _columns(plan: Plan) -> str:
    """The columns: '6 frameworks', or '4 frameworks in 12 columns' where some have settings."""
    frameworks = len({column.framework for column in plan.columns})
    text = count(frameworks, "framework")
    columns = len(plan.columns)
    return text if columns == frameworks else f"{text} in {count(columns, 'column')}"


def libraries_since_the_page(results: Results, reference: Reference) -> str:
    """How the libraries differ from those of the published page; empty where nothing that the page
    has was measured.
    """
    cells = [cell for row in results.rows_of_page for cell in row.measured]
    if not cells:
        return ""
    found = differing_libraries(cells, reference.conditions)
    these = f"The libraries of these runs ({min(r.started_at for r in results.records)[:7]})"
    page = f"those of the published page ({reference.conditions.published})"
    if not found:
        return f"{these} are {page}."
    other = "newer" if all(library.newer for library in found) else "others"
    return f"{these} are {other} than {page}: {listed([str(library) for library in found])}."


def accelerators(results: Results) -> str:
    """The accelerators: 'cpu', or 'cuda (12 columns) and cpu (6 columns)' where columns differ."""
    found = [column.accelerator for column in results.plan.columns]
    if len(set(found)) < 2:
        return found[0] if found else results.plan.accelerator
    return listed(
        [f"{kind} ({count(found.count(kind), 'column')})" for kind in dict.fromkeys(found)]
    )


def threads(results: Results) -> str:
    """The thread policies in use."""
    if not _records(results):
        return NOTHING
    return values_of(
        results,
        lambda record: f"{record.threads.policy} ({count(record.threads.requested, 'thread')})",
    )


def software(results: Results) -> str:
    """What the live frameworks reported: 'Keras 3 (JAX): keras 3.15.1 and jax 0.10.2', columns of
    the same versions together, and settings left out where a framework has the same with any.
    """
    found: dict[Column, str] = {}
    for column in results.plan.columns:
        cells = [cell for cell in results.cells if cell.column == column]
        reported = [text for cell in cells for text in cell.reported("framework_version")]
        versions = dict.fromkeys(version for text in reported for version in text.split(", "))
        if versions:
            found[column] = listed(list(versions))
    titles: dict[str, dict[str, None]] = {}
    for column, versions in found.items():
        same = all(found[c] == versions for c in found if c.framework == column.framework)
        titles.setdefault(versions, {})[column.framework_title if same else column.title] = None
    told = "; ".join(f"{listed([*of])}: {versions}" for versions, of in titles.items())
    return told or ("not read back" if results.all_records else NOTHING)


def settings(results: Results) -> str:
    """The configuration that gives this plan again, as YAML; of a study all that its file holds."""
    plan = results.plan
    models: dict[str, dict[str, Any]] = {}
    for row in plan.rows:
        sizes = [r.batch_size for r in plan.rows if (r.model, r.task) == (row.model, row.task)]
        models.setdefault(row.model, {})[row.task] = sizes if sizes[1:] else sizes[0]
    found: dict[str, Any] = {"study": plan.study} if plan.study else {}
    found |= {key: getattr(plan, key) for key in ("scale", "accelerator", "weights", "precision")}
    found["runs"] = runs_setting(plan.runs_by_row, plan.runs)
    requested = {record.threads.requested for record in results.records}
    found |= {"threads": requested.pop()} if len(requested) == 1 else {}
    found |= {"training": plan.training} if plan.training else {}
    found |= plan.further
    found |= {"seed": plan.seed, "models": models}
    return as_yaml(found | {"columns": list(map(_asked, plan.columns))}, None)


def _asked(column: Column) -> str | dict[str, Any]:
    """A column as the configuration has it."""
    return {"framework": column.framework, **column.asked} if column.asked else column.name


def runs_setting(runs_of: Mapping[RowKey, int], default: int) -> Any:
    """The configuration's `runs`: a number, or a mapping where some rows have another number."""
    found: dict[str, Any] = {}
    for (model, task, batch_size), runs in runs_of.items():
        if runs not in (0, default):
            found.setdefault(model, {}).setdefault(task, {})[batch_size] = runs
    return {"default": default, **found} if found else default


def as_yaml(value: Any, flow: bool | None) -> str:
    """A value as YAML: on one line where `flow` is true, else each key on a line."""
    import yaml

    style = {"sort_keys": False, "allow_unicode": True, "width": math.inf}
    return yaml.safe_dump(value, default_flow_style=flow, **style).removesuffix("...\n").strip()
