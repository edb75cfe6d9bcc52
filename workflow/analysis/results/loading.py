"""Loading a plan and all that was measured for it: validated, joined, nothing on disk altered."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from analysis.results.attention import with_attention_seen
from analysis.results.cells import Cell
from analysis.results.machine_card import MachineCard
from analysis.results.measured import Files, Folder, kept_measured, read_measured
from analysis.results.plan import Column, Plan, PlannedBlock, PlannedRun, Row, load_plan
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
from contract.identity import changed

MAX_REASON = 300  # characters; the record keeps the rest


def load_results(
    plan_path: Path, project: Path | None = None, measured: Path | None = None
) -> Results:
    """Read a plan and every file it names. All broken files are reported together, one line each.

    Paths in a plan start at `project`, see :class:`Folder`. Where `measured` has been kept, records
    and what was measured with them are read from there instead.
    """
    plan = load_plan(plan_path)
    folder = Folder(plan, plan_path, project)
    files = kept_measured(measured) if measured else read_measured(plan, folder)
    tested, self_test = folder.read(plan.self_test, "self_test", _self_test)
    _, graph = folder.read(plan.rules, "rules", RuleGraph.from_json)
    folder.raise_problems()
    # It names what was measured; the rules are how.
    digest = hashlib.sha256(plan_path.read_bytes())
    for content in (*files.values(), tested):
        digest.update(content)
    rows = tuple(
        RowCells(row, tuple(_cell(plan, row, column, files) for column in plan.columns))
        for row in plan.rows
    )
    sessions = tuple(each for block in plan.blocks for each in _sessions(block, files))
    cards = {node: _card(files.get(plan.machine_card(node))) for node in by_node(sessions)}
    found = Results(plan, rows, digest.hexdigest(), sessions, cards, self_test, graph)
    return moderated(with_peaks(check(found)))


def _self_test(data: dict[str, Any]) -> SelfTest:
    return build(SelfTest, data | _worded(data))


def _worded(control: dict[str, Any]) -> dict[str, str]:
    """Status and reason of a control, worded anew from the raw facts."""
    status, reason = of_control(control)
    return {"status": status, "reason": _cut(reason)}


def _cut(reason: str) -> str:
    return reason if len(reason) <= MAX_REASON else f"{reason[:MAX_REASON]}..."


def _card(content: bytes | None) -> MachineCard | None:
    return build(MachineCard, json.loads(content)) if content else None


def _sessions(block: PlannedBlock, files: Files) -> Iterator[Session]:
    for session in json.loads(files[block.path])["sessions"] if block.path in files else ():
        for around in session["canaries"].values():
            for canary in filter(None, around.values()):
                canary |= _worded(canary)
        yield build(Session, {**session, "row": block.row, "round": block.round})


def _cell(plan: Plan, row: Row, column: Column, files: Files) -> Cell:
    planned = plan.cell(row, column)
    # of tens of thousands of records the bytes go as what is made of them comes
    runs = [_run(run, files.pop(run.record, None)) for run in planned.runs]
    return Cell(row, column, planned.unsupported, with_attention_seen(runs))


def _run(planned: PlannedRun, content: bytes | None) -> Run:
    if content is None:
        status, reason, record = NOT_MEASURED, "no record yet", None
    else:
        record = Record.from_json(json.loads(content))
        status, reason = record.status, record.reason
        if record.identity != planned.identity:
            difference = changed(record.identity, planned.identity) or "only the spelling"
            status, reason = STALE, f"measured under another configuration: {difference}"
    return Run(planned.run, planned.position, planned.record, status, _cut(reason), record)
