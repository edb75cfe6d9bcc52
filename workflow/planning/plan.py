"""The plan: every row, cell and run that the configuration asks for."""

import hashlib
import json
import shlex
from functools import cache, cached_property
from pathlib import Path

from environments import post_deploy
from measure import machine, processors, variables
from measure.device import Gpu, NoSuchDevice, chosen
from planning import drivers, models, resolve, schedule, sources
from planning.cells import Environment, Row, Run, record_path
from planning.checks import Checks
from planning.config import ConfigError, check
from planning.frameworks import FRAMEWORKS, Framework

WORKFLOW = Path(__file__).parent.parent
MEASURE = WORKFLOW / "measure"
# What runs beside a step may disturb it.
CORE = (MEASURE / "child.py", MEASURE / "parent.py", MEASURE / "sampler.py")


class Plan:
    """Built from a configuration; raises :class:`ConfigError` for what cannot be planned.

    environment_sha256: digest of a definition file, given its path. here: whether it is
    measured on this machine, whose GPU and driver then matter.
    """

    machine_card = "results/machine.json"
    self_test = "results/self_test.json"

    def __init__(self, config: dict, environment_sha256, envs: Path, here: bool = True):
        self.config = check(config)
        self._environment_sha256 = cache(environment_sha256)
        self._envs = envs
        self._check_environment()
        self.gpu = self._gpu(here)
        self._driver = self.gpu.driver if self.gpu and here else None
        self.accelerator = resolve.accelerator(self.config["accelerator"], self.gpu)
        self.machine_id = machine.card_with(self.gpu)["id"]
        self.scale, self.scale_reason = resolve.scale(
            self.config["scale"], self.accelerator, self.gpu
        )
        runs = self.config["runs"]
        self.runs_per_cell = resolve.DEFAULT_RUNS[self.scale] if runs == "default" else runs
        self.threads = resolve.threads(self.config["threads"])
        if self.config["precision"] == "tf32" and self.accelerator == "cpu":
            raise ConfigError("precision: tf32 does not exist on cpu; allowed are default, float32")
        limits = {"time_s": "default", "memory_gib": "auto", **self.config["limits"]}
        self.time_limit_s = limits["time_s"]
        if self.time_limit_s == "default":
            self.time_limit_s = resolve.DEFAULT_TIME_LIMIT_S[self.scale]
        self.memory_limit_mib = resolve.memory_limit_mib(limits["memory_gib"])
        self.frameworks = self._frameworks()
        self.models = models.Models(self.config["folders"])
        self.measured_models = [name for name, tasks in self.config["models"].items() if tasks]
        self.rows = [row for name in self.measured_models for row in self._rows(name)]
        if not self.rows:
            raise ConfigError("models: nothing to measure; at least one task is needed")
        self.unsupported = self._unsupported()

    def check_processors(self) -> None:
        """Raise :class:`ConfigError` where this machine cannot measure the plan."""
        here = len(processors.available())
        if self.threads > here:
            raise ConfigError(f"threads: {self.threads} is more than the {here} processors here")

    def _gpu(self, here: bool) -> Gpu | None:
        """The one that is measured, None where there is none or the processors are."""
        if self.config["accelerator"] == "cpu":
            return None
        try:
            return chosen(self.config["device"])
        except NoSuchDevice as problem:
            if here:
                raise ConfigError(str(problem)) from None
            return None

    def _check_environment(self) -> None:
        for name in self.config["environment"]:
            if reason := variables.refusal(name):
                raise ConfigError(f"environment.{name}: not allowed, it {reason}")

    def _frameworks(self) -> list[Framework]:
        allowed = ", ".join(FRAMEWORKS)
        for key in ("frameworks", "interpreters"):
            for name in self.config[key]:
                if name not in FRAMEWORKS:
                    raise ConfigError(f"{key}: unknown framework '{name}'; allowed are {allowed}")
        return [FRAMEWORKS[name] for name in self.config["frameworks"]]

    def _rows(self, name: str) -> list[Row]:
        model = self.models.load(name)
        rows = []
        for task, sizes in self.config["models"][name].items():
            if task not in model.tasks:
                allowed = ", ".join(model.tasks)
                raise ConfigError(f"models.{name}: unknown task '{task}'; allowed are {allowed}")
            if sizes is None:
                continue  # left out by a second configuration file
            if sizes == "default":
                sizes = model.tasks[task][self.scale]
            sizes = [sizes] if isinstance(sizes, int) else sizes
            rows += [Row(name, task, size) for size in sizes]
        return rows

    def _unsupported(self) -> dict[tuple[Row, str], str]:
        entries = [dict(entry) for entry in self.config["unsupported"]]
        for entry in entries:
            self.models.load(entry["model"])
            if entry["framework"] not in FRAMEWORKS:
                raise ConfigError(
                    f"unsupported: unknown framework '{entry['framework']}'; "
                    f"allowed are {', '.join(FRAMEWORKS)}"
                )
        for name in self.measured_models:
            entries += [{**entry, "model": name} for entry in self.models.load(name).unsupported]
        barred = {
            (row, framework.name): reason
            for framework, reason in self.too_old_driver.items()
            for row in self.rows
        }
        return barred | {
            (row, entry["framework"]): entry["reason"]
            for entry in reversed(entries)
            for row in self.rows
            if row.model == entry["model"] and row.task == entry.get("task", row.task)
        }

    @cached_property
    def too_old_driver(self) -> dict[Framework, str]:
        """Columns whose CUDA the driver here cannot run, and why; empty where nobody knows."""
        found = {}
        for framework in self.frameworks if self._driver else []:
            environment = self.environment_of(framework)
            lock = post_deploy(environment.definition)
            needed = None if environment.interpreter else drivers.oldest_driver(lock)
            if needed and drivers.is_older(self._driver, needed):
                cuda = "{}.{}".format(*drivers.cuda_version(lock))
                found[framework] = (
                    f"the NVIDIA driver is {self._driver}, CUDA {cuda} needs {needed} or newer"
                )
        return found

    @cached_property
    def measurable(self) -> list[Framework]:
        """Columns with at least one cell that can be measured."""
        barred = set(self.unsupported)
        return [f for f in self.frameworks if {(row, f.name) for row in self.rows} - barred]

    @property
    def notices(self) -> list[str]:
        """What a user should know before anything is measured, a line each."""
        columns_by_reason: dict[str, list[str]] = {}
        for framework, reason in self.too_old_driver.items():
            columns_by_reason.setdefault(reason, []).append(framework.name)
        return [
            f"{reason}: not measured are {', '.join(names)}"
            for reason, names in columns_by_reason.items()
        ]

    @cached_property
    def runs(self) -> list[Run]:
        """All runs in the order in which they are measured."""
        supported = {
            row: [f.name for f in self.frameworks if (row, f.name) not in self.unsupported]
            for row in self.rows
        }
        order = schedule.positions(
            self.rows, supported.__getitem__, self.runs_per_cell, self.config["seed"]
        )
        return [
            Run(
                row,
                framework,
                number,
                position,
                record_path(f"results/records/{self.scale}", row, framework, number),
                self.identity(row, FRAMEWORKS[framework], number),
            )
            for (row, framework, number), position in order.items()
        ]

    @property
    def device(self) -> str | int | None:
        """Which GPU, as the configuration has it; None on the processors."""
        return self.config["device"] if self.accelerator == "cuda" else None

    @cached_property
    def by_record(self) -> dict[str, Run]:
        """Runs by the path of their record."""
        return {run.record: run for run in self.runs}

    @cached_property
    def checks(self) -> Checks:
        """Canaries and self-test."""
        return Checks(self, WORKFLOW, CORE)

    @cached_property
    def identities(self) -> dict[str, str]:
        """What defines the content of each timed file, by its path."""
        return {run.record: run.identity for run in self.runs} | self.checks.identities

    @cached_property
    def _places(self) -> dict[str, int]:
        return {path: place for place, path in enumerate(self.checks.order)}

    def priority(self, path: str) -> int:
        """Of the job that makes a timed file: what is to be timed first has the highest."""
        return len(self._places) - self._places[path]

    def least_memory_mib(self, row: Row) -> float:
        """What a row's cells need at least; see the model."""
        return self.models.load(row.model).least_memory_mib(row.task, self.scale)

    @property
    def folder_options(self) -> str:
        """The user's folders of models, for the command that measures."""
        return " ".join(f"--folder {shlex.quote(folder)}" for folder in self.config["folders"])

    @property
    def records(self) -> list[str]:
        """Paths of all records, in the table's order rather than the schedule's."""
        return sorted(self.by_record)

    @cached_property
    def environments(self) -> list[Environment]:
        """Those that this plan measures in, each once."""
        needed = [*self.measurable, self.checks.framework]
        return list(dict.fromkeys(self.environment_of(f) for f in self.frameworks if f in needed))

    def environment_of(self, framework: Framework) -> Environment:
        """The locked environment of a framework, or the user's own interpreter."""
        own = self.config["interpreters"].get(framework.name)
        return Environment(
            name=framework.name if own else framework.environment,
            definition=self.definition(framework.environment),
            definition_sha256=self._environment_sha256(self.definition(framework.environment)),
            interpreter=own,
        )

    @cached_property
    def sha256(self) -> str:
        """Digest of the whole plan."""
        return hashlib.sha256(json.dumps(self.document(), sort_keys=True).encode()).hexdigest()

    def definition(self, environment: str) -> Path:
        """The yaml of an environment for this accelerator."""
        return self._envs / self.accelerator / f"{environment}.yaml"

    def identity(self, row: Row, framework: Framework, number: int) -> str:
        """Everything that defines the number of one run, as sorted-keys JSON."""
        model = self.models.load(row.model)
        return json.dumps(
            {
                "accelerator": self.accelerator,
                "architecture": model.architecture[self.scale],
                "batch_size": row.batch_size,
                "device": self.device,
                "environment": self._environment_sha256(self.definition(framework.environment)),
                "framework": framework.name,
                "interpreter": self.config["interpreters"].get(framework.name),
                "least_memory_mib": self.least_memory_mib(row),
                "model": row.model,
                "parameters": model.tasks[row.task]["parameters"][self.scale],
                "precision": self.config["precision"],
                "probes": _probes(model, row, self.scale, number),
                "run": number,
                "scale": self.scale,
                "seed": self.config["seed"] + number - 1,
                "sources": _sources(model.folder, framework),
                "task": row.task,
                "threads": self.threads,
                "trains": model.tasks[row.task]["trains"],
                "variables": self.config["environment"],
                "weights": self.config["weights"],
            },
            sort_keys=True,
        )

    def document(self) -> dict:
        """The plan for the analysis side, ``schemas/plan.schema.json``."""
        runs: dict[tuple[Row, str], list[Run]] = {}
        for run in self.runs:
            runs.setdefault((run.row, run.framework), []).append(run)
        return {
            "schema": "millistep.plan/2",
            "scale": self.scale,
            "scale_reason": self.scale_reason,
            "accelerator": self.accelerator,
            "weights": self.config["weights"],
            "seed": self.config["seed"],
            "runs": self.runs_per_cell,
            "precision": self.config["precision"],
            "canaries": [canary.path for canary in self.checks.canaries],
            "machine_card": self.machine_card,
            "self_test": self.self_test,
            "models": {name: self._model(name) for name in self.measured_models},
            "rows": [self._row(row) for row in self.rows],
            "frameworks": [
                {"name": f.name, "title": f.title, "family": f.family} for f in self.frameworks
            ],
            "cells": [
                {
                    "model": row.model,
                    "task": row.task,
                    "batch_size": row.batch_size,
                    "framework": framework.name,
                    "unsupported": self.unsupported.get((row, framework.name)),
                    "runs": [
                        {
                            "run": run.number,
                            "position": run.position,
                            "record": run.record,
                            "identity": run.identity,
                        }
                        for run in runs.get((row, framework.name), [])
                    ],
                }
                for row in self.rows
                for framework in self.frameworks
            ],
        }

    def _model(self, name: str) -> dict:
        model = self.models.load(name)
        return {
            "title": model.title,
            "citation": model.citation,
            "preset": model.preset,
            "architecture": model.architecture[self.scale],
        }

    def _row(self, row: Row) -> dict:
        """A row, and the published batch size that stands at its place in the list of sizes."""
        model = self.models.load(row.model)
        of_task = [r.batch_size for r in self.rows if (r.model, r.task) == (row.model, row.task)]
        published = model.tasks[row.task]["published"]
        place = of_task.index(row.batch_size)
        return {
            "model": row.model,
            "task": row.task,
            "batch_size": row.batch_size,
            "title": f"{model.title} {row.task}",
            "published_batch_size": published[place] if place < len(published) else None,
        }


@cache
def _sources(model: Path, framework: Framework) -> str:
    """Digest of the measuring sources that cells of a model's folder and a framework use."""
    return sources.digest(
        WORKFLOW,
        (
            *CORE,
            MEASURE / "frameworks" / f"{framework.module}.py",
            model / f"{framework.family}.py",
            model / "work.py",
        ),
    )


def _probes(model: models.Model, row: Row, scale: str, number: int) -> list[dict]:
    """What else is timed in a run, without another start: half and twice the batch, other lengths.

    The batches tell whether a step is work or fixed cost, for which one run is enough. The
    lengths tell what share of a step is padding, whose interval is over runs: each has them.
    """
    sizes = [row.batch_size // 2, 2 * row.batch_size] if number == 1 else []
    batches = [{"batch_size": size} for size in sizes if size]
    return batches + model.tasks[row.task].get("probes", {}).get(scale, [])
