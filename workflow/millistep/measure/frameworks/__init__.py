"""One small class per framework; this text and the protocol list its content.

A framework's module is imported only in the process that measures it. Its class ``Framework`` is
built with a :class:`Cell` and has the attributes of :class:`Framework`. It may also have

``declared``
    names of observed settings that are not read back, but taken from a setting or from
    the builder.
``restart_peak_device()``, ``peak_device_counts``
    the first restarts the peak of device memory; the second describes in words the counted memory.
``finite()``
    True if all trained weights are finite numbers.
``keeps_outputs()``
    True if it keeps the outputs of all steps until the loop ends.
``device_limit_mib()``
    most device memory that the framework may take, MiB; None if it does not report a limit.
``late_ns()``
    waits until the device is idle, independent of the synchronization's own list of work, and
    returns the ns that this took: 0 after a synchronization that has waited for everything.
``compile_cache()``
    the state of a compilation cache that is kept between processes, by the library's own counters:
    ``cold``, at least one miss; ``warm``, hits only, even if each process repeats other work; None,
    no cache.
``allocated_bytes()``
    the bytes that a step allocates, equal in every process; None if the library does not show them.
``attention_kernels``
    names of the fused attention kernels in a profile; set once the profile has ended.
``launches_graphs``
    True if XLA's programs launch CUDA graphs in a profile; set once the profile has ended.
"""

from __future__ import annotations

import importlib
import os
from dataclasses import dataclass
from typing import Any, Protocol

from millistep.measure.conformance import check_variables
from millistep.measure.models import Architecture, Tick
from millistep.measure.operations import Span


class WrongFramework(RuntimeError):
    """The environment holds another framework than the one that its column names."""


@dataclass(frozen=True)
class Cell:
    """The facts of a cell that a framework needs to measure it."""

    model: str
    task: str  # fit, predict, generate
    batch_size: int
    framework: str
    module: str  # of the framework's class, in this package
    accelerator: str  # cpu, cuda
    precision: str  # of float32 products: default, float32, tf32
    architecture: Architecture  # sizes of the model at this scale
    weights: str  # random, preset
    seed: int
    threads: int
    mode: str | None = None  # of torch.compile, if the framework takes it
    jit_compile: str | bool = "published"  # or auto, true, false; of Keras alone
    optimizer: str = "default"  # or foreach, fused; of native PyTorch alone
    cudnn_benchmark: bool = False  # of PyTorch, native and under Keras


class Clock(Protocol):
    """Counts the steps of a loop: a :class:`measure.timer.Timer`, or one that profiles."""

    @property
    def tick(self) -> Tick:
        """The function to call before each step; it returns True once there are enough."""

    def start(self) -> None:
        """Start the clock: call right before the public API is entered."""


class Framework(Protocol):
    """Drives a model's steps through a framework's public API."""

    cell: Cell
    models: Any  # the model's builder, see measure.models
    loop_outputs: Any  # arrays of a step of a custom loop
    probeable: bool  # True if another batch size costs little enough to be worth it
    profiler: str  # its name, and what it counts as computing

    def load(self) -> None:
        """Import framework and builder, apply the policies; may raise :class:`WrongFramework`."""

    def live_accelerator(self) -> tuple[str, str]:
        """Return the device that the library computes on now, see :mod:`measure.device`."""

    def force_precision(self, precision: str) -> None:
        """Have float32 products computed in ``float32`` or ``tf32``, by the library's switch."""

    def precision(self) -> dict[str, str]:
        """Precision that float32 products really have, see :mod:`measure.frameworks.precision`."""

    def build(self) -> None:
        """Build model, weights, optimizer and inputs; nothing is timed yet."""

    def run(self, timer: Clock) -> None:
        """Drive one task through the public API until the timer, ticked each step, has enough."""

    def run_at(self, batch_size: int, timer: Clock) -> None:
        """Run the same model at another batch size, as :meth:`run` does."""

    def legacy(self, steps: int, cap_s: float) -> tuple[float, int, str]:
        """Time ``steps`` steps by the original timing method: ``(ms per step, steps, words)``."""

    @property
    def compares(self) -> bool:
        """True if :meth:`compute` can run the task: not a custom loop."""

    def compute(self, batches: list[Any]) -> list[Any]:
        """Run the task once over different batches; return losses or outputs, on the host."""

    def fence(self) -> None:
        """Wait until every output and every updated variable is ready, then the device."""

    def compilations(self) -> int | None:
        """Return programs compiled or traced so far; None where nothing is compiled."""

    def begin_profile(self) -> None:
        """Start the framework's own profiler. A framework without one lacks this method."""

    def end_profile(self) -> list[Span]:
        """Stop the profiler, return all that computed; raises if the profile does not show it."""

    def work(self) -> dict[str, int]:
        """Return ``parameters`` and ``trainable_parameters`` of the live model."""

    def parity(self) -> dict[str, Any]:
        """Return the observed settings, read back from the live framework."""

    def peak_device_mib(self) -> float | None:
        """Most device memory in use so far, MiB; None if nothing is counted."""


def create(cell: Cell) -> Framework:
    """Create the framework of a cell: this imports our class, not yet the framework itself."""
    framework: Framework = importlib.import_module(f"{__name__}.{cell.module}").Framework(cell)
    return framework


def builder(cell: Cell, family: str) -> Any:
    """Import the module that builds a cell's model for one framework family, with its library.

    Raises :class:`measure.conformance.WrongSetting` if it changes environment variables.
    """
    before = dict(os.environ)
    module = importlib.import_module(f"millistep.measure.models.{cell.model}.{family}")
    check_variables(before, os.environ)
    return module
