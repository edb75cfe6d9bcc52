"""The column without a framework: one operation on the processor, in the column's way."""

import os
import platform
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import numpy as np

from measure.frameworks import Cell, Clock, builder, feeding, loops
from measure.frameworks.denormals import flushed
from measure.models import Tick
from measure.native import build, host_ways


class NoProfiler(RuntimeError):
    """No profiler tells which part of a step computes and which is overhead."""


class Framework:
    """Calls the operation once a step, which is over when the call returns."""

    family = "host"
    probeable = True
    profiler = "none"
    way: host_ways.Way

    def __init__(self, cell: Cell) -> None:
        self.cell = cell
        self._operands: dict[int, tuple[Any, ...]] = {}
        self._result: Any = None  # of the last step

    def load(self) -> None:
        self.models = builder(self.cell, self.family)
        host_ways.module(self.cell)

    def live_accelerator(self) -> tuple[str, str]:
        return "cpu", f"Python {platform.python_version()}"

    def force_precision(self, precision: str) -> None:
        """Nothing to force: no matrix product is computed."""

    def precision(self) -> dict[str, str]:
        return {}

    def build(self) -> None:
        self.way = host_ways.way(self.cell)
        self._operand(self.cell.batch_size)

    def run(self, timer: Clock) -> None:
        self.run_at(self.cell.batch_size, timer)

    def run_at(self, batch_size: int, timer: Clock) -> None:
        loop = self._loop(batch_size)
        timer.start()
        loop(timer.tick)

    def legacy(self, steps: int, cap_s: float) -> tuple[float, int, str]:
        return loops.legacy(self._loop(self.cell.batch_size), steps, cap_s)

    def fence(self) -> None:
        """A call returns when its result is there."""

    def compilations(self) -> int | None:
        return self.way.programs() if self.way.programs else None

    def begin_profile(self) -> None:
        raise NoProfiler("a step is one call, of which no profiler tells what computes")

    def work(self) -> dict[str, int]:
        return {"parameters": 0, "trainable_parameters": 0}

    def parity(self) -> dict[str, Any]:
        package = self.way.package
        return {
            "framework_version": ", ".join(
                [f"Python {platform.python_version()}", *([_named(package)] if package else [])]
            ),
            "backend": "host",
            "dtype": str(self._result.dtype),
            "matmul_precision": "none",
            "attention": "none",
            "optimizer": None,
            "device": "cpu",
            "threads": self.way.threads(),
            "flush_denormals": flushed(lambda x: x * np.float32(0.5)),
            **self._execution(),
            **self._feeding(),
        }

    def peak_device_mib(self) -> float | None:
        return None

    def _loop(self, batch_size: int) -> Callable[[Tick], None]:
        call, operand = self.way.call, self._operand(batch_size)

        def loop(tick: Tick) -> None:
            while not tick():
                self._result = call(*operand)

        return loop

    def _operand(self, batch_size: int) -> tuple[Any, ...]:
        if batch_size not in self._operands:
            self._operands[batch_size] = self.models.operand(self.cell, batch_size)
        return self._operands[batch_size]

    def _execution(self) -> dict[str, str]:
        if self.way.programs:
            return {"execution": "jit", "compiler": str(self.way.package)}
        built = build.found()
        return {"execution": "eager", "compiler": built.compiler if built else "none"}

    def _feeding(self) -> dict[str, Any]:
        operand = self._operand(self.cell.batch_size)
        files = [each for each in operand if isinstance(each, str)]
        if files:
            return {"feeding": "a file", "fed_bytes_per_step": sum(map(os.path.getsize, files))}
        return feeding.facts(self.cell.accelerator, "arrays", operand)


def _named(package: str) -> str:
    return f"{package} {version(package)}"
