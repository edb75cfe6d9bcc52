"""Shared by the loops of all frameworks: inputs and results of a step, the original timing method.

A builder offers custom loops, such as ``generate()`` calls, in ``LOOPS``, by task:
``loop(model, cell, batch_size, tick)`` calls ``tick()`` before each step and returns once that is
true. It may return observed settings, by name, and ``outputs``: the arrays of a step.
"""

import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from millistep.measure.conformance import GOES_ON, WrongModel, places
from millistep.measure.models import Tick, plain

# Where the results of a step stay, its metrics or outputs. A copy to the host makes a thread wait:
# the one that issues the steps, or another one.
FETCHED = "fetched in each step"
BY_A_THREAD = "fetched by another thread"
LEFT = "left on the device"
OWN_LOOP = {"feeding": "the library's own loop", "fed_bytes_per_step": None}
# Words of the original timing method for the event that the last step is waited for by.
NO_FENCE = "no synchronization"
ON_THE_HOST = "outputs on the host at the end"


def feeding(source: str, batch: Any) -> dict[str, Any]:
    """Return the observed settings of feeding.

    source: the inputs of a step, in words. batch: arrays or tensors in dicts, tuples or lists.
    """
    fed_bytes = sum(int(getattr(each, "nbytes", 0)) for each in flat(batch))
    return {"feeding": source, "fed_bytes_per_step": fed_bytes}


def mapped(function: Callable[[Any], Any], batch: Any) -> Any:
    """Map the arrays of a batch. Lists become tuples, since to tf.data they are no structure."""
    if isinstance(batch, dict):
        return {name: mapped(function, each) for name, each in batch.items()}
    if isinstance(batch, tuple | list):
        return tuple(mapped(function, each) for each in batch)
    return function(batch)


def flat(structure: Any) -> Iterator[Any]:
    """Yield what is in nested tuples, lists and dicts, in order."""
    return (each for _, each in places(structure))


def joined(batches: list[Any]) -> Any:
    """Return batches of equal structure as one: arrays in tuples, lists and dicts."""
    import numpy as np

    first = batches[0]
    if isinstance(first, dict):
        return {name: joined([batch[name] for batch in batches]) for name in first}
    if isinstance(first, tuple | list):
        return type(first)(joined(list(parts)) for parts in zip(*batches, strict=True))
    return np.concatenate(batches)


def leaves(found: Any) -> list[Any]:
    """Return all arrays or tensors in nested tuples, lists, dicts and objects with attributes."""
    arrays: list[Any] = []
    for each in flat(found):
        if hasattr(each, "shape"):
            arrays.append(each)
        elif hasattr(each, "__dict__") and not isinstance(each, type):
            arrays += leaves({**vars(each)})
    return arrays


class Ticks:
    """Takes the place of a :class:`measure.timer.Timer` where steps are only counted."""

    def __init__(self, steps: int) -> None:
        self.count, self.steps = 0, steps

    def start(self) -> None:
        """Do nothing: no step is timed."""

    def tick(self) -> bool:
        if self.finished:
            raise WrongModel(GOES_ON)
        self.count += 1
        return self.finished

    @property
    def finished(self) -> bool:
        return self.count > self.steps


def parted(returned: Any) -> tuple[dict[str, Any], Any]:
    """Return the observed settings that a loop returned, and the arrays of a step or None."""
    if returned is None:
        return {}, None
    if not isinstance(returned, dict):
        words = f"a custom loop returned a {type(returned).__name__}; needed is a dict or None"
        warnings.warn(words, stacklevel=2)
        return {}, None
    settings = {name: value for name, value in returned.items() if name != "outputs"}
    return plain(settings, "a custom loop"), returned.get("outputs")


def legacy(
    loop: Callable[[Tick], object],
    steps: int,
    cap_s: float,
    fence: Callable[[], None] | None = None,
) -> tuple[float, int, str]:
    """Return ``(ms, steps, words)`` as published: N + 1 steps less one step, over N.

    loop: takes ``tick`` alone. Fewer steps than requested are made if ``cap_s`` is short.
    fence: waits for the last step, where that ends with its outputs on the host.
    """

    def seconds(number: int) -> float:
        start_s = time.perf_counter()
        loop(Ticks(number).tick)
        if fence:
            fence()
        return time.perf_counter() - start_s

    first_s = seconds(1)
    steps = max(1, min(steps, int(cap_s / first_s)))
    ms = 1000.0 * (seconds(steps + 1) - first_s) / steps
    end = ON_THE_HOST if fence else NO_FENCE
    return ms, steps, f"host clock, N + 1 steps less one step, over N, {end}"
