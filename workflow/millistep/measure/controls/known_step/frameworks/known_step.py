"""A framework whose step lasts a known time on the clock that all processes share."""

import platform
import time
from typing import Any

from millistep.measure import frameworks
from millistep.measure.frameworks import Cell, Clock


class Framework(frameworks.Framework):
    """Waits in a busy loop: a sleep would end only when the system finds the time."""

    def __init__(self, cell: Cell) -> None:
        super().__init__(cell)
        self._step_ns = round(1e6 * cell.architecture["step_ms"])

    def load(self) -> None:
        """Do nothing: there is nothing to import."""

    def live_accelerator(self) -> tuple[str, str]:
        return "cpu", "a busy wait"

    def build(self) -> None:
        """Do nothing: there is nothing to build."""

    def run(self, timer: Clock) -> None:
        timer.start()
        while not timer.tick():
            self._step()

    def fence(self) -> None:
        """Do nothing: a step is over when it returns."""

    def compilations(self) -> int | None:
        return 0

    def work(self) -> dict[str, int]:
        return {"parameters": 1, "trainable_parameters": 0}

    def precision(self) -> dict[str, str]:
        return {"matmul_precision": "none"}

    def parity(self) -> dict[str, Any]:
        return {
            "framework_version": f"Python {platform.python_version()}",
            "backend": "none",
            "dtype": "none",
            "execution": "eager",
            "compiler": "none",
            "attention": "none",
            "optimizer": None,
            "device": "cpu",
            "threads": 1,
            "flush_denormals": None,
        }

    def _step(self) -> None:
        end = time.perf_counter_ns() + self._step_ns
        while time.perf_counter_ns() < end:
            pass
