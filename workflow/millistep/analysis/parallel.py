"""Apply a function to many items in forked processes, which find their data in memory."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import Any

MOST_PROCESSES = min(4, os.cpu_count() or 1)
# Of a forked process: the function, and the items that it is applied to.
_work: list[tuple[Callable[[Any], Any], Sequence[Any]]] = []


def each(function: Callable[[Any], Any], items: Sequence[Any], at_once: int = 1) -> list[Any]:
    """Return function(item) of each item in order, from one process per CPU.

    A process takes `at_once` items at a time; fewer items stay in this process. If a process is
    killed, this one does the work.
    """
    if len(items) <= at_once:
        return [function(item) for item in items]
    try:
        with ProcessPoolExecutor(
            MOST_PROCESSES, get_context("fork"), _work.append, ((function, items),)
        ) as pool:
            return list(pool.map(_apply, range(len(items)), chunksize=at_once))
    except BrokenProcessPool:
        return [function(item) for item in items]


def _apply(place: int) -> Any:
    function, items = _work[-1]
    return function(items[place])
