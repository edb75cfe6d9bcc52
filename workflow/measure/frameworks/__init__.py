"""One small class per framework; what each must offer is written here.

A framework's module is imported only in the process that measures it. Its
class ``Framework`` is built with a :class:`Cell` and offers:

``load()``
    import the framework and the model library, apply the thread policy, check
    that this really is the framework it says (raises :class:`WrongFramework`).
``live_accelerator()``
    where it computes by itself now, asked of the library, see :mod:`measure.live`.
``force_precision(precision)``
    have float32 products computed in ``float32`` or ``tf32``, by the framework's own switch.
``precision()``
    what they really are computed in, see :mod:`measure.frameworks.precision`.
``build()``
    model, weights, optimiser and inputs; nothing is timed yet.
``run(timer)``
    drive one task through the public API, ticking the timer before each step,
    until it has enough (:class:`measure.timer.Finished` may end a loop).
``run_at(batch_size, timer)``
    the same with the same model at another batch size; ``probeable`` is False
    where that costs too much to be worth it.
``legacy(steps, cap_s)``
    the published arithmetic over ``steps`` steps: ``(ms per step, steps, words)``.
``fence()``
    wait until every output and every updated variable is ready, then the device.
``compilations()``
    programs compiled or traced so far; None where nothing is compiled.
``begin_profile()``, ``end_profile()``
    the framework's own profiler; the latter returns ``(start ns, end ns)`` of all that computed.
    ``profiler``: its name, and what it counts as computing.
``work()``, ``parity()``, ``peak_device_mib()``
    facts for the record, read back from the live framework. ``declared``, if any: names of
    entries of the card that are not, but taken from a setting or from the builder's word.
    ``peak_device_counts``, ``restart_peak_device()``, ``device_limit_mib()``, if any: what the
    peak counts, in words; count it anew from here on; what the framework may take at most.
"""

import importlib
from dataclasses import dataclass


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
    architecture: dict  # sizes of the model at this scale
    weights: str  # random, preset
    seed: int
    threads: int
    mode: str | None = None  # of torch.compile, where the framework takes it
    jit_compile: str | bool = "auto"  # or true, false; of Keras alone


def create(cell: Cell):
    """The framework of a cell; imports our class, not yet the framework itself."""
    return importlib.import_module(f"{__name__}.{cell.module}").Framework(cell)


def builder(cell: Cell, family: str):
    """The module that builds a cell's model for one framework family."""
    return importlib.import_module(f"measure.models.{cell.model}.{family}")
