"""Tasks whose loop is the user's own: ``generate()`` calls, diffusion steps.

A builder offers them in ``LOOPS``, by task: ``loop(model, cell, batch_size, tick)``
calls ``tick()`` before each step and returns once that is true; what it returns,
if anything, are observed settings, by name, and ``outputs``: the arrays of a step.
"""

import time
import warnings
from collections.abc import Callable
from typing import Any

from millistep.measure.conformance import GOES_ON, WrongModel
from millistep.measure.models import Tick, plain

NO_FENCE = "no synchronization"
ON_THE_HOST = "outputs on the host at the end"


class Ticks:
    """Takes the place of a :class:`measure.timer.Timer` where steps are only counted."""

    def __init__(self, steps: int) -> None:
        self._count, self._steps = 0, steps

    def start(self) -> None:
        """Do nothing: no step is timed."""

    def tick(self) -> bool:
        """Return True after the last step."""
        if self.finished:
            raise WrongModel(GOES_ON)
        self._count += 1
        return self.finished

    @property
    def finished(self) -> bool:
        """True after the last step."""
        return self._count > self._steps


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
    loop: Callable[[Tick], object], steps: int, cap_s: float, end: str = NO_FENCE
) -> tuple[float, int, str]:
    """Return ``(ms, steps, words)`` as published: N + 1 steps less one step, over N.

    loop: takes ``tick`` alone. Fewer steps than requested are made if ``cap_s`` is short.
    end: in words, the event that the last step is waited for by.
    """
    first_s = _timed(loop, 1)
    steps = max(1, min(steps, int(cap_s / first_s)))
    ms = 1000.0 * (_timed(loop, steps + 1) - first_s) / steps
    return ms, steps, f"host clock, N + 1 steps less one step, over N, {end}"


def _timed(loop: Callable[[Tick], object], steps: int) -> float:
    ticks = Ticks(steps)
    start_s = time.perf_counter()
    loop(ticks.tick)
    return time.perf_counter() - start_s
