"""One small class per framework; what each must offer is written here.

A framework's module is imported only in the process that measures it. Its class ``Framework`` is
built with a :class:`Cell` and is a :class:`Framework` by what it offers. It may also have

``declared``
    names of entries of the card that are not read back, but taken from a setting or from the
    builder's word.
``restart_peak_device()``, ``peak_device_counts``
    counts the peak of device memory anew from here on; what that counts, in words.
``device_limit_mib()``
    what the framework may take of the device at most; None where it says nothing.
``late_ns()``
    waits for all that is still being computed, found without what the fence knows of the steps, and
    returns the ns that took: 0 after a fence that waited for everything.
``compile_cache()``
    whether what was compiled so far came from a cache that is kept between processes, as its own
    counters tell: ``cold``, something was compiled; ``warm``, nothing was; None, nothing is kept.
``import_tensorflow_s``
    of its import, seconds that TensorFlow's took, which is not what it computes with.
``attention_kernels``
    after a profile: names of the fused kernels of attention that it has seen.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any, Protocol

from measure.models import Architecture, Tick
from measure.operations import Span


class WrongFramework(RuntimeError):
    """The environment holds another framework than the column it is measured for."""


@dataclass(frozen=True)
class Cell:
    """What a framework needs to know of the cell it measures."""

    model: str
    task: str  # fit, predict, generate
    batch_size: int
    framework: str
    module: str  # of its class, in this package
    accelerator: str  # cpu, cuda
    precision: str  # of float32 products: default, float32, tf32
    architecture: Architecture  # sizes of the model at this scale
    weights: str  # random, preset
    seed: int
    threads: int
    mode: str | None = None  # of torch.compile, where the framework takes it
    jit_compile: str | bool = "published"  # or auto, true, false; of Keras alone
    optimizer: str = "default"  # or foreach, fused; of native PyTorch alone
    cudnn_benchmark: bool = False  # of PyTorch, native and under Keras
    way: str = "framework"  # in which the model's operation is written, see measure.native


class Clock(Protocol):
    """What a loop tells of its steps: a :class:`measure.timer.Timer`, or one that profiles."""

    @property
    def tick(self) -> Tick:
        """Before each step. True: enough."""

    def start(self) -> None:
        """Right before the public API is entered."""


class Framework(Protocol):
    """What drives a model's steps through a framework's public API."""

    cell: Cell
    models: Any  # the model's builder, see measure.models
    probeable: bool  # whether another batch size costs little enough to be worth it
    profiler: str  # its name, and what it counts as computing

    def load(self) -> None:
        """Import the framework and the model's builder, apply the thread policy, check that this
        really is the framework it says; raises :class:`WrongFramework`.
        """

    def live_accelerator(self) -> tuple[str, str]:
        """Where it computes by itself now, asked of the library, see :mod:`measure.live`."""

    def force_precision(self, precision: str) -> None:
        """Have float32 products computed in ``float32`` or ``tf32``, by its own switch."""

    def precision(self) -> dict[str, str]:
        """What they really are computed in, see :mod:`measure.frameworks.precision`."""

    def build(self) -> None:
        """Model, weights, optimiser and inputs; nothing is timed yet."""

    def run(self, timer: Clock) -> None:
        """Drive one task through the public API, ticking the timer before each step, until it has
        enough (:class:`measure.timer.Finished` may end a loop).
        """

    def run_at(self, batch_size: int, timer: Clock) -> None:
        """The same with the same model at another batch size."""

    def legacy(self, steps: int, cap_s: float) -> tuple[float, int, str]:
        """The published arithmetic over ``steps`` steps: ``(ms per step, steps, words)``."""

    def fence(self) -> None:
        """Wait until every output and every updated variable is ready, then the device."""

    def compilations(self) -> int | None:
        """Programs compiled or traced so far; None where nothing is compiled."""

    def begin_profile(self) -> None:
        """Start the framework's own profiler."""

    def end_profile(self) -> list[Span]:
        """Stop it: all that computed, see :mod:`measure.operations`; raises where the profiler does
        not tell.
        """

    def begin_training(self) -> None:
        """Give the model the weights that a training begins with; this and the next two are asked
        where a training to its end is, see :mod:`measure.training`.
        """

    def train_epoch(self, images: Any, classes: Any) -> None:
        """One pass over the images in their order, in batches of the cell's size."""

    def probabilities(self, images: Any) -> Any:
        """Of the classes of each image, float32 of (images, classes)."""

    def work(self) -> dict[str, int]:
        """``parameters`` and ``trainable_parameters`` of the live model."""

    def parity(self) -> dict[str, Any]:
        """The parity card's facts, read back from the live framework."""

    def peak_device_mib(self) -> float | None:
        """Most device memory so far; None where nothing is counted."""


def create(cell: Cell) -> Framework:
    """The framework of a cell; imports our class, not yet the framework itself."""
    return importlib.import_module(f"{__name__}.{cell.module}").Framework(cell)


def builder(cell: Cell, family: str) -> Any:
    """The module that builds a cell's model for one framework family, and its library with it."""
    return importlib.import_module(f"measure.models.{cell.model}.{family}")
