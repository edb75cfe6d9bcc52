"""Checks that a run is about its row; where one fails, the run is an error, never a number."""

from __future__ import annotations

import contextlib
import math
import os
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from millistep.measure import models

if TYPE_CHECKING:  # frameworks import this module
    from millistep.measure.frameworks import Cell

Make = Callable[[int], Any]  # makes a batch of a size
WORK = ("flops_per_step", "tokens_per_step", "images_per_step")
TRAINER = ("fit", "predict")  # tasks that need no custom loop
SETTING_HINTS = {
    "jit_compile": "; in build(cell), pass **xla.options(cell, keras) to compile(), as "
    "docs/custom-model.md does",
    "threads": "; the model must not set the number of threads",
}
# Environment variables that change how fast libraries compute; they set others for themselves.
ACTED_ON = re.compile(
    r"(XLA|TF_XLA|TF_ENABLE|TF_NUM|TF_CUDNN|JAX|OMP|MKL|OPENBLAS|NUMEXPR|ONEDNN|DNNL|CUBLAS)_"
    r"|KMP_(?!DUPLICATE_LIB_OK|INIT_AT_FORK)|TF_DETERMINISTIC_OPS|ATEN_CPU_CAPABILITY"
    r"|CUDA_(VISIBLE_DEVICES|LAUNCH_BLOCKING)|NVIDIA_TF32|PYTORCH_(CUDA_)?ALLOC_CONF"
)


class WrongModel(RuntimeError):
    """The model that was built is not the declared one."""


def work_of_step(cell: Cell) -> dict[str, Any]:
    """Return the checked work of a step of a cell."""
    amount = models.work_of(cell).per_step(cell.task, cell.architecture, cell.batch_size)
    check_work(cell.model, amount)
    return amount


def check_work(model: str, amount: dict[str, Any]) -> None:
    """Raise :class:`WrongModel` unless a model's ``per_step`` returned what a record holds."""
    if not isinstance(amount, dict) or set(amount) != set(WORK):
        found = type(amount).__name__ if amount is not None else "nothing"
        if isinstance(amount, dict):
            found = ", ".join(map(str, amount)) or "an empty dict"
        raise WrongModel(
            f"work.py of {model}: per_step returned {found}; needed is a dict of {', '.join(WORK)}"
        )
    for name, value in amount.items():
        if hasattr(value, "item"):
            amount[name] = value = value.item()  # a number of NumPy's
        whole = isinstance(value, int) or (name == WORK[0] and isinstance(value, float))
        if value is not None and (not whole or not math.isfinite(value) or value < 0):
            kind = "a number" if name == WORK[0] else "a whole number"
            raise WrongModel(f"work.py of {model}: {name} is {value!r}; needed is {kind} or None")


def check_model(sizes: dict[str, Any], task: str, asked: dict[str, Any]) -> None:
    """Raise :class:`WrongModel` unless size and what is trained are as the request declares.

    The number of parameters may be declared as any library counts them.
    """
    parameters, trains = asked["parameters"], asked["trains"]
    trainable = sizes["trainable_parameters"]
    base = sizes["parameters"] - (trainable if trains == "adapters" else 0)
    averages, second = (sizes.get(name, 0) for name in ("moving_averages", "second_biases"))
    counts = {base, base + averages, base + second, base + averages + second}
    # Meta's SegmentAnything has 256 of 641 million fewer than KerasCV's.
    if all(abs(count - parameters) > parameters / 1000 for count in counts):
        hint = "; call it once in build(cell), so that it makes its weights" if not base else ""
        kind = " that are not trained" if trains == "adapters" else ""
        raise WrongModel(
            f"the model has {base:,} parameters{kind}, model.yaml declares {parameters:,} "
            f"(tasks.{task}.parameters.{asked['scale']}, or parameters of the variant)"
            f"{hint}"
        )
    if trains != "nothing" and not trainable:
        raise WrongModel(
            "nothing is trainable, or the optimizer updates no parameter of this model: fit would "
            "report a time for no training"
        )


def check_has(made: Any, function: str, kind: str, *needed: str) -> None:
    """Raise :class:`WrongModel` unless an object that a builder made has all needed attributes."""
    found = f"the class {made.__name__}" if isinstance(made, type) else f"a {type(made).__name__}"
    if isinstance(made, type) or not all(hasattr(made, name) for name in needed):
        raise WrongModel(f"{function} returned {found}; needed is {kind}")


def check_method(model: Any, task: str, keras: Any, version: str) -> None:
    """Raise :class:`WrongModel` unless Keras' own method drives the task of a model.

    keras: the module; version: its name and version.
    """
    if not isinstance(model, keras.Model):
        kind = type(model)
        raise WrongModel(
            f"build() returned a {kind.__module__}.{kind.__name__}; needed is a Model of {version}"
        )
    step = "train" if task == "fit" else task
    for name in (task, f"make_{step}_function"):
        owner = next(each for each in type(model).__mro__ if name in vars(each))
        if not owner.__module__.startswith(("keras", "tf_keras")):
            raise WrongModel(
                f"{owner.__name__} has a {name}() of its own, and Millistep needs that of "
                f"keras.Model: override {step}_step(), or write a custom loop"
            )


def check_loops(builder: Any, task: str) -> None:
    """Raise :class:`WrongModel` unless LOOPS has the loops that the builder needs and has."""
    loops = getattr(builder, "LOOPS", {})
    for name, each in vars(builder).items() if not loops else ():
        code = getattr(each, "__code__", None)
        if code and "tick" in code.co_varnames[: code.co_argcount]:
            raise WrongModel(f"{name}() is not used; write LOOPS = {{{task!r}: {name}}}")
    tasks = (*TRAINER, "generate")
    if not isinstance(loops, dict) or not all(map(callable, loops.values())):
        raise WrongModel(f"LOOPS is {loops!r}; needed is a dict, such as {{'fit': loop}}")
    if unknown := [str(name) for name in loops if name not in tasks]:
        raise WrongModel(
            f"LOOPS has a loop for {', '.join(unknown)}; the tasks are {', '.join(tasks)}"
        )
    if task not in (*TRAINER, *loops):
        raise WrongModel(f"{task} needs a custom loop: LOOPS = {{{task!r}: loop}} in the builder")


def check_output(made: Any) -> None:
    """Raise :class:`WrongModel` if a forward pass has only begun, and goes on when it is read."""
    for _, each in places(made):
        if isinstance(each, Iterator | Awaitable):
            raise WrongModel(
                f"the forward pass returned a {type(each).__name__}, which computes when it is "
                "read; needed are tensors"
            )


GOES_ON = "the loop continued after tick() had returned True; it must return then"


def check_end(clock: Any) -> None:
    """Raise :class:`WrongModel` if a task ended before its clock had enough steps."""
    if not clock.finished:
        raise WrongModel(
            "the steps ended before enough were timed: a custom loop must run until tick() returns "
            "True, and a model must not set stop_training"
        )


def check_unchanged(before: dict[str, int], now: dict[str, int]) -> None:
    """Raise :class:`WrongModel` if the steps changed the number of parameters."""
    for name in ("parameters", "trainable_parameters"):
        if before[name] != now[name]:
            raise WrongModel(
                f"the model had {before[name]:,} {name.replace('_', ' ')} before its steps and has "
                f"{now[name]:,} now; make all of them in build(cell)"
            )


def check_finite(framework: Any) -> None:
    """Raise :class:`WrongModel` if a training has made its weights infinite or NaN."""
    if framework.cell.task == "fit" and not all(map(math.isfinite, framework.norms())):
        raise WrongModel("a weight is not finite after the steps: the training diverges")


# Trained weights that show if a training changes any. In 16 bits, small updates are lost in scales,
# which are near 1, and not in matrices, which have numbers near 0.
FEW = 16


def norms(framework: Any) -> list[float]:
    """Return norms of weights that the steps must change; without any in a custom loop."""
    trains = framework.cell.task == "fit" and not framework.own_loop
    return framework.norms(FEW) if trains else []


def check_trained(framework: Any, before: list[float]) -> None:
    """Raise :class:`WrongModel` if the steps of a training have changed no weight."""
    if before and norms(framework) == before:
        raise WrongModel(
            "the steps changed no trained weight: train_step() must apply the gradients, with a "
            "learning rate above 0"
        )


def check_inputs(framework: Any) -> None:
    """Raise :class:`WrongModel` if the fed batch is not the one that is made again."""
    import numpy as np

    if (fed := framework.fed_batch) is None:
        return
    again = framework.batch(framework.cell.batch_size)
    for (name, one), (_, other) in zip(places(fed), places(again), strict=False):
        if np.shape(one) != np.shape(other) or not np.all((one == other) | (one != one)):
            raise WrongModel(
                f"{name} differs when it is made again: seed its random numbers by cell.seed, and "
                "change no input in place"
            )


class WrongSetting(RuntimeError):
    """The built model does not have a setting of the configuration."""


def check_settings(asked: Any, live: dict[str, Any]) -> None:
    """Raise :class:`WrongSetting` unless the built model has the settings of its column.

    asked: settings by attribute. live: those that the built model has, by name.
    """
    for name, found in live.items():
        wanted = getattr(asked, name)
        if wanted not in ("published", "auto", "default") and found != wanted:
            hint = SETTING_HINTS.get(name, "")
            raise WrongSetting(
                f"{name}: {_word(wanted)} was requested, the built model has {_word(found)}{hint}"
            )


def check_variables(before: Mapping[str, str], now: Mapping[str, str]) -> None:
    """Raise :class:`WrongSetting` if a builder changed variables that libraries act on."""
    changed = {name for name in {*before, *now} if before.get(name) != now.get(name)}
    if acted_on := sorted(filter(ACTED_ON.match, changed)):
        raise WrongSetting(
            f"the builder sets {', '.join(acted_on)}; use threads, device or environment of the "
            "configuration, which the report shows"
        )


# With one of these, a library binds threads to CPUs as the configuration wants it.
BINDING = ("OMP_PROC_BIND", "OMP_PLACES", "KMP_AFFINITY", "GOMP_CPU_AFFINITY")


@contextlib.contextmanager
def same_process() -> Iterator[None]:
    """Raise :class:`WrongSetting` if a builder changes variables or CPUs of the process."""
    variables, cpus = dict(os.environ), _cpus()
    yield
    check_variables(variables, os.environ)
    if _cpus() != cpus and not any(name in os.environ for name in BINDING):
        raise WrongSetting(
            f"the builder confines the process to {len(_cpus())} CPUs instead of {len(cpus)}; use "
            "threads of the configuration"
        )


def _cpus() -> set[int]:
    return os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


class WrongDevice(RuntimeError):
    """The framework computes on another kind of device than the requested one."""


def check_device(asked: str, live: Callable[[], tuple[str, str]]) -> None:
    """Raise :class:`WrongDevice` unless the library computes on the requested device.

    live: returns where it computes, see :mod:`measure.device`; may raise if there is no device.
    """
    try:
        found, library = live()
    except Exception as error:
        words = next(iter(str(error).splitlines()), "")
        raise WrongDevice(f"{asked} was requested: {type(error).__name__}: {words}") from error
    if found != asked:
        raise WrongDevice(f"{asked} was requested, {library} computes on {found}")


class WrongPrecision(RuntimeError):
    """Float32 products are not computed in the precision of the configuration."""


def check_precision(asked: str, used: dict[str, Any]) -> None:
    for kind, found in used.items():
        if found != asked:
            raise WrongPrecision(f"precision {asked} was requested, {kind} is {found}")


def check_batch(batch: Any, make: Make, batch_size: int, texts: bool = False) -> None:
    """Raise :class:`WrongModel` unless a batch has NumPy arrays, and samples of this number.

    The samples may be on any axis, and the batch must change with their number. texts: True if the
    arrays may hold texts, which only TensorFlow has tensors of.
    """
    import numpy as np

    for name, leaf in places(batch):
        if not isinstance(leaf, np.ndarray):
            raise WrongModel(f"{name} is a {type(leaf).__name__}; needed is a NumPy array")
        if leaf.dtype.kind in "OSU" and not texts:
            raise WrongModel(f"{name} holds texts or objects; needed are numbers")
    check_size(batch, make, batch_size)


def check_size(batch: Any, make: Make, batch_size: int) -> None:
    """Raise :class:`WrongModel` if a batch of one sample more has the same shapes."""
    try:
        more = make(batch_size + 1)
    except Exception:  # it has no more samples
        return
    found, others = (
        [leaf.shape for _, leaf in places(each) if hasattr(leaf, "shape")] for each in (batch, more)
    )
    if found and found == others:
        raise WrongModel(
            f"batch() makes the same shapes for batch sizes {batch_size} and {batch_size + 1} "
            f"({', '.join(map(str, found))}); needed are as many samples as its second argument"
        )


def places(batch: Any, name: str = "batch()") -> Iterator[tuple[str, Any]]:
    """Yield what is in the dicts, tuples and lists of a batch, with the place."""
    if isinstance(batch, dict):
        for key, each in batch.items():
            yield from places(each, f"{name}[{key!r}]")
    elif isinstance(batch, tuple | list):
        for index, each in enumerate(batch):
            yield from places(each, f"{name}[{index}]")
    else:
        yield name, batch
