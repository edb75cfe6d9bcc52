"""Which runs of a cell may be averaged side by side, where some timed more than others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set
from typing import TypeVar

T = TypeVar("T")


def fullest(runs: Iterable[T], timed: Callable[[T], Set]) -> list[T]:
    """Those that timed what the one with the most did. Another run would move the means of some
    kinds alone, by whatever runs differ in.
    """
    found = list(runs)
    most = max(map(timed, found), key=len, default=frozenset())
    return [run for run in found if timed(run) == most]
