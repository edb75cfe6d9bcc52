"""Makes plans and records that pass the schemas; a test changes only what it is about."""

from __future__ import annotations

import copy
import json
import math
import random
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from analysis.formats.strict_json import validate
from analysis.results.cells import Results
from analysis.results.loading import load_results
from contract import ending

FRAMEWORKS = {
    "keras2-tensorflow": ("Keras 2 (TensorFlow)", "keras2", "graph", "tf-graph"),
    "keras3-tensorflow": ("Keras 3 (TensorFlow)", "keras3", "jit", "xla"),
    "keras3-jax": ("Keras 3 (JAX)", "keras3", "jit", "xla"),
    "keras3-torch": ("Keras 3 (PyTorch)", "keras3", "eager", "none"),
    "pytorch-eager": ("PyTorch (eager)", "pytorch", "eager", "none"),
    "pytorch-compiled": ("PyTorch (compiled)", "pytorch", "jit", "inductor"),
}
STEP_MS = dict(zip(FRAMEWORKS, (20.0, 10.0, 8.0, 30.0, 25.0, 12.0), strict=True))
BERT_ROWS = (("bert", "fit", 8, 32), ("bert", "predict", 16, 256))

Change = Callable[[dict[str, Any]], None]

SETTINGS = {
    "accelerator": "cpu",
    "stack": "2026-11",
    "precision": "default",
    "threads": 2,
    "interpreter": None,
    "overlay": [],
}
AGAINST = {
    "keras3-tensorflow": {"keras2-tensorflow": "What does Keras 3 change on TensorFlow?"},
    "pytorch-compiled": {"pytorch-eager": "What does compiling change?"},
}

ENDING = {
    "done": True,
    "exit_code": 0,
    "failure": None,
    "timed_out_after_s": None,
    "memory_over_mib": None,
    "kernel_killed_for_memory": False,
    "measured": True,
    "device_free_mib": None,
}
FAILURES = {"oom": "MemoryError", "error": "RuntimeError", "unsupported": "WrongDevice"}


# What the words behind a framework's name set, as in keras3-jax+float32.
WORDS = {
    **{word: {"accelerator": word} for word in ("cpu", "cuda")},
    **{word: {"precision": word} for word in ("float32", "tf32")},
    **{word: {"mode": word} for word in ("default", "max-autotune")},
    "jit": {"jit_compile": True},
    "no-jit": {"jit_compile": False},
}


def identity(column: str, task: str, run: int, **more: Any) -> str:
    return json.dumps({"cell": [column, task, run], "warmup": 3, **more}, sort_keys=True)


def make_plan(
    runs: int = 3, rows=BERT_ROWS, columns=tuple(FRAMEWORKS), **more: Any
) -> dict[str, Any]:
    """A plan whose cells are all supported; columns: frameworks, with words of WORDS behind them
    where they have settings.
    """
    accelerator = more.get("accelerator", "cpu")
    made = [make_column(name, accelerator=accelerator) for name in columns]
    plan = {
        "schema": "millistep.plan/3",
        "study": None,
        "results": "results",
        "scale": "laptop",
        "scale_reason": "auto: no accelerator was found.",
        "accelerator": "cpu",
        "weights": "random",
        "seed": 7,
        "runs": runs,
        "precision": "default",
        "canaries": {
            kind: [f"results/canaries/laptop/{kind}/{k}.json" for k in range(runs + 1)]
            for kind in dict.fromkeys(column["settings"]["accelerator"] for column in made)
        },
        "machine_card": "results/machine.json",
        "self_test": "results/self_test.json",
        "models": {
            model: {
                "title": model.upper(),
                "citation": f"The {model} paper, 2018.",
                "preset": f"{model}_base",
                "architecture": {"layers": 4, "hidden": 256},
            }
            for model in dict.fromkeys(row[0] for row in rows)
        },
        "rows": [
            {
                "model": model,
                "task": task,
                "batch_size": batch,
                "title": f"{model.upper()} {task}",
                "published_batch_size": published,
            }
            for model, task, batch, published in rows
        ],
        "columns": made,
        "cells": [
            _planned_cell(row, name, runs, place, len(rows), columns)
            for place, row in enumerate(rows)
            for name in columns
        ],
        **more,
    }
    validate(plan, "plan", "plan")
    return plan


def make_column(name: str, **settings: Any) -> dict[str, Any]:
    """A framework with the settings that are given, and those that the words of its name mean."""
    framework, *words = name.split("+")
    title, family, *_ = FRAMEWORKS[framework]
    own = {"jit_compile": "auto"} if framework.startswith("keras") else {}
    own |= {"mode": "reduce-overhead"} if framework == "pytorch-compiled" else {}
    named = {key: value for word in words for key, value in WORDS.get(word, {}).items()}
    return {
        "name": name,
        "title": ", ".join([title, *words]),
        "framework": framework,
        "family": family,
        "settings": {**SETTINGS, **own, **settings, **named},
        "against": AGAINST.get(framework, {}),
        "colour": "#0072b2",
        "marker": "o",
        "hatch": "",
    }


def _planned_cell(
    row, column: str, runs: int, place: int, rows_number: int, columns
) -> dict[str, Any]:
    model, task, batch, _ = row
    folder = f"results/records/laptop/{model}/{task}-b{batch}/{column}"
    return {
        "model": model,
        "task": task,
        "batch_size": batch,
        "column": column,
        "unsupported": None,
        "runs": [
            {
                "run": run,
                "position": ((run - 1) * rows_number + place) * len(columns)
                + list(columns).index(column),
                "record": f"{folder}/run{run}.json",
                "identity": identity(column, task, run),
            }
            for run in range(1, runs + 1)
        ],
    }


def make_record(
    plan: dict[str, Any], cell: dict[str, Any], run: dict[str, Any], step_ms: float
) -> dict[str, Any]:
    """A record of status ok whose ten blocks of ten steps all take step_ms."""
    column, number = cell["column"], run["run"]
    settings = next(c["settings"] for c in plan["columns"] if c["name"] == column)
    framework = column.partition("+")[0]
    library = framework.split("-")[1] if framework.startswith("keras") else "torch"
    _, _, execution, compiler = FRAMEWORKS[framework]
    step_ns = round(step_ms * 1e6)
    return {
        "schema": "millistep.record/3",
        "identity": run["identity"],
        "cell": {
            "scale": plan["scale"],
            "accelerator": settings["accelerator"],
            "model": cell["model"],
            "task": cell["task"],
            "batch_size": cell["batch_size"],
            "column": column,
            "framework": framework,
            "run": number,
        },
        "status": "ok",
        "reason": "",
        "ending": dict(ENDING),
        "not_tried": None,
        "started_at": moment(run["position"]),
        "finished_at": moment(run["position"], 40),
        "total_s": 40.0,
        "environment": {
            "name": framework,
            "method": "venv",
            "definition_sha256": "ab" * 32,
            "python": "3.11.7",
            "packages": {"numpy": "2.4.6", library: "1.2.3"},
        },
        "threads": {"policy": "all cores", "requested": 2, "affinity": [0, 1]},
        "machine": {
            "id": "m1",
            "cpu": "Example CPU",
            "cores": 2,
            "memory_mib": 16000,
            "os": "Linux 6.1",
            "accelerator_name": None,
            "accelerator_memory_mib": None,
        },
        "load": {"before": 0.1, "after": 1.0, "foreign_cpu_share": 0.01, "swapped_mib": 0.0},
        "timing": {
            "import_s": 5.0,
            "build_s": 2.0,
            "first_step_s": 3.0,
            "warmup_steps": 3,
            "warmup_s": 0.2,
            "blocks": [{"steps": 10, "elapsed_ns": 10 * step_ns} for _ in range(10)],
            "stop": "steps",
            "extended": False,
            "synchronised_ns": [step_ns] * 10,
            "legacy": {
                "step_ms": step_ms,
                "steps": 100,
                "method": "mean of 100 steps by a callback",
            },
            "compilations": {"before_timing": 1, "during_timing": 0},
            "timed_s": 4.0,
            "other_s": 25.8,
        },
        "probes": [
            {
                "batch_size": cell["batch_size"] * 2,
                "max_length": None,
                "new_tokens": None,
                "steps": 10,
                "elapsed_ns": 10 * 2 * step_ns,
                "failed": None,
            }
        ],
        "work": {
            "parameters": 10_780_418,
            "trainable_parameters": 10_780_418,
            "flops_per_step": 4e8,
            "tokens_per_step": 512,
            "images_per_step": None,
        },
        "memory": {"peak_rss_mib": 900.0, "peak_device_mib": None},
        "monitor": {
            "interval_s": 0.5,
            "samples": 8,
            "load_max": 1.0,
            "frequency_mhz": {"min": 2990.0, "median": 3000.0, "max": 3000.0},
            "throttled": 0,
            "swapped_mib": 0.0,
            "gpu": None,
        },
        "energy": None,
        "host_overhead": None,
        "restarted": None,
        "parity": {
            "framework_version": "1.2.3",
            "backend": library,
            "dtype": "float32",
            "matmul_precision": "float32",
            "execution": execution,
            "compiler": compiler,
            "attention": "einsum",
            "optimizer": "adamw" if cell["task"] == "fit" else None,
            "device": "cpu",
            "threads": 2,
            "flush_denormals": True,
        },
        "warnings": [],
        "printed": [],
        "log_tail": [],
    }


def step_ms(column: str) -> float:
    """Of a column; each of its settings costs a tenth."""
    framework, *words = column.split("+")
    return STEP_MS[framework] * 1.1 ** len(words)


def moment(minutes: int, seconds: int = 0) -> str:
    """The run at position n starts n minutes after the first."""
    start = datetime(2026, 11, 20, 10, tzinfo=UTC)
    return (start + timedelta(minutes=minutes, seconds=seconds)).isoformat()


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


class Project:
    """A project folder with a plan and all that was measured; files are written by `save`.

    `canaries`, `machine_card` and `self_test` hold None where a file is to be missing;
    `canaries_on` are those of each accelerator, `canaries` those of the first.
    """

    def __init__(self, folder: Path, plan: dict[str, Any] | None = None):
        self.folder = folder
        self.plan = plan or make_plan()
        self.records = {
            run["record"]: make_record(
                self.plan, cell, run, step_ms(cell["column"]) * (1 + run["run"] / 1000)
            )
            for cell in self.plan["cells"]
            for run in cell["runs"]
        }
        self.canaries_on = {
            kind: [make_canary(self.plan, index) for index in range(len(paths))]
            for kind, paths in self.plan["canaries"].items()
        }
        self.machine_card = make_machine_card(self.plan)
        self.self_test = make_self_test(self.plan)

    @property
    def canaries(self) -> list[dict[str, Any] | None]:
        return next(iter(self.canaries_on.values()))

    @canaries.setter
    def canaries(self, canaries: list[dict[str, Any] | None]) -> None:
        self.canaries_on[next(iter(self.canaries_on))] = canaries

    @property
    def plan_path(self) -> Path:
        return self.folder / "results" / "plan.json"

    def change(self, change: Change, column: str = "", task: str = "", run: int = 0) -> None:
        """Apply a change to the records of a framework, task, run (all of them by default)."""
        for record in self.records.values():
            cell = record["cell"]
            address = (column or cell["column"], task or cell["task"], run or cell["run"])
            if (cell["column"], cell["task"], cell["run"]) == address:
                change(record)

    def fail(self, status: str, message: str = "", **where: Any) -> None:
        """Turn records into failed ones, as the harness writes them.

        message: of the exception, where the status is that of one.
        """
        self.change(lambda record: fail(record, status, message), **where)

    def save(self) -> Path:
        """Write plan and files, each checked against its schema; returns the plan's path."""
        for schema, path, data in self._files():
            target = self.folder / path
            if data is None:
                target.unlink(missing_ok=True)
                continue
            validate(data, schema, path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(json.dumps(data), encoding="utf-8")
        return self.plan_path

    def _files(self) -> Iterator[tuple[str, str, dict[str, Any]]]:
        """(schema, path, content) of every file; None where it is missing."""
        yield "plan", "results/plan.json", self.plan
        yield from (("record", path, record) for path, record in self.records.items())
        for kind, paths in self.plan["canaries"].items():
            canaries = zip(paths, self.canaries_on[kind], strict=False)
            yield from (("canary", path, canary) for path, canary in canaries)
        yield "machine", self.plan["machine_card"], self.machine_card
        yield "self_test", self.plan["self_test"], self.self_test

    def load(self) -> Results:
        return load_results(self.save())


def fail(record: dict[str, Any], status: str, message: str = "") -> None:
    """Turn a record into that of a run that ended so."""
    record.update(timing=None, probes=[], work=None, parity=None)
    raw = {**ENDING, "done": False, "exit_code": 1, "measured": False}
    if status in FAILURES:
        raw["failure"] = {"type": FAILURES[status], "message": message}
    elif status == "timeout":
        raw["timed_out_after_s"] = 60.0
    elif status == "killed":
        raw["exit_code"] = -9
    else:
        record["not_tried"] = {"needed_mib": 4096.0, "available_mib": 2048.0, "memory_of": "host"}
    record["ending"] = None if record["not_tried"] else raw
    record["status"], record["reason"] = ending.of_record(record)
    assert record["status"] == status


def unsupported(plan: dict[str, Any], column: str, reason: str) -> dict[str, Any]:
    """The plan with a framework's cells declared unsupported."""
    plan = copy.deepcopy(plan)
    for cell in plan["cells"]:
        if cell["column"] == column:
            cell.update(unsupported=reason, runs=[])
    return plan


def uneven(record: dict[str, Any]) -> None:
    """A change: runs scatter by 2 %, differently in every cell."""
    cell = record["cell"]
    seed = f"{cell['column']} {cell['task']} {cell['run']}"
    factor = math.exp(0.02 * random.Random(seed).gauss(0.0, 1.0))
    for block in record["timing"]["blocks"]:
        block["elapsed_ns"] = round(block["elapsed_ns"] * factor)
