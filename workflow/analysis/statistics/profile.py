"""What a profile says of a step that was timed without the profiler.

A step under the profiler may take longer than one without it: by how much is known from steps that
were measured in turns with and without it, where in the step is not. The parts of the profiled step
are scaled to the timed one, so that they add up to the table's number, as if what the profiler adds
were spread over the step. It may lie between operations alone, or within them alone: each part has
ends, which are those of either. A GPU times its kernels by itself, and no profiler slows these
down: there the profiled step says nothing, and the timed one stands in its place. But its clocks
may be others while it is profiled: how long steps without the profiler took then is known, and
kernels may have taken as many times as long, or as short, in the timed steps.
"""

import numpy as np
from numpy.typing import ArrayLike


def idle_ends(
    share: ArrayLike, slower: ArrayLike, on_device: ArrayLike = False
) -> tuple[np.ndarray, np.ndarray]:
    """Return the lowest and the highest share of a step in which nothing computes, of which a
    profile says `share`: what made the step `slower` times as long lay all in this, or none of it.

    `on_device`, `slower` is the timed step over those beside the profile, and may be below 1: all
    of it is time in which nothing computes, or kernels took as many times as long.
    """
    share, slower = np.asarray(share, float), np.asarray(slower, float)
    computes_less = 1 - (1 - share) * slower
    idles_more = np.where(on_device, share, share * slower)
    ends = np.minimum(computes_less, idles_more), np.maximum(computes_less, idles_more)
    return np.clip(ends[0], 0.0, 1.0), np.clip(ends[1], 0.0, 1.0)


def divided(
    timed_ms: ArrayLike,
    profiled_ms: ArrayLike,
    busy_ms: ArrayLike,
    slower: ArrayLike,
    on_device: ArrayLike = False,
) -> tuple[np.ndarray, np.ndarray]:
    """Return ms of the timed step in which nothing computes, and the factor that makes times of
    the profile those of the timed step: idle + factor * busy_ms = timed_ms. Of each three: as
    profiled, then with the lowest and with the highest idle that there may be.

    Operations took `busy_ms`, above 0, of a step of `profiled_ms`; `slower` and `on_device` as
    in :func:`idle_ends`. All broadcast.
    """
    timed, busy = np.asarray(timed_ms, float), np.asarray(busy_ms, float)
    # What computed may end a moment after the clock was read.
    share = np.maximum(0.0, 1 - busy / profiled_ms)
    idle = timed * np.stack(np.broadcast_arrays(share, *idle_ends(share, slower, on_device)))
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
