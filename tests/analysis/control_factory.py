"""Makes what is measured about the measuring: canaries, the machine card, the self-test."""

from __future__ import annotations

from typing import Any

from plan_factory import moment


def make_canary(plan: dict[str, Any], index: int) -> dict[str, Any]:
    """The canary before round index + 1, on a machine that does not drift."""
    a_round = len(plan["rows"]) * len(plan["columns"])
    return {
        "schema": "millistep.canary/1",
        "index": index,
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


def make_machine_card(plan: dict[str, Any]) -> dict[str, Any]:
    facts = [{"name": "Model", "value": "Example CPU"}, {"name": "Turbo", "value": None}]
    return {
        "schema": "millistep.machine/2",
        "ids": dict.fromkeys(plan["canaries"], "m1"),
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
            "a_ms": {"1": 10.0, "2": 10.1, "3": 10.0},
            "b_ms": {"1": 10.1, "2": 10.0, "3": 10.0},
        },
        "monitor": {"on_ms": [5.0, 5.01], "off_ms": [5.01, 5.0], "step": "float32 matmul"},
    }


def make_rules() -> dict[str, Any]:
    """What Snakemake put together for two environments, of which one needs no rule before it."""
    after = {
        "all": ("report", "tables", "keras3_jax"),
        "report": ("figures", "tables", "measure_keras3_jax"),
        "figures": ("tables", "measure_keras3_jax"),
        "tables": ("measure_keras3_jax",),
        "measure_keras3_jax": (),
        "keras3_jax": (),
    }
    return {
        "schema": "millistep.rules/1",
        "rules": [
            {"name": name, "says": f"What <{name}> does.", "jobs": len(name), "after": list(needed)}
            for name, needed in after.items()
        ],
    }
