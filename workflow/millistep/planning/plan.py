"""The plan: every row, column, cell and run of the configuration."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterable
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any

from millistep.contracts.config import BatchSizes, RegressionCheck
from millistep.planning import catalog, columns, identity, runs, this_machine, unsupported
from millistep.planning.catalog import Model, frameworks, measures
from millistep.planning.columns import Column
from millistep.planning.config import ConfigError, check, check_known, check_word, results_folder
from millistep.planning.controls import Controls
from millistep.planning.document import document
from millistep.planning.environments import Environment, environments
from millistep.planning.identity import ENVS
from millistep.planning.runs import Group, Row, Run, groups, positions, record_path
from millistep.supervise import machine, variables
from millistep.supervise.device import Gpu, NoSuchDevice, chosen

WORKERS = 5  # Snakemake runs so many jobs at once in addition to --cores
PROCESS_MIB = 1024  # of host memory for a framework, in addition to the model
FACTOR = 3  # activations, compilation and copies, as multiples of weights, gradients and moments


class Plan:
    """The plan of a configuration; raises :class:`ConfigError` for what cannot be planned.

    here: whether it is measured on this machine; only then its GPU and driver matter. room: the
    number of jobs that Snakemake runs at once. envs: the folder of our environments' definitions.
    """

    def __init__(
        self,
        config: dict[str, Any],
        here: bool = True,
        room: int = sys.maxsize,
        envs: Path = ENVS,
    ):
        self.config = check(config)
        self.here, self.room = here, room
        self.results = results_folder(self.config)
        self.self_test = f"{self.results}/self_test.json"
        # Its keys are sorted, except where their order is the table's.
        self.config_json = json.dumps(dict(sorted(self.config.document().items())))
        answer = self.config.answer or RegressionCheck.model_validate({})
        self.regression_check = json.dumps(answer.model_dump())
        self._resolve()
        self._find_cells(envs)
        self._schedule()

    def _resolve(self) -> None:
        """Resolve ``auto``; refuse values that exclude each other."""
        for name in self.config.environment:
            if reason := variables.refusal(name):
                raise ConfigError(f"environment.{name}: not allowed, it {reason}")
        if not self.here:
            this_machine.check_independent(self.config, "it is measured on another")
        self.gpu = self._gpu() if self.here else None
        self.accelerator = str(self.config.accelerator)
        if self.accelerator == "auto":
            self.accelerator = "cuda" if self.gpu else "cpu"
        self.scale, self.scale_reason = this_machine.scale(self)
        if self.config.weights == "preset" and self.scale != "paper":
            raise ConfigError(
                f"weights: preset needs scale paper; allowed at {self.scale} is random"
            )
        self.threads = this_machine.threads(self.config.threads)
        if self.config.precision == "tf32" and self.accelerator == "cpu":
            raise ConfigError("precision: tf32 does not exist on cpu; allowed are default, float32")
        time_s, default_s = self.config.limits.time_s, this_machine.DEFAULT_TIME_LIMIT_S[self.scale]
        self.time_limit_s = default_s if time_s == "default" else time_s
        self._auto = {"scale": self.scale, "accelerator": self.accelerator, "threads": self.threads}

    def _find_cells(self, envs: Path) -> None:
        """Find columns and rows, and the cells of the two that can be measured."""
        self.models = catalog.Models(self.config.folders)
        self.frameworks = frameworks(self.config.folders)
        self.columns = columns.columns(self.config, self.frameworks, self._auto)
        self._environments = environments(self, envs)
        asked = self.config.models.items()
        self.rows = [row for name, tasks in asked if tasks for row in self._rows(name, tasks)]
        self.measured_models = [*dict.fromkeys(row.model for row in self.rows)]
        if not self.rows:
            raise ConfigError("models: nothing to measure; at least one task is needed")
        _check_titles("models", map(self.models.load, self.measured_models), "a model.yaml")
        _check_titles("columns", self.columns, "the title of a framework in its frameworks.yaml")
        self.measures = {
            row: measures(self.models.load(row.model), row.task, self.scale) for row in self.rows
        }
        # Columns that this machine cannot measure, with the reasons.
        self.barred = this_machine.barred(self)
        self.unsupported = unsupported.unsupported(self)
        cells = product(self.rows, self.columns)
        self.cells = [cell for cell in cells if cell not in self.unsupported]
        # Columns with at least one such cell.
        with_cells = {column for _, column in self.cells}
        self.measurable = [column for column in self.columns if column in with_cells]

    def _schedule(self) -> None:
        """Make the runs of all cells and the controls, and put them into groups."""
        self.runs_of = self._runs_of()
        self.runs = self._runs()
        self.records = sorted(run.record for run in self.runs)  # in the table's order
        self.by_cell: dict[tuple[Row, Column], list[Run]] = {}
        for run in self.runs:
            self.by_cell.setdefault((run.row, run.column), []).append(run)
        self.controls = Controls(self)
        self.accelerators = list(self.controls.references)  # cuda first
        timing = self.measurable or [each.column for each in self.controls.references.values()]
        self.environments = list(dict.fromkeys(map(self.environment_of, timing)))
        # By record, including the second runs of the self-test.
        self.timed = {run.record: run for run in (*self.runs, *self.controls.again)}
        folder = f"{self.results}/reference/{self.scale}"
        self.groups = groups(self.runs, self.controls.again, folder, self.config.seed)
        # By the files of their jobs, and by the file that marks a group's end.
        self.group_of = {path: each for each in self.groups for path in (*each.files, each.done)}
        jobs = [*self.group_of]
        # The known steps of the self-test follow the first round, whose groups come first: no
        # number waits for them.
        first = sum(group.number == 1 for group in self.group_of.values())
        jobs.insert(first, self.controls.known_steps.path)
        # Jobs start in this order.
        self.priorities = {path: len(jobs) - place for place, path in enumerate(jobs)}

    def _gpu(self) -> Gpu | None:
        """Return the GPU that is measured; None without one, or if only CPUs are measured."""
        asked = {getattr(entry, "accelerator", "auto") for entry in self.config.columns}
        if self.config.accelerator == "cpu" and "cuda" not in asked:
            return None
        try:
            return chosen(self.config.device)
        except ModuleNotFoundError:  # of the user's own Snakemake
            raise ConfigError(
                f"accelerator: {self.config.accelerator}: to look for GPUs, the Python of Snakemake"
                " needs the package nvidia-ml-py; install it, or set accelerator: cpu"
            ) from None
        except NoSuchDevice as problem:
            raise ConfigError(str(problem)) from None

    def _rows(self, name: str, tasks: dict[str, BatchSizes]) -> list[Row]:
        check_word("models", name)
        model = self.models.load(name)
        rows = []
        for task, asked in tasks.items():
            check_known(f"models.{name}", "task", task, model.tasks)
            sizes = model.tasks[task].batch_sizes(self.scale) if asked == "default" else asked
            # None: a second configuration file leaves the task out.
            sizes = [sizes] if isinstance(sizes, int) else sizes or []
            rows += [Row(name, task, size) for size in sizes]
        return rows

    def _runs_of(self) -> dict[Row, int]:
        default = this_machine.DEFAULT_RUNS[self.scale]
        if self.config.runs != runs.AUTO:
            return runs.runs_of_rows(self.config.runs, default, self.rows)
        of = {"scale": self.scale, "accelerator": self.accelerator}
        return runs.until_decided(default, self.rows, Path(self.results, "summary.json"), of)

    @property
    def notices(self) -> list[str]:
        """Lines for the user: columns that cannot be measured, and settings without effect."""
        found = []
        for reason in dict.fromkeys(self.barred.values()):
            names = (column.name for column, why in self.barred.items() if why == reason)
            found.append(f"{reason}: not measured are {', '.join(names)}")
        device = self.config.device
        if device != "auto" and self.here and "cuda" not in self.accelerators:
            found.append(f"device: {device} has no effect, because nothing is measured on a GPU")
        return found

    def _runs(self) -> list[Run]:
        folder = f"{self.results}/records/{self.scale}"
        by_name = {column.name: column for column in self.columns}
        facts: dict[Row, dict[str, dict[str, Any]]] = {row: {} for row in self.rows}
        for row, column in self.cells:
            facts[row][column.name] = identity.of_cell(self, row, column)
        drawn = positions(facts, self.runs_of, self.config.seed)
        found = []
        for (row, name, number), position in drawn.items():
            path = record_path(folder, row, by_name[name], number)
            own = identity.of_run(facts[row][name], number)
            found.append(Run(row, by_name[name], number, position, path, own))
        return found

    def resident(self, group: Group) -> int:
        """Return how many processes of a group are in memory at once."""
        return min(machine.residents(*self.at_once(group)), self.room)

    def at_once(self, group: Group) -> tuple[int, float]:
        """Return how many processes of a group may be in memory at once, and the MiB of the host
        that each needs if these limit the number, otherwise 0.

        On a GPU the number is 1 by default: JAX and TensorFlow reserve most of its memory for their
        process.
        """
        asked, processes = self.config.resident, len(group.runs)
        if asked != "auto":
            return min(processes, int(asked)), 0
        return (1, 0) if "cuda" in group.references else (processes, self._process_mib(group))

    def group_gib(self, group: Group) -> float:
        """Return the GiB that a group's resident processes take together, as a rough estimate."""
        return self.resident(group) * self._process_mib(group) / 1024

    @cached_property
    def most_resident(self) -> int:
        """The most processes that are in memory at once."""
        return max(map(self.resident, self.groups), default=1)

    @property
    def lacks_room(self) -> str | None:
        """One line if more processes could take turns than Snakemake runs jobs at once."""
        wanted = max((machine.residents(*self.at_once(group)) for group in self.groups), default=1)
        if wanted <= self.most_resident:
            return None
        return (
            f"{wanted} processes could take turns, and Snakemake has room for {self.room} jobs:"
            f" fewer frameworks are compared directly; use --cores {wanted - WORKERS}"
        )

    def _process_mib(self, group: Group) -> float:
        """Return the MiB of host memory of one process, as a rough estimate."""
        return FACTOR * self.least_memory_mib(group.row) + PROCESS_MIB

    def least_memory_mib(self, row: Row) -> float:
        """MiB of memory that a row's cells need at least; see the model."""
        return self.models.load(row.model).least_memory_mib(row.task, self.scale)

    def environment_of(self, column: Column) -> Environment:
        return self._environments[column.name]

    def resolved(self) -> dict[str, Any]:
        """Return the configuration with the values that `auto` has here."""
        return {**self.config.document(), **self._auto}

    @cached_property
    def sha256(self) -> str:
        return hashlib.sha256(json.dumps(self.document(), sort_keys=True).encode()).hexdigest()

    def document(self) -> dict[str, Any]:
        return document(self)


def _check_titles(where: str, named: Iterable[Model | Column], remedy: str) -> None:
    """Raise :class:`ConfigError` if two names have one title, so that tables mix them up.

    remedy: the place where a title can be changed.
    """
    names: dict[str, str] = {}
    for each in named:
        if (other := names.setdefault(each.title, each.name)) != each.name:
            raise ConfigError(
                f"{where}: {other} and {each.name} have one title, '{each.title}'; change {remedy}"
            )
