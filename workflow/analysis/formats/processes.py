"""Several parts of one command beside each other, each in a process that shares what was read."""

import gc
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context

MOST_AT_ONCE = 4  # each makes a copy of its own of the pages in which it counts a reference
PARTS: list[Callable[[], None]] = []  # forked processes have them already


def in_processes(parts: Iterable[Callable[[], None]]) -> None:
    """Call each, as many at once as there are processors, one alone in this process.

    After the first that fails none is begun, and it fails here as it did there.
    """
    PARTS[:] = parts
    if len(PARTS) == 1:
        return PARTS[0]()
    gc.freeze()
    workers = min(os.cpu_count() or 1, MOST_AT_ONCE)
    with ProcessPoolExecutor(workers, mp_context=get_context("fork")) as pool:
        try:
            for part in [pool.submit(_call, place) for place in range(len(PARTS))]:
                part.result()
        except BrokenProcessPool:
            raise SystemExit("error: a part of the drawing was killed, as for its memory") from None
        finally:
            pool.shutdown(cancel_futures=True)
    return None


def _call(place: int) -> None:
    PARTS[place]()
