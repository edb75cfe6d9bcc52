"""Makes what is measured about the measuring: canaries around sessions, cards, the self-test."""

from __future__ import annotations

import hashlib
from typing import Any

from plan_factory import moment

NODE = "0a1b2c3d"


def accelerators_of(plan: dict[str, Any]) -> list[str]:
    """Of the columns, in their order."""
    return list(dict.fromkeys(column["settings"]["accelerator"] for column in plan["columns"]))


def make_canary(plan: dict[str, Any], index: int) -> dict[str, Any]:
    """The canary after every session of round index and before those of round index + 1, on
    a machine that does not drift.
    """
    a_round = len(plan["rows"]) * len(plan["columns"])
    return {
        "identity": "{}",
        "machine_id": "m1",
        "started_at": moment(index * a_round, -15),
        "finished_at": moment(index * a_round, -12),
        "total_s": 3.0,
        "status": "ok",
        "reason": "",
        "python_loop_ms": 50.0,
        "memory_copy_gib_per_s": 8.0,
        "matmul": [
            {"dtype": "float32", "size": 1024, "flops_per_s": 1e11, "step_ms": 21.5},
            {"dtype": "bfloat16", "size": 1024, "flops_per_s": 2e11, "step_ms": 10.8},
        ],
    }


def session_of(row: tuple[str, str, int], number: int) -> dict[str, Any]:
    """What a record says of the only session of its row in a round."""
    digest = hashlib.sha256(f"{row} {number}".encode()).hexdigest()
    only = {"device": None, "slot": 0, "slots": 1, "attempt": 1, "neighbours": 0}
    return {"id": digest[:12], "node": NODE, **only}


def make_blocks(plan, records, canaries_on, ended) -> dict[str, dict[str, Any]]:
    """The files of the blocks, by path: the sessions that the records name, each between the
    canaries before and after its round. `ended` says of sessions that were not done how they ended.
    """
    of_blocks: dict[tuple, list[tuple[str, dict[str, Any]]]] = {}
    for path, record in records.items():
        cell = record["cell"]
        if record["session"]:
            of_blocks.setdefault((*_row(cell), cell["run"]), []).append((path, record))
    return {
        planned["path"]: _block(
            plan, planned, of_blocks.get((*_row(planned), planned["round"]), []), canaries_on, ended
        )
        for planned in plan["blocks"]
    }


def _row(entry: dict[str, Any]) -> tuple:
    return entry["model"], entry["task"], entry["batch_size"]


def _block(plan, planned, records, canaries_on, ended) -> dict[str, Any]:
    number = planned["round"]
    sessions: dict[str, dict[str, Any]] = {}
    for path, record in records:
        named, kind = record["session"], record["cell"]["accelerator"]
        how = ended.get(named["id"], "done")
        session = sessions.setdefault(named["id"], _session(named, record, how))
        session["runs"].append(path)
        if kind in canaries_on:
            before, after = canaries_on[kind][number - 1 : number + 1]
            after = after if how == "done" else None
            session["canaries"][kind] = {"before": before, "after": after}
    return {
        "schema": "millistep.block/1",
        "row": dict(zip(("model", "task", "batch_size"), _row(planned), strict=True)),
        "scale": plan["scale"],
        "round": number,
        "sessions": list(sessions.values()),
    }


def _session(named: dict[str, Any], first: dict[str, Any], ended: str) -> dict[str, Any]:
    same = ("id", "node", "device", "slot", "slots", "attempt")
    return {
        **{name: named[name] for name in same},
        "affinity": first["threads"]["affinity"],
        "started_at": first["started_at"],
        "finished_at": None,
        "ended": ended,
        "machine": first["machine"],
        "canaries": {},
        "runs": [],
    }


def make_machine_card(plan: dict[str, Any]) -> dict[str, Any]:
    facts = [{"name": "Model", "value": "Example CPU"}, {"name": "Turbo", "value": None}]
    return {
        "schema": "millistep.machine/2",
        "ids": dict.fromkeys(accelerators_of(plan), "m1"),
        "collected_at": moment(0, -60),
        "sections": [{"title": "Processor", "facts": facts}],
    }


def make_self_test(plan: dict[str, Any]) -> dict[str, Any]:
    """A harness that reads what is there."""
    cell = plan["cells"][0]
    return {
        "schema": "millistep.self_test/1",
        "identity": "{}",
        "started_at": moment(0, -40),
        "status": "ok",
        "reason": "",
        "known_steps": [
            {"nominal_ms": nominal, "measured_ms": nominal * 1.0005, "steps": 100}
            for nominal in (2.0, 20.0, 200.0)
        ],
        "same_cell": {
            **{key: cell[key] for key in ("model", "task", "batch_size", "column")},
            "a_ms": {"1": 10.0, "2": 10.01, "3": 10.0},
            "b_ms": {"1": 10.01, "2": 10.0, "3": 10.0},
        },
        "monitor": {"on_ms": [5.0, 5.001], "off_ms": [5.001, 5.0], "step": "float32 matmul"},
    }
