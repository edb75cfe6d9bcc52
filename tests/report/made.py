"""Small result sets for tests of topics, caveats, claims and the page: a plan and its records."""

from collections.abc import Callable
from typing import Any

from millistep.analysis.frames import Data
from millistep.analysis.load import _chunk
from millistep.analysis.published import published, sources

TITLES = {
    "keras2-tensorflow": "Keras 2 (TensorFlow)",
    "keras3-tensorflow": "Keras 3 (TensorFlow)",
    "keras3-jax": "Keras 3 (JAX)",
    "keras3-torch": "Keras 3 (PyTorch)",
    "pytorch-eager": "PyTorch (eager)",
    "pytorch-compiled": "PyTorch (compiled)",
}
AGAINST = {
    "keras3-tensorflow": {"keras2-tensorflow": "What does Keras 3 change on TensorFlow?"},
    "pytorch-compiled": {"pytorch-eager": "What does compiling change?"},
}
SETTINGS = {"accelerator": "cpu", "stack": "2026-11", "precision": "default"}
SETTINGS |= {"overlay": [], "again": False}
NOISE = (0.99, 1.0, 1.01, 1.004, 0.996)  # of the runs of a cell, in turn

Times = dict[tuple[str, str, int], dict[str, float | None]]


def configuration(name: str, **settings: Any) -> dict[str, Any]:
    """Return a configuration as a plan has it, named by its framework and settings."""
    framework = name.partition("+")[0]
    own = {**SETTINGS, **settings}
    words = [name if value is True else str(value) for name, value in settings.items()]
    return {
        "name": name, "title": ", ".join([TITLES[framework], *words]), "framework": framework,
        "family": framework.partition("-")[0], "settings": own,
        "against": AGAINST.get(framework, {}), "color": "#555555", "marker": "o",
    }  # fmt: skip


def record(cell: dict[str, Any], step_ms: float) -> dict[str, Any]:
    """Return the record of a successful run on a quiet CPU."""
    window = {"steps": 10, "elapsed_ns": round(step_ms * 1e7), "start_ns": 0}
    return {
        "schema": "millistep.record/1", "cell": cell, "status": "ok", "reason": "",
        "started_at": "2026-11-28T01:00:00Z", "probes": [], "host_overhead": None,
        "timing": {"windows": [window], "import_s": 2.0, "build_s": 1.0, "first_step_s": 0.5,
                   "warmup_s": 0.0, "warmup_steps": 0, "compile_cache": None, "in_turns": 6,
                   "start_alone": True},
        "parity": {"framework_version": cell["framework"], "dtype": "float32", "execution": "jit"},
        "work": {"parameters": 1000, "trainable_parameters": 1000, "flops_per_step": 1e9,
                 "tokens_per_step": None, "images_per_step": None},
        "machine": {"id": "aa", "cpu": "AMD EPYC", "cores": 8, "memory_mib": 65536, "os": "Linux",
                    "accelerator_name": None, "accelerator_memory_mib": None},
        "environment": {"method": "venv", "python": "3.11.7", "packages": {}, "variables": {}},
        "threads": {"requested": 8, "policy": "one per core"},
        "session": {"id": f"s{cell['run']}"},
        "load": {"foreign_cpu_share": 0.0, "swapped_mib": 0.0},
    }  # fmt: skip


def fail(record: dict[str, Any]) -> None:
    """Let a run have ended for lack of memory."""
    record.update(status="oom", reason="memory ran out", timing=None)


def probe(record: dict[str, Any], share: float) -> None:
    """Let a batch of 8 take this share of the time of the run's own."""
    (window,) = record["timing"]["windows"]
    elapsed_ns = round(share * window["elapsed_ns"])
    record["probes"] = [
        {"batch_size": 8, "max_length": None, "new_tokens": None, "steps": 10,
         "elapsed_ns": elapsed_ns, "windows": [], "failed": None}
    ]  # fmt: skip


def profile(
    step_ms: float, operations: dict[str, float], slowed: float = 1.0, rest_ms: float = 0.0
) -> dict[str, Any]:
    """Return a profile with ms of operations per step as it was under the profiler."""
    about = {"share": 0.0, "method": "m", "steps": 4, "rest_ms": rest_ms, "rest_launched": 1}
    return about | {
        "step_ms": step_ms * slowed,
        "operations": [
            {"name": name, "ms": ms * slowed, "count": 1.0, "launched": 1.0}
            for name, ms in operations.items()
        ],
        "pairs": [{"plain_ms": step_ms, "profiled_ms": step_ms * slowed}],
    }


def made(
    times: Times,
    runs: int = 3,
    columns: list[dict[str, Any]] | None = None,
    change: Callable[[dict[str, Any]], Any] = lambda record: None,
    self_test: dict[str, Any] | None = None,
    **plan: Any,
) -> Data:
    """Return a result set with the ms/step of each cell; a cell without a time is unsupported.

    `change` may alter each record.
    """
    names = dict.fromkeys(name for of_cells in times.values() for name in of_cells)
    columns = columns or [configuration(name) for name in names]
    frameworks = {column["name"]: column["framework"] for column in columns}
    models = {model: {"title": model, "citation": "", "architecture": {}} for model, *_ in times}
    records: list[dict[str, Any]] = []
    cells = []
    for (model, task, batch_size), of_cells in times.items():
        for name, ms in of_cells.items():
            key = {"model": model, "task": task, "batch_size": batch_size, "column": name}
            lines = []
            for run in range(1, runs + 1) if ms else ():
                path = f"results/records/{model}/{task}-b{batch_size}/{name}/run{run}.json"
                settings = next(c["settings"] for c in columns if c["name"] == name)
                cell = {**key, "run": run, "framework": frameworks[name]}
                cell |= {"scale": "laptop", "accelerator": settings["accelerator"]}
                # Columns differ in the order of their noise, so that ratios vary between rounds.
                place = run + sum(map(ord, model + task + name))
                found = record(cell, ms * NOISE[place % len(NOISE)])
                change(found)
                records.append(found | key | {"run": run, "configuration": name, "path": path})
                lines.append({"run": run, "position": 0, "record": path, "identity": "{}"})
            reason = None if ms else "the library refuses to build it"
            cells.append({**key, "unsupported": reason, "runs": lines})
    rows = [
        {"model": m, "task": t, "batch_size": b, "title": f"{m} {t}"} | {"looks": 0}
        for m, t, b in times
    ]
    content = {
        **{"schema": "millistep.plan/1", "study": None, "results": "results", "scale": "laptop"},
        **{"accelerator": "cpu", "weights": "random", "seed": 1, "runs": runs, "folders": []},
        **{"precision": "default", "models": models, "rows": rows, "columns": columns},
        **{"cells": cells, "references": [], "self_test": "results/self_test.json"},
        **plan,
    }
    return Data(content, _chunk(records), references=[], machines=[], self_test=self_test)


def as_published(runs: int = 5, **plan: Any) -> Data:
    """Return the published table as a run at paper scale, every run within about 1 %."""
    compared = sources()["compared"]
    table = published()
    table = table[table["revision"] == table["family"].map(compared)]
    times: Times = {}
    for line in table.itertuples():
        key = (line.model, line.task, line.batch_size)
        times.setdefault(key, {})[line.framework] = None if line.ms != line.ms else line.ms
    order = [*TITLES]
    times = {key: {name: of[name] for name in order if name in of} for key, of in times.items()}
    titles = {name: entry["title"] for name, entry in sources()["models"].items()}
    data = made(times, runs, scale="paper", weights="preset", accelerator="cuda", **plan)
    for name, model in data.plan["models"].items():
        model["title"] = titles[name]
    for row in data.plan["rows"]:
        row["title"] = f"{titles[row['model']]} {row['task']}"
    return data
