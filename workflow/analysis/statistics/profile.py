"""What a profile says of a step that was timed without the profiler.

A step under the profiler may take longer than one without it. By how much is known from steps that
were measured in turns with and without it, and is taken off where they show it: first from the time
in which nothing computes, since a profiler works before and after an operation; what is more than
that time, of all operations in proportion. What is left is scaled to the timed step, so that the
parts add up to the table's number. A GPU times its kernels by itself, and no profiler slows these
down: there the profiled step says nothing, and the timed one stands in its place.
"""

import numpy as np
from numpy.typing import ArrayLike


def divided(
    timed_ms: ArrayLike, profiled_ms: ArrayLike, busy_ms: ArrayLike, slower: ArrayLike
) -> tuple[np.ndarray, np.ndarray]:
    """Return ms of the timed step in which nothing computes, and the factor that makes times of
    the profile those of the timed step: idle + factor * busy_ms = timed_ms.

    Operations took `busy_ms`, above 0, of a step of `profiled_ms`, which is shown to be `slower`
    times as long under the profiler, 1 where it is not. All broadcast.
    """
    timed, busy = np.asarray(timed_ms, float), np.asarray(busy_ms, float)
    # What computed may end a moment after the clock was read.
    alone = np.maximum(profiled_ms, busy) / slower
    idle = np.maximum(0.0, alone - busy) * timed / alone
    return idle, (timed - idle) / busy


def longer_ms(
    base_ms: ArrayLike, base_count: ArrayLike, ms: ArrayLike, count: ArrayLike
) -> np.ndarray:
    """Return what an operation that two steps have takes longer in the second, as often as both
    run it; 0 where only one of them does.
    """
    base_count, count = np.asarray(base_count, float), np.asarray(count, float)
    both = np.minimum(base_count, count)
    with np.errstate(divide="ignore", invalid="ignore"):
        longer = both * (np.asarray(ms, float) / count - np.asarray(base_ms, float) / base_count)
    return np.where(both > 0, longer, 0.0)
