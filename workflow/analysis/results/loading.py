"""Loading a plan and all that was measured for it: validated, joined, nothing on disk altered."""

import hashlib
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

from analysis.formats.errors import InputError
from analysis.results.attention import with_attention_seen
from analysis.results.cells import Cell
from analysis.results.machine_card import MachineCard
from analysis.results.measured import Folder, Kept, Make, keeping
from analysis.results.plan import Column, Plan, PlannedBlock, PlannedRun, Row, load_plan
from analysis.results.plausibility import with_peaks
from analysis.results.record import Record
from analysis.results.results import Results, moderated
from analysis.results.rows import RowCells
from analysis.results.runs import NOT_MEASURED, STALE, Run
from analysis.results.self_test import SelfTest
from analysis.results.sessions import Session, by_node
from analysis.results.stand_in import check
from analysis.results.structure import build
from contract.ending import of_control
from contract.identity import changed

MAX_REASON = 300  # characters; the record keeps the rest


def load_results(
    plan_path: Path, measured: Path | None = None, keep: Path | None = None
) -> Results:
    """Read a plan and every file it names. All broken files are reported together, one line each.

    Where `measured` has been kept, records and what was measured with them are read from there
    instead; `keep` is where to keep them.
    """
    plan = load_plan(plan_path)
    folder = Folder(plan, plan_path)
    source = Kept(measured) if measured else folder
    digest = hashlib.sha256(plan_path.read_bytes())

    with keeping(keep) if keep else nullcontext() as kept:

        def read(path: str, schema: str, make: Make) -> Any:
            raw, made = source.read(path, schema, make)
            digest.update(raw)
            if kept and raw:
                kept(path, raw)
            return made

        rows = tuple(
            RowCells(row, tuple(_cell(plan, row, column, read) for column in plan.columns))
            for row in plan.rows
        )
        found = [read(block.path, "block", partial(_sessions, block)) for block in plan.blocks]
        sessions = tuple(session for of_block in found for session in of_block or ())
        card = partial(build, MachineCard)
        cards = {node: read(plan.machine_card(node), "machine", card) for node in by_node(sessions)}
        tested, self_test = folder.read(plan.self_test, "self_test", _self_test)
        digest.update(tested)
        folder.raise_problems()
    results = Results(plan, rows, digest.hexdigest(), sessions, cards, self_test)
    return moderated(with_peaks(check(results)))


def _self_test(data: dict[str, Any]) -> SelfTest:
    return build(SelfTest, data | _worded(data))


def _worded(control: dict[str, Any]) -> dict[str, str]:
    """Status and reason of a control, worded anew from the raw facts."""
    status, reason = of_control(control)
    return {"status": status, "reason": _cut(reason)}


def _cut(reason: str) -> str:
    return reason if len(reason) <= MAX_REASON else f"{reason[:MAX_REASON]}..."


def _sessions(block: PlannedBlock, data: dict[str, Any]) -> list[Session]:
    """The sessions of a block; it has to be the block that the plan expects there."""
    row = (data["row"]["model"], data["row"]["task"], data["row"]["batch_size"])
    if (row, data["round"]) != (block.row, block.round):
        model, task, batch_size = block.row
        planned = f"{model} {task} b{batch_size} round {block.round}"
        raise InputError(f"/row: is not the block that the plan expects here ({planned})")
    for session in data["sessions"]:
        for around in session["canaries"].values():
            for canary in filter(None, around.values()):
                canary |= _worded(canary)
    of_block = {"row": block.row, "round": block.round}
    return [build(Session, session | of_block) for session in data["sessions"]]


def _cell(plan: Plan, row: Row, column: Column, read: Callable[..., Any]) -> Cell:
    planned, name = plan.cell(row, column), (*row.key, column.name)
    runs = [
        _run(run, read(run.record, "record", partial(_record, (*name, run.run))))
        for run in planned.runs
    ]
    return Cell(row, column, planned.unsupported, with_attention_seen(runs))


def _run(planned: PlannedRun, record: Record | None) -> Run:
    if record is None:
        status, reason = NOT_MEASURED, "no record yet"
    elif record.identity != planned.identity:
        difference = changed(record.identity, planned.identity) or "only the spelling"
        status, reason = STALE, f"measured under another configuration: {difference}"
    else:
        status, reason = record.status, record.reason
    return Run(planned.run, planned.position, planned.record, status, _cut(reason), record)


def _record(expected: tuple[str, str, int, str, int], data: dict[str, Any]) -> Record:
    """Check what a schema cannot: it is in the right place, and ok means times exist."""
    cell = data["cell"]
    if tuple(cell[name] for name in ("model", "task", "batch_size", "column", "run")) != expected:
        model, task, batch_size, column, run = expected
        planned = f"{model} {task} b{batch_size} {column} run {run}"
        raise InputError(f"/cell: is not the run that the plan expects here ({planned})")
    record = Record.from_json(data)
    if record.status == "ok" and not (record.timing and record.timing.blocks):
        raise InputError("/timing/blocks: empty, although the status is ok")
    return record
