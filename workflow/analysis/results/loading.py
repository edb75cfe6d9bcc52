"""Loading a plan and all that was measured for it: validated, joined, nothing on disk altered."""

import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from analysis.formats.errors import InputError
from analysis.formats.strict_json import parse_json, read_bytes, validate
from analysis.results.attention import with_attention_seen
from analysis.results.cells import Cell
from analysis.results.machine_card import MachineCard
from analysis.results.plan import (
    Column,
    Plan,
    PlannedBlock,
    PlannedCell,
    PlannedRun,
    Row,
    load_plan,
)
from analysis.results.plausibility import with_peaks
from analysis.results.record import Record
from analysis.results.results import Results, moderated
from analysis.results.rows import RowCells
from analysis.results.rule_graph import RuleGraph
from analysis.results.runs import NOT_MEASURED, STALE, Run
from analysis.results.self_test import SelfTest
from analysis.results.sessions import Session, by_node
from analysis.results.stand_in import check
from analysis.results.structure import build
from contract.ending import of_control

MAX_DIFFERENCES = 4  # of a stale identity, that a footnote spells out
MAX_REASON = 300  # characters; the record keeps the rest
MAX_VALUE = 40  # characters of a differing value
ABSENT = object()


@dataclass(frozen=True)
class ResultsFolder:
    """The project that a plan's paths start from, and the results folder that they must not
    leave.
    """

    project: Path
    results: Path

    def locate(self, path: str) -> Path:
        """The file of a path; compared as text, since results may be a link elsewhere."""
        full = os.path.normpath(os.path.join(self.project, path))
        if "\0" in path or not full.startswith(f"{self.results}{os.sep}"):
            raise InputError(f"{path!r}: outside of the results folder")
        return Path(full)


def load_results(plan_path: Path, project: Path | None = None) -> Results:
    """Read a plan and every file it names. All broken files are reported together, one line each.

    Paths in a plan start at `project`; by default that is the folder in which the plan's folder has
    the name that the plan gives it: results, or results/studies/<name>.
    """
    results = Path(os.path.abspath(plan_path.parent))
    plan = load_plan(plan_path)
    if project is None:
        project = results.joinpath(*[os.pardir] * len(Path(plan.results).parts))
    folder = ResultsFolder(Path(os.path.abspath(project)), results)
    digest, problems = hashlib.sha256(plan_path.read_bytes()), []
    rows = tuple(
        RowCells(
            row,
            tuple(
                _load_cell(plan, row, column, folder, digest, problems) for column in plan.columns
            ),
        )
        for row in plan.rows
    )
    read = partial(_load_optional, folder=folder, digest=digest, problems=problems)
    blocks = [read(block.path, "block", partial(_sessions, block)) for block in plan.blocks]
    sessions = tuple(session for found in blocks for session in found or ())
    cards = {
        node: read(plan.machine_card(node), "machine", partial(build, MachineCard))
        for node in by_node(sessions)
    }
    self_test = read(plan.self_test, "self_test", partial(build, SelfTest))
    # The digest names what was measured; this is how.
    graph = read(plan.rules, "rules", RuleGraph.from_json, digest=hashlib.sha256())
    if problems:
        raise InputError(problems)
    found = Results(plan, rows, digest.hexdigest(), sessions, cards, self_test, graph)
    return moderated(with_peaks(check(found)))


def _load_optional(
    path: str,
    schema: str,
    build: Callable[[dict[str, Any]], Any],
    folder: ResultsFolder,
    digest: Any,
    problems: list[str],
) -> Any:
    """What a file holds that a table can do without; None when it does not exist."""
    try:
        full = folder.locate(path)
        if not os.path.lexists(full):
            return None
        raw = read_bytes(full, path)
        digest.update(raw)
        data = parse_json(raw, path)
        validate(data, schema, path)
        if "reason" in data:
            data |= _worded(data)
        return build(data)
    except InputError as error:
        problems.extend(f"{path}: {line}" if path not in line else line for line in error.lines)
    return None


def _worded(control: dict[str, Any]) -> dict[str, str]:
    """Status and reason of a control, worded anew from the raw facts."""
    status, reason = of_control(control)
    return {"status": status, "reason": _cut(reason)}


def _cut(reason: str) -> str:
    return reason if len(reason) <= MAX_REASON else f"{reason[:MAX_REASON]}..."


def _sessions(block: PlannedBlock, data: dict[str, Any]) -> list[Session]:
    """Those of a block, which has to be the one that the plan expects there."""
    row = (data["row"]["model"], data["row"]["task"], data["row"]["batch_size"])
    if (row, data["round"]) != (block.row, block.round):
        model, task, batch_size = block.row
        planned = f"{model} {task} b{batch_size} round {block.round}"
        raise InputError(f"/row: is not the block that the plan expects here ({planned})")
    for session in data["sessions"]:
        for around in session["canaries"].values():
            for canary in filter(None, around.values()):
                canary |= _worded(canary)
    place = {"row": row, "round": block.round}
    return [build(Session, {**session, **place}) for session in data["sessions"]]


def _load_cell(
    plan: Plan,
    row: Row,
    column: Column,
    folder: ResultsFolder,
    digest: Any,
    problems: list[str],
) -> Cell:
    planned = plan.cells.get((row.key, column.name), PlannedCell(None, ()))
    runs = []
    for run in planned.runs:
        try:
            runs.append(_load_run(run, row, column, folder, digest))
        except InputError as error:
            problems.extend(error.lines)
    return Cell(row, column, planned.unsupported, with_attention_seen(runs))


def _load_run(
    planned: PlannedRun, row: Row, column: Column, folder: ResultsFolder, digest: Any
) -> Run:
    path = folder.locate(planned.record)
    if not os.path.lexists(path):
        return Run(
            planned.run, planned.position, planned.record, NOT_MEASURED, "no record yet", None
        )
    raw = read_bytes(path, planned.record)
    digest.update(raw)
    data = parse_json(raw, planned.record)
    validate(data, "record", planned.record)
    record = Record.from_json(data)
    _check_consistent(record, (*row.key, column.name, planned.run), planned.record)
    if record.identity != planned.identity:
        reason = (
            "measured under another configuration: "
            f"{differences(record.identity, planned.identity)}"
        )
        return Run(planned.run, planned.position, planned.record, STALE, reason, record)
    reason = _cut(record.reason)
    return Run(planned.run, planned.position, planned.record, record.status, reason, record)


def _check_consistent(record: Record, expected: tuple[str, str, int, str, int], shown: str) -> None:
    """What a schema cannot check: the record is in the right place, and ok means times exist."""
    cell = record.cell
    if (cell.model, cell.task, cell.batch_size, cell.column, cell.run) != expected:
        model, task, batch_size, column, run = expected
        planned = f"{model} {task} b{batch_size} {column} run {run}"
        raise InputError(f"{shown}: /cell: is not the run that the plan expects here ({planned})")
    if record.status == "ok" and not (record.timing and record.timing.blocks):
        raise InputError(f"{shown}: /timing/blocks: empty, although the status is ok")


def differences(found: str, expected: str) -> str:
    """What differs between two identities, key by key: 'warmup: 2 -> 3; seed: 0 -> 1'."""
    try:
        old, new = json.loads(found), json.loads(expected)
    except (ValueError, RecursionError):
        return "an identity is not JSON"
    changes = [f"{key}: {_short(was)} -> {_short(now)}" for key, was, now in _changes("", old, new)]
    more = len(changes) - MAX_DIFFERENCES
    shown = changes[:MAX_DIFFERENCES] + ([f"and {more} more"] if more > 0 else [])
    return "; ".join(shown) or "only the spelling of the identity"


def _changes(key: str, old: Any, new: Any) -> list[tuple[str, Any, Any]]:
    if isinstance(old, dict) and isinstance(new, dict):
        names = sorted(old.keys() | new.keys())
        pairs = [
            (f"{key}.{name}" if key else name, old.get(name, ABSENT), new.get(name, ABSENT))
            for name in names
        ]
        return [change for name, was, now in pairs for change in _changes(name, was, now)]
    return [] if old == new and type(old) is type(new) else [(key or "identity", old, new)]


def _short(value: Any) -> str:
    if value is ABSENT:
        return "absent"
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= MAX_VALUE else f"{text[:12]}..."
