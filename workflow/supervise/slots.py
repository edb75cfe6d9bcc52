"""Slots: shares of a node with their own processors and GPU, each taken for one block at a time.

A file is locked while a slot is taken, so that a killed job gives it back.
"""

import contextlib
import errno
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
LOOK_S = 0.5  # seconds until a slot that is taken is tried again
NEIGHBOURS_S = 1.0  # seconds between two looks at the other slots
NO_LOCKS = {errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP}  # as on some clusters' file systems


@dataclass(frozen=True)
class Slots:
    """The slots of one node. folder: of the locked files; node: its digest; count: of slots."""

    folder: Path
    node: str
    count: int

    @contextlib.contextmanager
    def taken(self) -> Iterator[int]:
        """Take the first free slot, waiting for one; yields its number.

        On a file system without locks the only slot is free; of several, OSError is raised.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        while True:
            for slot in range(self.count):
                with self._opened(slot) as file:
                    try:
                        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    except BlockingIOError:
                        continue
                    except OSError as error:
                        if error.errno not in NO_LOCKS or self.count > 1:
                            raise OSError(error.errno, error.strerror, file.name) from None
                    yield slot
                    return
            time.sleep(LOOK_S)

    def busy(self, own: int) -> int:
        """The number of other slots that are taken now."""
        return sum(self._is_taken(slot) for slot in range(self.count) if slot != own)

    @contextlib.contextmanager
    def watched(self, own: int) -> Iterator[list[int]]:
        """Yield a list of one number, which grows: the most other slots taken at once so far."""
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
    """Restrict this process and what it starts to a slot's processors and GPU."""
    if slots == 1:
        return
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, share(processors.cores(), slot, slots))
    if found := device.visible():
        os.environ[device.VISIBLE] = found[slot % len(found)].uuid


def share(cores: list[list[int]], slot: int, slots: int) -> list[int]:
    """The processors of a slot: whole cores that lie side by side."""
    first, end = slot * len(cores) // slots, (slot + 1) * len(cores) // slots
    return [processor for core in cores[first:end] for processor in core]
