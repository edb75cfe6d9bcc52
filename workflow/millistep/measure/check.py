"""Tries a model out on one framework: builds it, makes two steps of each task, records nothing.

A problem does not end it, so that all problems are found at once. Run by `millistep check-model`.
"""

import copy
import traceback
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from millistep.measure import conformance, frameworks
from millistep.measure.frameworks.loops import Ticks
from millistep.measure.observed import parity
from millistep.measure.process import Events, failure, run

OBSERVED = "dtype execution compiler optimizer optimizer_update declared attention global_switches"
STEPS = 2
MORE_STEPS = 30  # where gradients are accumulated, or the learning rate grows from 0


class Trial:
    """One task of a model on a loaded framework: what was found, and the problems."""

    def __init__(
        self, loaded: frameworks.Framework, cell: frameworks.Cell, asked: dict[str, Any]
    ) -> None:
        self.framework, self.asked = copy.copy(loaded), asked
        self.framework.cell, self.framework.declared = cell, set(loaded.declared)
        self.found: dict[str, Any] = {"task": cell.task}
        self.problems: list[dict[str, str]] = []

    def run(self) -> None:
        self._tried(self._run)

    def _run(self) -> None:
        framework, cell, tried = self.framework, self.framework.cell, self._tried
        with conformance.same_process():
            framework.build()
        if sizes := tried(framework.work):
            self.found["parameters"] = sizes
        self.found["inputs"] = tried(self._inputs)
        tried(conformance.work_of_step, cell)
        if sizes:
            tried(conformance.check_model, sizes, cell.task, self.asked)
        tried(lambda: conformance.check_settings(cell, framework.settings()))
        self._steps(sizes)
        with suppress(Exception):  # some layers cannot be called with symbols
            self.found["outputs"] = _texts(framework.outputs())
        card = parity(framework, {"images_per_step": None})
        self.found |= {name: card.get(name) for name in OBSERVED.split()}

    def _steps(self, sizes: Any) -> None:
        framework, tried = self.framework, self._tried
        before = conformance.norms(framework)
        for steps in (STEPS, MORE_STEPS):
            ticks = Ticks(steps)
            framework.run(ticks)
            conformance.check_end(ticks)
            framework.fence()
            if conformance.norms(framework) != before or not before:
                break
        tried(conformance.check_trained, framework, before)
        tried(conformance.check_inputs, framework)
        tried(lambda: conformance.check_settings(framework.cell, framework.settings()))
        tried(conformance.check_finite, framework)
        if sizes:
            tried(lambda: conformance.check_unchanged(sizes, framework.work()))
        self.found["batches_per_call"] = framework.batches_per_tick

    def _inputs(self) -> Any:
        cell, builder = self.framework.cell, self.framework.models
        if not hasattr(builder, "batch") or self.framework.own_loop:
            return None
        batch = builder.batch(cell, cell.batch_size)
        self._tried(conformance.check_size, batch, partial(builder.batch, cell), cell.batch_size)
        return _texts(batch)

    def _tried(self, part: Callable[..., Any], *arguments: Any) -> Any:
        """Return the result of a part; turn its failure into a problem, and return None."""
        try:
            return part(*arguments)
        except Exception as error:
            traceback.print_exc()
            if (problem := failure(error)) not in self.problems:
                self.problems.append(problem)


def _texts(structure: Any) -> Any:
    """Return a structure of arrays as texts, like '(8, 16) float32', with keys that JSON takes."""
    if isinstance(structure, dict):
        return {str(key): _texts(each) for key, each in structure.items()}
    if isinstance(structure, tuple | list):
        return [_texts(each) for each in structure]
    if structure is None:
        return "none"
    shape = tuple(getattr(structure, "shape", ()))
    dtype = getattr(structure, "dtype", type(structure).__name__)
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
        trial = Trial(loaded, cell, asked)
        trial.run()
        results.append({**trial.found, "problems": trial.problems})
        events.send("checked", results=results)


def main() -> None:
    run(check)
