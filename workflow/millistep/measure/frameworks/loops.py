"""Tasks whose loop is the user's own: ``generate()`` calls, diffusion steps.

A builder offers them in ``LOOPS``, by task: ``loop(model, cell, batch_size, tick)``
calls ``tick()`` before each step and returns once that is true; what it returns,
if anything, are observed settings, by name, and ``outputs``: the arrays of a step.
"""

import time
from collections.abc import Callable
from typing import Any

from millistep.measure.conformance import GOES_ON, WrongModel
from millistep.measure.models import Tick

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


def parted(facts: dict[str, Any] | None) -> tuple[dict[str, Any], Any]:
    """Return the observed settings that a loop returned, and the arrays of a step or None."""
    settings = dict(facts or {})
    return settings, settings.pop("outputs", None)


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
