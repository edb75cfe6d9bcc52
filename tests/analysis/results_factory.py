"""Makes records that pass the schema, and projects of them; a test changes what it is about."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from control_factory import (
    NODE,
    accelerators_of,
    make_blocks,
    make_canary,
    make_machine_card,
    make_self_test,
    session_of,
)
from plan_factory import (
    BERT_ROWS,
    FRAMEWORKS,
    identity,
    make_column,
    make_plan,
    moment,
    step_ms,
    unsupported,
)
from record_changes import ENDING, fail, uneven

from analysis.data import Data
from analysis.formats.errors import InputError
from analysis.formats.strict_json import validate
from analysis.results.loading import load_results
from analysis.results.results import Results

# What tests import from here, whichever file makes it up.
__all__ = ["BERT_ROWS", "FRAMEWORKS", "Project", "fail", "identity", "make_canary", "make_column"]
__all__ += ["make_plan", "make_record", "moment", "step_ms", "uneven", "unsupported"]

Change = Callable[[dict[str, Any]], None]


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
        "session": session_of((cell["model"], cell["task"], cell["batch_size"]), number),
        "load": {"before": 0.1, "after": 1.0, "foreign_cpu_share": 0.01, "swapped_mib": 0.0},
        "timing": {
            "import_s": 5.0,
            "build_s": 2.0,
            "first_step_s": 3.0,
            "compile_cache": None,
            "import_tensorflow_s": None,
            "warmup_steps": 3,
            "warmup_s": 0.2,
            "blocks": [{"steps": 10, "elapsed_ns": 10 * step_ns} for _ in range(10)],
            "stop": "steps",
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


class Project:
    """A project folder with a plan and all that was measured; files are written by `save`.

    `machine_card` (of the first node), `machine_cards` and `self_test` hold None where a file is to
    be missing. The sessions of the records lie between `canaries`: entry k is before those of round
    k + 1 and after those of round k, None where it was not measured; `canaries_on` are those of
    each accelerator, `canaries` those of the first. `ended` says of sessions that were not done how
    they ended.
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
            kind: [make_canary(self.plan, index) for index in range(self.plan["runs"] + 1)]
            for kind in accelerators_of(self.plan)
        }
        self.ended: dict[str, str] = {}
        self.machine_cards = {NODE: make_machine_card(self.plan)}
        self.self_test = make_self_test(self.plan)

    @property
    def canaries(self) -> list[dict[str, Any] | None]:
        return next(iter(self.canaries_on.values()))

    @canaries.setter
    def canaries(self, canaries: list[dict[str, Any] | None]) -> None:
        self.canaries_on[next(iter(self.canaries_on))] = canaries

    @property
    def machine_card(self) -> dict[str, Any] | None:
        return self.machine_cards[NODE]

    @machine_card.setter
    def machine_card(self, card: dict[str, Any] | None) -> None:
        self.machine_cards[NODE] = card

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
        blocks = make_blocks(self.plan, self.records, self.canaries_on, self.ended)
        yield from (("block", path, block) for path, block in blocks.items())
        for node, card in self.machine_cards.items():
            yield "machine", f"results/machines/{node}.json", card
        yield "self_test", self.plan["self_test"], self.self_test

    def load(self) -> Results:
        return load_results(self.save())

    def data(self, *reference: Any) -> Data:
        return Data(self.load(), *reference)

    def refused(self, path: str, text: str | bytes, instead_of: str = "") -> str:
        """The one line that refuses the files, one of which holds this text, or holds it instead
        of another.
        """
        plan, file = self.save(), self.folder / path
        if instead_of:
            before = file.read_text()
            assert instead_of in before
            text = before.replace(instead_of, text)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        try:
            load_results(plan)
        except InputError as error:
            (line,) = error.lines
            return line
        raise AssertionError("it was not refused")


HOSTILE = "<script>alert(1)</script> | 50 % of \\input{x} $a$ _b_ & `c` [d](e)\x1b[31m\n# f"


def hostile_project(folder: Path) -> Project:
    """A project whose texts try to be markup."""
    plan = unsupported(make_plan(), "keras2-tensorflow", HOSTILE)
    for row in plan["rows"]:
        row["title"] += " <b>|%$"
    project = Project(folder, plan)
    project.fail("error", HOSTILE, column="keras3-jax")
    return project
