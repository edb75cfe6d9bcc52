"""Makes plans that pass the schema; a test changes only what it is about."""

from __future__ import annotations

import copy
import json
from datetime import UTC, datetime, timedelta
from typing import Any

from analysis.formats.strict_json import validate

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


# What the words behind a framework's name set, as in keras3-jax+float32.
WORDS = {
    **{word: {"accelerator": word} for word in ("cpu", "cuda")},
    **{word: {"precision": word} for word in ("float32", "tf32")},
    **{word: {"mode": word} for word in ("default", "max-autotune")},
    **{word: {"stack": word} for word in ("2024-03", "2025-01")},
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
        "schema": "millistep.plan/4",
        "study": None,
        "results": "results",
        "scale": "laptop",
        "scale_reason": "auto: no accelerator was found.",
        "accelerator": "cpu",
        "weights": "random",
        "seed": 7,
        "runs": runs,
        "precision": "default",
        "blocks": [
            {
                "model": model,
                "task": task,
                "batch_size": batch,
                "round": number,
                "path": f"results/blocks/laptop/{model}/{task}-b{batch}/round{number}.json",
            }
            for number in range(1, runs + 1)
            for model, task, batch, _ in rows
        ],
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
    own = {"jit_compile": "published"} if framework.startswith("keras") else {}
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


def step_ms(column: str) -> float:
    """Of a column; each of its settings costs a tenth."""
    framework, *words = column.split("+")
    return STEP_MS[framework] * 1.1 ** len(words)


def moment(minutes: int, seconds: int = 0) -> str:
    """The run at position n starts n minutes after the first."""
    start = datetime(2026, 11, 20, 10, tzinfo=UTC)
    return (start + timedelta(minutes=minutes, seconds=seconds)).isoformat()


def unsupported(plan: dict[str, Any], column: str, reason: str) -> dict[str, Any]:
    """The plan with a framework's cells declared unsupported."""
    plan = copy.deepcopy(plan)
    for cell in plan["cells"]:
        if cell["column"] == column:
            cell.update(unsupported=reason, runs=[])
    return plan
