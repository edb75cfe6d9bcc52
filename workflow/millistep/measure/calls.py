"""Count the Python functions that a step calls, on the thread that issues the steps."""

import sys
from collections import Counter
from collections.abc import Callable
from functools import partial
from types import CodeType, FrameType
from typing import Any

from millistep.measure.frameworks import Framework

WARM, STEPS = 3, 10  # steps before the counted ones, which may call once-only functions
MOST_FUNCTIONS = 300
OURS = "millistep."


def calls(framework: Framework) -> dict[str, Any]:
    """Return the calls of a step, and those of each function, the most frequent first."""
    counter = CallCounter()
    try:
        framework.run(
            CountedSteps(partial(sys.setprofile, counter.count), partial(sys.setprofile, None))
        )
    finally:
        sys.setprofile(None)
    found = counter.by_name().most_common()
    return {
        "steps": STEPS,
        "per_step": sum(number for _, number in found) / STEPS,
        "functions": [
            {"name": name, "per_step": number / STEPS} for name, number in found[:MOST_FUNCTIONS]
        ],
    }


class CountedSteps:
    """Takes the place of a :class:`measure.timer.Timer`: calls `begin` before the counted steps,
    `end` after them.
    """

    def __init__(self, begin: Callable[[], object], end: Callable[[], object]) -> None:
        self._ticks, self._begin, self._end = 0, begin, end

    def start(self) -> None:
        """Do nothing: the first steps do not count."""

    def tick(self) -> bool:
        """Return True after the last counted step."""
        self._ticks += 1
        if self._ticks == WARM + 1:
            self._begin()
        elif self._ticks == WARM + STEPS + 1:
            self._end()
        return self._ticks > WARM + STEPS


class CallCounter:
    """A profile hook that counts the calls of functions."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, CodeType]] = Counter()

    def by_name(self) -> Counter[str]:
        """Return the calls by module and name of the function, without our own."""
        found: Counter[str] = Counter()
        for (module, code), number in self._counts.items():
            if not module.startswith(OURS):
                found[f"{module}.{getattr(code, 'co_qualname', code.co_name)}"] += number
        return found

    def count(self, frame: FrameType, event: str, argument: Any) -> None:
        """Count a call: for ``sys.setprofile``."""
        if event == "call":
            self._counts[str(frame.f_globals.get("__name__")), frame.f_code] += 1
