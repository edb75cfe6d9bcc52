"""Several parts of one command beside each other, each in a process that shares what was read."""

import gc
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from multiprocessing import get_context

MOST_AT_ONCE = 4
# Few, since a process copies each page of memory in which it counts a reference.
PARTS_OF_A_PROCESS = 2
PARTS: list[Callable[[], None]] = []  # forked processes have them already


def in_processes(parts: Iterable[Callable[[], None]]) -> None:
    """Call each part, as many at once as there are processors; a single one in this process.

    After the first that fails none is begun, and it fails here as it did there.
    """
    PARTS[:] = parts
    if len(PARTS) == 1:
        return PARTS[0]()
    gc.freeze()
    workers = min(os.cpu_count() or 1, MOST_AT_ONCE)
    places = iter(range(len(PARTS)))
    while some := [*islice(places, PARTS_OF_A_PROCESS * workers)]:
        with ProcessPoolExecutor(workers, mp_context=get_context("fork")) as pool:
            try:
                for part in [pool.submit(_call, place) for place in some]:
                    part.result()
            except BrokenProcessPool:
                told = "error: a part of the drawing was killed, as for its memory"
                raise SystemExit(told) from None
            finally:
                pool.shutdown(cancel_futures=True)
    return None


def _call(place: int) -> None:
    PARTS[place]()
