"""One small class per framework, derived from :class:`Framework`.

A framework's module is imported only in the process that measures it. Its class ``Framework`` is
built with a :class:`Cell`.
"""

from __future__ import annotations

import importlib
import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from millistep.measure import models, switches
from millistep.measure.conformance import WrongPrecision, same_process
from millistep.measure.models import Architecture, Loop
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

    def start(self) -> None:
        """Start the clock: call right before the public API is entered."""

    def tick(self) -> bool:
        """Return True once there are enough steps: call before each step."""


class Framework(ABC):
    """Drives a model's steps through a framework's public API.

    Every framework has the abstract methods, and either run() or run_at(). All other members have
    defaults, or belong to something that a framework may lack: a probe, a profile, a comparison of
    results.
    """

    models: Any = None  # the builder of the model, see measure.models; None without one
    probeable: bool = False  # True if another batch size costs little enough to be worth it
    batches_per_tick: int = 1  # steps that the framework makes between two ticks
    # Runs a task without a custom loop once over different batches; returns losses or outputs, on
    # the host.
    compute: Callable[[list[Any]], list[Any]] | None = None
    # Times steps by the original timing method within a number of seconds; returns ms per step,
    # steps, and words about the method.
    legacy: Callable[[int, float], tuple[float, int, str]] | None = None
    loop_outputs: Any = None  # arrays of a step of a custom loop
    fed_batch: Any = None  # the builder's arrays that are repeated
    declared: Set[str] = frozenset()  # observed settings of a setting or the builder, not read back
    convolves = False  # True if a step has convolutions
    # The profiler's name, and what it counts as computing. None: the framework has no profiler.
    profiler: str = "none"
    begin_profile: Callable[[], None] | None = None
    end_profile: Callable[[], list[Span]]  # returns all that computed; raises if it is not shown
    # Known once a profile has ended: names of the fused attention kernels, and if XLA's programs
    # launched CUDA graphs.
    attention_kernels: list[str] | None = None
    launches_graphs = False
    peak_device_counts: str | None = None  # the counted memory, in words
    # Waits until the device is idle, independent of the synchronization's own list of work, and
    # returns the ns that this took: 0 after a synchronization that has waited for everything.
    late_ns: Callable[[], int] | None = None

    def __init__(self, cell: Cell) -> None:
        self.cell = cell
        self.loop_facts: dict[str, Any] = {}  # observed settings that a custom loop has returned

    @abstractmethod
    def load(self) -> None:
        """Import framework and builder, apply the policies; may raise :class:`WrongFramework`."""

    @abstractmethod
    def live_accelerator(self) -> tuple[str, str]:
        """Return the device that the library computes on now, see :mod:`measure.device`."""

    @abstractmethod
    def precision(self) -> dict[str, str]:
        """Precision that float32 products really have, see :mod:`measure.frameworks.products`."""

    @abstractmethod
    def build(self) -> None:
        """Build model, weights, optimizer and inputs; nothing is timed yet."""

    @abstractmethod
    def fence(self) -> None:
        """Wait until every output and every updated variable is ready, then the device."""

    @abstractmethod
    def compilations(self) -> int | None:
        """Return programs compiled or traced so far; None where nothing is compiled."""

    @abstractmethod
    def work(self) -> dict[str, int]:
        """Return ``parameters`` and ``trainable_parameters`` of the live model."""

    @abstractmethod
    def parity(self) -> dict[str, Any]:
        """Return the observed settings, read back from the live framework."""

    def run(self, timer: Clock) -> None:
        """Drive one task through the public API until the timer, ticked each step, has enough."""
        self.run_at(self.cell.batch_size, timer)

    def run_at(self, batch_size: int, timer: Clock) -> None:
        """Do the same at any batch size, as probes need it. Raises :class:`WrongFramework`."""
        raise WrongFramework(
            f"{self.cell.framework} has neither run(timer) nor run_at(batch_size, timer)"
        )

    def empty_steps(self, timer: Clock) -> None:
        """Drive the clock alone, as :meth:`run` does, until the timer has enough."""
        while not timer.tick():
            pass

    def force_precision(self, precision: str) -> None:
        """Have float32 products computed in ``float32`` or ``tf32``, by the library's switch."""
        raise WrongPrecision(
            f"precision: {precision}: {self.cell.framework} has no switch for it; use default"
        )

    def seed(self) -> None:
        """Seed Python and NumPy. Keras 3 draws its seeds from Python's generator, and its own
        function would import TensorFlow on every backend.
        """
        import numpy as np

        random.seed(self.cell.seed)
        np.random.seed(self.cell.seed)

    def batch(self, batch_size: int) -> Any:
        """Return the builder's batch, which may come from the seeded generators."""
        Framework.seed(self)
        return self.models.batch(self.cell, batch_size)

    def settings(self) -> dict[str, Any]:
        """Return settings of the configuration that the built model has, by name."""
        return {}

    def outputs(self) -> Any:
        """Return outputs of the model, to look at their shapes; None if there are none to show."""
        return None

    def keeps_outputs(self) -> bool:
        """Return True if the framework keeps the outputs of all steps until the loop ends."""
        return False

    def compile_cache(self) -> str | None:
        """Return the state of the compilation cache on disk, by the library's own counters:
        ``cold``, at least one miss; ``warm``, hits only; None, no cache.
        """
        return None

    def allocated_bytes(self) -> float | None:
        """Return the bytes that a step allocates, equal in every process; None if unknown."""
        return None

    def restart_peak_device(self) -> None:  # noqa: B027 (most have nothing to do)
        """Restart the peak of device memory."""

    def peak_device_mib(self) -> float | None:
        """Most device memory in use so far, MiB; None if nothing is counted."""
        return None

    def device_limit_mib(self) -> float | None:
        """Most device memory that the framework may take, MiB; None if it reports no limit."""
        return None

    def norms(self, number: int | None = None) -> list[float]:
        """Return the sum of the magnitudes in each trained weight; of a number of weights, of
        the smallest matrices, then of the smallest vectors.
        """
        return []

    @property
    def own_loop(self) -> Loop | None:
        """The builder's own loop of the task; None if the framework drives the steps."""
        loops: dict[str, Loop] = getattr(self.models, "LOOPS", {})
        return loops.get(self.cell.task)


def add_folders(folders: Iterable[str]) -> None:
    """Have models and frameworks found in a user's folders, too."""
    for folder in map(Path.absolute, map(Path, folders)):  # a model's code may change the folder
        models.__path__.append(str(folder / "models"))
        __path__.append(str(folder / "frameworks"))


def create(cell: Cell) -> Framework:
    """Create the framework of a cell: this imports our class, not yet the framework itself.

    A user's class that is not derived from :class:`Framework` has its defaults, too.
    """
    kind = importlib.import_module(f"{__name__}.{cell.module}").Framework
    if not issubclass(kind, Framework):
        kind = type(kind.__name__, (kind, Framework), {"__module__": kind.__module__})
    framework: Framework = kind(cell)
    return framework


def builder(cell: Cell, family: str) -> Any:
    """Import the module that builds a cell's model for one framework family, with its library.

    Raises :class:`measure.conformance.WrongSetting` if it changes environment variables or CPUs.
    """
    switches.remember()
    with same_process():
        return importlib.import_module(f"millistep.measure.models.{cell.model}.{family}")
