"""Several parts of one command beside each other, each in a process that shares what was read."""

import gc
import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from analysis.formats.errors import InputError

MOST_AT_ONCE = 4  # each makes a copy of its own of the pages in which it counts a reference
Part = Callable[[], None]


@dataclass(frozen=True)
class _Running:
    """A part at work, and where it says what it could not use."""

    process: BaseProcess
    said: Connection


def in_processes(parts: Iterable[Part]) -> None:
    """Call each in a forked process, in this order, as many at once as there are processors.

    A process for each, so that its memory ends with it. The first that fails ends the others, and
    fails here as it did there; of one that ended without a word, as for its memory, that is said.
    """
    gc.freeze()
    waiting = [*parts][::-1]
    running: list[_Running] = []
    try:
        while waiting or running:
            while waiting and len(running) < min(os.cpu_count() or 1, MOST_AT_ONCE):
                running.append(_start(waiting.pop()))
            wait([part.process.sentinel for part in running])
            running = [part for part in running if not _has_ended(part)]
    finally:
        for part in running:
            part.process.terminate()
            part.process.join()


def _start(part: Part) -> _Running:
    context = get_context("fork")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_call, args=(part, there))
    process.start()
    there.close()
    return _Running(process, here)


def _call(part: Part, said: Connection) -> None:
    try:
        part()
    except (InputError, OSError) as error:
        said.send(error)
        sys.exit(1)


def _has_ended(part: _Running) -> bool:
    """Raises where it failed."""
    status = part.process.exitcode
    if status is None:
        return False
    if status < 0:
        sys.exit(f"error: a part of the drawing was killed by signal {-status}")
    if status:
        raise part.said.recv() if part.said.poll() else SystemExit(status)
    part.said.close()
    return True
