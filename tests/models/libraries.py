"""Shared by the tests of the models: cells, and tasks done in the environments of frameworks."""

import json
import os
import subprocess
from collections.abc import Hashable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from millistep.contracts.settings import DEFAULTS
from millistep.deploy.environments import virtual_interpreter, virtual_prefix
from millistep.deploy.virtual_environments import COMPLETE
from millistep.measure import models
from millistep.measure.frameworks import Cell
from millistep.planning.catalog import Models
from tests.nets import NETS
from tests.shared import ROOT, SMALL_NETS

models.__path__.append(f"{SMALL_NETS}/models")
MAIN = Path(__file__).parent / "programs" / "main.py"
STACK = DEFAULTS["stack"]  # today's
MODELS = Models([SMALL_NETS])
# By the folder of a model's builders, the program of its tasks.
PROGRAMS = {"bert": "network", "classifier": "network", "causal_lm": "causal_lm"}
PROGRAMS |= {"sam": "vision", "stable_diffusion": "vision"}
KERAS = [name for name, about in NETS.items() if about.family != "pytorch"]


def cell(model, framework, task, scale="smoke", batch_size=1, **changed):
    """A cell of a model at a scale; changed: fields of the cell, or sizes of the model."""
    about, known = NETS[framework], MODELS.load(model)
    names = (known.folder.name, task, batch_size, framework, about.module, "cpu", "default")
    own = {field.name: changed.pop(field.name) for field in fields(Cell) if field.name in changed}
    sizes = {**known.architecture[scale], **changed}
    return replace(Cell(*names, sizes, "random", seed=1, threads=1, **about.own), **own)


def definition_of(framework, stack=STACK):
    """The definition of a framework's environment for a processor."""
    return ROOT / "envs" / stack / "cpu" / f"{framework.environment}.yaml"


def interpreter_of(framework, stack=STACK):
    """The interpreter of a framework's environment, which is deployed if it is not there."""
    name = framework.environment
    return virtual_interpreter(name, definition_of(framework, stack), None, name)


def is_deployed(name, stack):
    """True if the environment of a column of an older stack, which no test deploys, is there."""
    framework = NETS[name]
    prefix = virtual_prefix(framework.environment, definition_of(framework, stack))
    return (prefix / COMPLETE).exists()


@dataclass(frozen=True)
class Task:
    """A function of a program, called with a cell; folder: with files that it reads and writes.

    after: the key of another task, which has written files that it reads.
    """

    program: str  # without the ending, which is the family of the cell's framework
    does: str
    cell: Cell
    folder: str | None = None
    stack: str = STACK
    after: Hashable = None

    @property
    def process(self) -> Hashable:
        """Key of the process: tasks with equal ones may share it, of one framework.

        KerasNLP has TensorFlow take NumPy's rules for all of a process, with which KerasCV fails.
        """
        of_kerascv = self.program == "vision" and self.cell.framework in KERAS
        return self.cell.framework, self.stack, of_kerascv


def task_of(does, one, *more):
    """A task on a cell, of the program for its model."""
    return Task(PROGRAMS[one.model], does, one, *more)


# Those of the files of tests that are collected, which share processes.
TASKS: dict[Hashable, Task] = {}


def register(tasks: Mapping[Hashable, Task]) -> None:
    assert not TASKS.keys() & tasks.keys()
    TASKS.update(tasks)


class Tasks:
    """Results of tasks, by their keys. A process takes seconds to import its framework: with the
    first task that is asked for, all that may share its process are done, one by one.
    """

    def __init__(self, tasks: Mapping[Hashable, Task], home: Path, **environ: str):
        self.home, self._tasks = home, tasks
        self._environ = {"KERAS_HOME": str(home), **environ}
        self._found: dict[Hashable, dict[str, Any]] = {}

    def __getitem__(self, key: Hashable) -> Any:
        found = self._result(key)
        assert "failed" not in found, found["failed"]
        return found["value"]

    def _result(self, key: Hashable) -> dict[str, Any]:
        if key not in self._found:
            process = self._tasks[key].process
            of = {k: task for k, task in self._tasks.items() if task.process == process}
            for before in {task.after for task in of.values()} - {None}:
                self._result(before)
            self._found |= zip(of, self._done([*of.values()]), strict=True)
        return self._found[key]

    def _done(self, tasks: list[Task]) -> list[dict[str, Any]]:
        framework = NETS[tasks[0].cell.framework]
        kind = "pytorch" if framework.family == "pytorch" else "keras"
        asked = [
            {
                "program": f"{task.program}_{kind}",
                "does": task.does,
                "cell": asdict(task.cell),
                "folder": task.folder and str(self.home / task.folder),
            }
            for task in tasks
        ]
        alone = {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "TF_CPP_MIN_LOG_LEVEL": "2"}
        interpreter = interpreter_of(framework, tasks[0].stack)
        done = subprocess.run(
            [interpreter, "-s", str(MAIN), str(ROOT / "workflow"), SMALL_NETS],
            input=json.dumps(asked),
            env={**os.environ, **alone, **self._environ},
            capture_output=True,
            text=True,
        )
        if done.returncode:
            return [{"failed": done.stderr[-3000:]}] * len(tasks)
        return json.loads(done.stdout.splitlines()[-1])


def run(program, cell, does, folder):
    """Do one task in a process of its own, and return its result."""
    return Tasks({None: Task(program, does, cell)}, folder)[None]
