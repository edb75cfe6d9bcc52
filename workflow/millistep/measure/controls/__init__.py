"""Controls: fixed work that shows how the machine and the measuring itself behave."""

import time
from collections.abc import Callable

LEAST_BLOCKS = 3


def repeated(
    work: Callable[[], object], fence: Callable[[], None], block: int, part_s: float
) -> list[float]:
    """Return seconds per ``work()``, a number per block of calls between two synchronizations."""
    work()  # the first one allocates, chooses an algorithm or compiles
    fence()
    seconds: list[float] = []
    end = time.perf_counter() + part_s
    while len(seconds) < LEAST_BLOCKS or time.perf_counter() < end:
        start = time.perf_counter()
        for _ in range(block):
            work()
        fence()
        seconds.append((time.perf_counter() - start) / block)
    return seconds
