"""One folder per model; this text lists the content of its modules.

``model.yaml`` describes the model (``contracts/model.py``), ``work.py`` counts the work of a
step, ``keras2.py``, ``keras3.py`` and ``pytorch.py`` build the model for each family of frameworks.
A folder may have a ``model.yaml`` alone, which names the folder whose modules build that model.
A builder imports its library at its top: it is itself imported only in the process that measures,
by the framework, once that has prepared its backend. A builder has

``build(cell)``
    the cell's model with seeded weights; a Keras model is also ``compile()``d. In native PyTorch,
    the output of the model has a ``loss`` for ``fit``.
``batch(cell, batch_size)``
    arguments of a step, as NumPy arrays: a tuple of inputs and targets for Keras' trainer, a dict
    of keyword arguments of the forward pass for PyTorch. A builder with loops alone needs none.
``optimizer(model)``
    of a native builder: an optimizer of the trained parameters.

A builder may also have

``LOOPS``
    by task, a :data:`Loop` for a task that no trainer drives: generation, diffusion.
``compile(model, cell, mode)``
    of a native builder: what ``torch.compile`` is given, where that is not the whole model.
``attention(model)``
    the attention that the built model really takes, an observed setting; without it there is none.
``library()``
    of a native builder: names and versions of what the model comes from, for the observed settings;
    without it these are PyTorch's own layers.
``facts(model, cell)``
    observed settings that no framework can read, from the built model or from the input of a step.
``BY_TRAINER``
    true if the published benchmark timed the model with the Trainer of Transformers.
"""

from __future__ import annotations

import importlib
import math
import traceback
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from millistep.measure.frameworks import Cell

Architecture = dict[str, Any]  # sizes of a model at one scale
Tick = Callable[[], bool]  # called before each step; True: enough
# (model, cell, batch size, tick): makes steps until the tick returns True; may return facts for
# the observed settings.
Loop = Callable[[Any, "Cell", int, Tick], dict[str, Any] | None]

READ_BACK = {
    *("framework_version", "backend", "dtype", "execution", "compiler", "device", "threads"),
    *("optimizer", "metrics", "fed_bytes_per_step", "feeding", "flush_denormals", "attention"),
}


def facts(builder: Any, model: Any, cell: Cell) -> dict[str, Any]:
    """Return the builder's own observed settings, if it has any."""
    found = _tried(builder, "facts", model, cell)
    return plain(found, "facts()") if isinstance(found, dict) else {}


def plain(found: dict[str, Any], source: str) -> dict[str, Any]:
    """Return the observed settings that a record can hold and Millistep does not read back itself;
    warn about the others.
    """
    settings: dict[str, Any] = {}
    for name, value in found.items():
        if name in READ_BACK:
            warnings.warn(f"{source}: {name} is read back; choose another name", stacklevel=2)
            continue
        if getattr(value, "shape", None) == () and hasattr(value, "item"):
            value = value.item()  # a number of NumPy's or of a framework's
        if isinstance(value, float) and not math.isfinite(value):
            value = str(value)  # JSON has no such number
        if value is None or isinstance(value, str | int | float):
            settings[str(name)] = value
        else:
            words = f"{source}: {name} is a {type(value).__name__}; needed is a number or a text"
            warnings.warn(words, stacklevel=2)
    return settings


def attention(builder: Any, model: Any) -> str:
    """Return the attention that the model takes, as its builder names it."""
    return str(_tried(builder, "attention", model) or "none")


def library(builder: Any) -> str:
    """Return the library of a native builder's model, as the builder declares it."""
    return str(_tried(builder, "library") or "torch.nn")


def _tried(builder: Any, name: str, *arguments: Any) -> Any:
    """Call a function of a builder, if there is one; an error in it costs its own entries alone."""
    function = getattr(builder, name, None)
    try:
        return function(*arguments) if function else None
    except Exception as error:
        traceback.print_exc()
        warnings.warn(f"{builder.__name__}.{name}: {type(error).__name__}: {error}", stacklevel=2)
        return f"{name}() failed"


class Work(Protocol):
    """Interface of ``work.py``."""

    def per_step(self, task: str, architecture: Architecture, batch_size: int) -> dict[str, Any]:
        """Return ``flops_per_step``, ``tokens_per_step`` and ``images_per_step``, or None each."""


def work_of(cell: Cell) -> Work:
    """Import the module that counts the work of a cell's steps."""
    work: Work = importlib.import_module(f"{__name__}.{cell.model}.work")
    return work
