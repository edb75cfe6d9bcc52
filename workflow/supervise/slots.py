"""Shares of a node: each has its own processors and its own GPU, and is taken for a block.

A file is locked while a share is taken, so that a killed job gives it back.
"""

import contextlib
import fcntl
import os
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from supervise import device, processors

FOLDER = ".slots"
LOOK_S = 0.5  # until a share that is taken is looked at again
NEIGHBOURS_S = 1.0  # between two looks at the others


@dataclass(frozen=True)
class Slots:
    """Of one node; folder: where they are locked, node: its digest."""

    folder: Path
    node: str
    count: int

    @contextlib.contextmanager
    def taken(self) -> Iterator[int]:
        """The first share that is free, waited for."""
        self.folder.mkdir(parents=True, exist_ok=True)
        while True:
            for slot in range(self.count):
                with self._opened(slot) as file:
                    try:
                        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    except BlockingIOError:
                        continue
                    yield slot
                    return
            time.sleep(LOOK_S)

    def busy(self, own: int) -> int:
        """How many others are taken now."""
        return sum(self._is_taken(slot) for slot in range(self.count) if slot != own)

    @contextlib.contextmanager
    def watched(self, own: int) -> Iterator[list[int]]:
        """The most others that were taken at once, so far: one number, which grows."""
        most, over = [self.busy(own)], threading.Event()

        def look() -> None:
            while not over.wait(NEIGHBOURS_S):
                most[0] = max(most[0], self.busy(own))

        watcher = threading.Thread(target=look, daemon=True)
        if self.count > 1:
            watcher.start()
        try:
            yield most
        finally:
            over.set()
            if self.count > 1:
                watcher.join()

    def _is_taken(self, slot: int) -> bool:
        with self._opened(slot) as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)  # two may look at once
            except BlockingIOError:
                return True
            return False

    def _opened(self, slot: int) -> Any:
        return open(self.folder / f"{self.node}-{slot}", "a")


def keep_to(slot: int, slots: int) -> None:
    """Have this process and what it starts use a share's processors and its GPU alone."""
    if slots == 1:
        return
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, share(processors.cores(), slot, slots))
    if found := device.visible():
        os.environ[device.VISIBLE] = found[slot % len(found)].uuid


def share(cores: list[list[int]], slot: int, slots: int) -> list[int]:
    """The processors of a share: whole cores that lie side by side."""
    first, end = slot * len(cores) // slots, (slot + 1) * len(cores) // slots
    return [processor for core in cores[first:end] for processor in core]
