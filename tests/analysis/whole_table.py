"""The whole published table as a project, with the noise, probes and failures of a real run."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from record_changes import EAGER, profile
from results_factory import FRAMEWORKS, Project, make_plan, step_ms

ROWS = (
    ("sam", "fit", 1, 1),
    ("sam", "predict", 4, 4),
    ("stable_diffusion", "fit", 8, 8),
    ("stable_diffusion", "predict", 13, 13),
    ("bert", "fit", 32, 32),
    ("bert", "predict", 256, 256),
    ("gemma", "fit", 8, 8),
    ("gemma", "generate", 32, 32),
    ("gemma", "generate", 1, 1),
    ("mistral", "fit", 8, 8),
    ("mistral", "generate", 32, 32),
)
MAX_LENGTH, NEW_TOKENS = 50, 44
PROFILED = 3  # runs of a cell
COMPILED = {"ynn_fusion(add, dot) in dense": (0.55, 24), "fusion(add, tanh) in dense": (0.15, 40)}
COMPILED |= {"fusion(reduce, rsqrt) in layer_norm": (0.08, 5), "copy": (0.05, 9)}
COMPILED |= {"multiply(add, sqrt) in adamw": (0.06, 30), "gather in embedding": (0.03, 1)}
PROBED = ((14, 20), (44, 100), (44, 200))  # new tokens and length
PACKAGES = {f"package-{number:03d}": f"1.{number}.0" for number in range(100)}


def whole_table(folder: Path, runs: int = 5, rows=ROWS, columns=tuple(FRAMEWORKS)) -> Project:
    """A project of all cells; every run has a speed of its own, every block noise."""
    plan = make_plan(runs=runs, rows=rows, columns=columns)
    for model in plan["models"].values():
        model["architecture"]["max_length"] = MAX_LENGTH
    project = Project(folder, plan)
    noise = random.Random(0)
    places = {row[:3]: place for place, row in enumerate(rows)}
    for record in project.records.values():
        cell = record["cell"]
        place = places[cell["model"], cell["task"], cell["batch_size"]]
        _measure(record, step_ms(cell["column"]) * 1.4 ** (place % 12), noise)
    project.fail("oom", "killed by signal 9: 15,950 of 16,000 MiB in use", **_CELL_OOM)
    project.fail("timeout", **_CELL_TIMEOUT)
    return project


_CELL_OOM = {"column": "pytorch-eager", "task": "generate"}
_CELL_TIMEOUT = {"column": "keras3-torch", "task": "predict", "run": 2}


def _measure(record: dict[str, Any], mean_ms: float, noise: random.Random) -> None:
    cell = record["cell"]
    run_ms = mean_ms * noise.gauss(1, 0.006)
    timing = record["timing"]
    timing["blocks"] = [
        {"steps": 10, "elapsed_ns": round(1e7 * run_ms * noise.gauss(1, 0.01))} for _ in range(10)
    ]
    timing["synchronised_ns"] = [
        round(1e6 * (run_ms + 0.3) * noise.gauss(1, 0.02)) for _ in range(20)
    ]
    timing["legacy"]["step_ms"] = run_ms * noise.gauss(1.01, 0.02)
    compiled = FRAMEWORKS[cell["framework"]][2] != "eager"
    timing["first_step_s"] = run_ms / 1e3 + (noise.uniform(5, 20) if compiled else 0.2)
    record["environment"]["packages"].update(PACKAGES)
    record["work"]["flops_per_step"] = 2e7 * mean_ms  # a fifth of what the canaries reach
    if cell["run"] <= PROFILED:
        idle = 0.04 if compiled else 0.1
        slower = noise.gauss(1.1, 0.02)
        record["host_overhead"] = profile(run_ms, idle, slower, COMPILED if compiled else EAGER)
    record["work"]["tokens_per_step"] = 128 * cell["batch_size"]
    record["memory"]["peak_rss_mib"] = 900 + 40 * noise.random() + 20 * mean_ms**0.5
    if cell["column"] == "pytorch-compiled":
        record["warnings"] = ["UserWarning: TensorFloat32 tensor cores available but not enabled."]
    record["probes"] = [
        _probe(cell["batch_size"] * 2, None, None, run_ms * noise.gauss(1.9, 0.02)),
        _probe(max(1, cell["batch_size"] // 2), None, None, run_ms * noise.gauss(0.55, 0.02)),
    ]
    if cell["task"] == "generate":
        record["work"]["tokens_per_step"] = cell["batch_size"] * NEW_TOKENS
        record["probes"] = [
            _probe(
                cell["batch_size"],
                length,
                cell["batch_size"] * new_tokens,
                run_ms * new_tokens / NEW_TOKENS * (0.9 + 0.1 * length / MAX_LENGTH),
            )
            for new_tokens, length in PROBED
        ]


def _probe(batch_size: int, max_length: int | None, new_tokens: int | None, step_ms: float):
    return {
        "batch_size": batch_size,
        "max_length": max_length,
        "new_tokens": new_tokens,
        "steps": 10,
        "elapsed_ns": round(1e7 * step_ms),
        "failed": None,
    }
