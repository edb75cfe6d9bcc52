"""One lock per machine or GPU: only its holder computes, whatever folder it measures into.

The operating system releases a lock when its holder ends, however it ends.
"""

import contextlib
import fcntl
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

CPU = "cpu"  # the name of the lock for runs without a GPU


def folder(name: str) -> Path:
    """Return the folder of a lock, `cpu` or a GPU's UUID, which all users of the machine share."""
    # Two starts on one machine may have different TMPDIR, but need the same lock.
    shared = "/tmp" if os.access("/tmp", os.W_OK) else tempfile.gettempdir()
    place = Path(os.environ.get("MILLISTEP_LOCKS", shared), "millistep")
    for each in (place, place / name):
        if not each.is_dir():
            each.mkdir(parents=True, exist_ok=True)
            with contextlib.suppress(PermissionError):  # another user's, who has done so
                each.chmod(0o1777)
    return place / name


def opened(path: Path) -> int:
    """Open a file for a lock that every user may take; return its descriptor. Raises OSError."""
    flags = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        descriptor = os.open(path, flags | os.O_CREAT, 0o666)
    except PermissionError:  # of another user, in a folder with the sticky bit
        descriptor = os.open(path, flags)
    with contextlib.suppress(PermissionError):
        os.fchmod(descriptor, 0o666)
    os.utime(descriptor)  # the system removes files that were not used for days
    return descriptor


def try_lock(descriptor: int, how: int) -> bool:
    """Take a lock without waiting; return whether that worked."""
    try:
        fcntl.flock(descriptor, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextlib.contextmanager
def held(descriptor: int, shared: bool = False) -> Iterator[None]:
    """Wait until nobody else has the lock, and hold it; shared: with others who share it."""
    fcntl.flock(descriptor, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.flock(descriptor, fcntl.LOCK_UN)
