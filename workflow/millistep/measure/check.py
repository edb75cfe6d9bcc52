"""Tries a model out on one framework: builds it, makes two steps of each task, records nothing.

A problem does not end it, so that all problems are found at once. Run by `millistep check-model`.
"""

import copy
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

from millistep.measure import conformance, frameworks
from millistep.measure.frameworks.loops import Ticks
from millistep.measure.observed import parity
from millistep.measure.process import Events, failure, run
from millistep.measure.timer import Finished

OBSERVED = "dtype execution compiler optimizer optimizer_update declared attention global_switches"
STEPS = 2
MORE_STEPS = 30  # where gradients are accumulated, or the learning rate grows from 0


class Trial:
    """One task of a model on a framework: what was found, and the problems."""

    def __init__(self, framework: frameworks.Framework, asked: dict[str, Any]) -> None:
        self.framework, self.asked = framework, asked
        self.found: dict[str, Any] = {"task": asked["cell"]["task"]}
        self.problems: list[dict[str, str]] = []

    def run(self) -> None:
        with self._part():
            with conformance.same_process():
                self.framework.build()
            with self._part():
                self.found["parameters"] = self.framework.work()
            with self._part():
                self.found["inputs"] = self._inputs()
            self._check()
            with self._part():
                self._steps()
                with suppress(Exception):  # some layers cannot be called with symbols
                    self.found["outputs"] = _texts(self.framework.outputs())
                card = parity(self.framework, {"images_per_step": None})
                self.found |= {name: card.get(name) for name in OBSERVED.split()}

    def _check(self) -> None:
        cell = self.framework.cell
        with self._part():
            self.found["flops"] = conformance.work_of_step(cell)["flops_per_step"]
        with self._part():
            conformance.check_model(self.framework.work(), cell.task, self.asked)
        with self._part():
            conformance.check_settings(cell, self.framework.settings())

    def _steps(self) -> None:
        before = conformance.norms(self.framework)
        for steps in (STEPS, MORE_STEPS):
            ticks = Ticks(steps)
            with suppress(Finished):
                self.framework.run(ticks)
            conformance.check_end(ticks)
            self.framework.fence()
            if conformance.norms(self.framework) != before or not before:
                break
        with self._part():
            conformance.check_trained(self.framework, before)
        with self._part():
            conformance.check_inputs(self.framework)
        with self._part():
            conformance.check_settings(self.framework.cell, self.framework.settings())
        with self._part():
            conformance.check_finite(self.framework)
        if "parameters" in self.found:
            with self._part():
                conformance.check_unchanged(self.found["parameters"], self.framework.work())
        self.found["batches_per_call"] = self.framework.batches_per_tick

    def _inputs(self) -> Any:
        cell, builder = self.framework.cell, self.framework.models
        if not hasattr(builder, "batch") or self.framework.own_loop:
            return None
        batch = builder.batch(cell, cell.batch_size)
        with self._part():
            conformance.check_size(batch, partial(builder.batch, cell), cell.batch_size)
        return _texts(batch)

    @contextmanager
    def _part(self) -> Iterator[None]:
        """Turn what fails here into a problem."""
        try:
            yield
        except Exception as error:
            traceback.print_exc()
            if (problem := failure(error)) not in self.problems:
                self.problems.append(problem)


def _texts(structure: Any) -> Any:
    """Return a structure of arrays as texts, with keys that JSON takes."""
    if isinstance(structure, dict):
        return {str(key): _texts(each) for key, each in structure.items()}
    if isinstance(structure, tuple | list):
        return [_texts(each) for each in structure]
    return _text(structure)


def _text(array: Any) -> str:
    """Return '(8, 16) float32'."""
    if array is None:
        return "none"
    shape = tuple(getattr(array, "shape", ()))
    dtype = getattr(array, "dtype", type(array).__name__)
    dtype = getattr(dtype, "name", None) or str(dtype).rpartition(".")[2]
    return f"{tuple(None if n is None else int(n) for n in shape)} {dtype}"


def check(request: dict[str, Any], events: Events) -> None:
    """Try each task of the request, and report what was found after each."""
    frameworks.add_folders(request["folders"])
    cells = [frameworks.Cell(**task["cell"]) for task in request["tasks"]]
    loaded = frameworks.create(cells[0])
    loaded.load()
    conformance.check_device(cells[0].accelerator, loaded.live_accelerator)
    results = []
    for cell, asked in zip(cells, request["tasks"], strict=True):
        framework = copy.copy(loaded)
        framework.cell = cell
        framework.declared = set(framework.declared)
        trial = Trial(framework, asked)
        trial.run()
        results.append({**trial.found, "problems": trial.problems})
        events.send("checked", results=results)


def main() -> None:
    run(check)
