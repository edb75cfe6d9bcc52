"""The processes of one workload and round, resident together and timed in turns.

One lock per machine or GPU: only its holder computes, whatever folder it measures into. The
operating system releases a lock when its holder ends, however it ends.

Each process is started, supervised and recorded by a job of its own. The jobs share no process:
they meet in a folder next to the machine's lock, and every fact there is held by a file lock, so a
job that dies at any moment only loses its own place.

- ``group`` is locked shared by every member of the group at work and holds the group's name.
  Members of other groups wait until it is free.
- ``<group>/<n>`` is locked by member n while it lives, and holds its state and the process group
  of its child.
- ``<group>/turn`` counts the turns. Only a holder of the machine's lock writes it.
- ``<group>/wake<n>`` is a named pipe. A member that ends its turn writes to that of the next one.
"""

import contextlib
import fcntl
import hashlib
import json
import os
import select
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Self

import psutil

from millistep.deploy.virtual_environments import write_atomically
from millistep.supervise import processors
from millistep.supervise.monitor import MARK

CPU = "cpu"  # the name of the lock for runs without a GPU
PREPARING, READY, DONE = "preparing", "ready", "done"
WAIT_S = 0.5  # between two looks of a member that nobody wakes
LOOK_S = 0.1  # between two looks of a member while others prepare
NEVER_CAME_S = 20.0  # after that, a member that never started is left out


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
    flags = os.O_RDWR | os.O_NOFOLLOW
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


class Member:
    """One member of a group; use it as a context manager.

    lock: the name of the machine's or GPU's lock. start: the same for all jobs of one start.
    members: names of all members in the order of their turns; own: this member's name.
    """

    def __init__(self, lock: str, start: str, members: list[str], own: str) -> None:
        self._place, self._count, self._own = folder(lock), len(members), members.index(own)
        self._name = hashlib.sha256(json.dumps([start, members]).encode()).hexdigest()[:16]
        self._folder = self._place / self._name
        self._machine = opened(self._place / "lock")
        self._ended: set[int] = set()  # members whose stopped processes were ended
        self.in_turns = 1  # processes that take turns, once the turns have begun

    def __enter__(self) -> Self:
        """Wait until no other group is at work."""
        with contextlib.ExitStack() as stack:
            stack.callback(os.close, self._machine)
            self._join(stack)
            self._folder.mkdir(exist_ok=True)
            partial = self._folder / f".{self._own}-{os.getpid()}"
            self._descriptor = opened(partial)
            stack.callback(os.close, self._descriptor)
            fcntl.flock(self._descriptor, fcntl.LOCK_EX)
            self._write(PREPARING)
            pipe = self._folder / f"wake{self._own}"
            with contextlib.suppress(FileExistsError):
                os.mkfifo(pipe)
            # Also open for writing, so that it never ends.
            self._woken = os.open(pipe, os.O_RDWR | os.O_NONBLOCK | os.O_NOFOLLOW)
            stack.callback(os.close, self._woken)
            stack.callback(self._write, DONE)
            os.replace(partial, self._folder / str(self._own))
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *exception: object) -> None:
        self._stack.close()

    def computing(self) -> contextlib.AbstractContextManager[None]:
        """Hold the machine: nothing else computes meanwhile."""
        return held(self._machine)

    @contextlib.contextmanager
    def preparing(self, alone: bool) -> Iterator[bool]:
        """Hold the machine until this member is ready; yield whether it has the machine for itself.

        alone: start times are measured, or a GPU prepares. Otherwise as many members as there are
        CPUs prepare at once: imports and builds use one CPU each.
        """
        if alone or self._count == 1:
            with self.computing():
                yield True
            return
        count = processors.within_the_quota(len(processors.available()))
        with contextlib.ExitStack() as stack:
            seats = [opened(self._place / f"seat{n}") for n in range(count)]
            for seat in seats:
                stack.callback(os.close, seat)
            while not any(try_lock(seat, fcntl.LOCK_EX) for seat in seats):
                time.sleep(LOOK_S)
            with held(self._machine, shared=True):
                yield False

    def leave_out(self) -> None:
        """Have the others not wait for this member, whose first job was killed."""
        with contextlib.suppress(OSError):
            (self._folder / str(self._own)).touch()

    def turns(self, child: int, over: Callable[[], bool]) -> Iterator[None]:
        """Yield at each turn, with the machine locked; end if over() and no other waits for one.

        child: the process group of this member's child, 0 without one.
        """
        self._write(READY, child)
        self._wait_for_all()
        try:
            while not over():
                if self._owner()[0] != self._own:
                    # The time limit is for the case that the member before dies.
                    if select.select([self._woken], [], [], WAIT_S)[0]:
                        os.read(self._woken, 100)
                    continue
                with self.computing():
                    owner, turn = self._owner()
                    if owner == self._own:
                        yield
                        write_atomically(self._folder / "turn", str(turn + 1))
                self._wake_owner()
        finally:
            self._write(DONE, child)  # which is still stopped
            self._wake_owner()
        while READY in self._states():
            time.sleep(WAIT_S)

    def _wake_owner(self) -> None:
        with contextlib.suppress(OSError):  # it is gone, or nobody is left
            path = self._folder / f"wake{self._owner()[0]}"
            with open(os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_NOFOLLOW), "wb", 0) as pipe:
                pipe.write(b".")

    def _join(self, stack: contextlib.ExitStack) -> None:
        """Wait until this group is the one at work, and hold it there.

        A group gets to work once all its members wait: a job that has not started yet may need the
        place of one that waits for the machine.
        """
        descriptor, name = opened(self._place / "group"), self._name.encode()
        stack.callback(os.close, descriptor)
        # Each member locks its file while it waits for the machine.
        waiting = [self._place / f"waiting-{self._name}-{n}" for n in range(self._count)]
        with contextlib.ExitStack() as while_waiting:
            own = opened(waiting[self._own])
            while_waiting.callback(os.close, own)
            while_waiting.callback(waiting[self._own].unlink, missing_ok=True)
            fcntl.flock(own, fcntl.LOCK_EX)
            free_since = time.monotonic()
            while True:
                if try_lock(descriptor, fcntl.LOCK_SH):
                    if os.pread(descriptor, len(name), 0) == name:
                        return
                    fcntl.flock(descriptor, fcntl.LOCK_UN)
                if try_lock(descriptor, fcntl.LOCK_EX):
                    late = time.monotonic() - free_since > NEVER_CAME_S
                    begin = late or all(map(_is_locked, waiting))
                    if begin and os.pread(descriptor, len(name), 0) != name:
                        self._sweep()
                        os.pwrite(descriptor, name, 0)
                    fcntl.flock(descriptor, fcntl.LOCK_UN)
                    if begin:
                        continue  # another group may be quicker
                else:
                    free_since = time.monotonic()
                time.sleep(WAIT_S)

    def _sweep(self) -> None:
        """Remove what killed groups have left, and end their stopped processes."""
        for group in (path for path in self._place.iterdir() if path.is_dir()):
            for file in group.glob("[0-9]*"):
                _end_stopped(_read(file)[1])
            shutil.rmtree(group, ignore_errors=True)

    def _write(self, state: str, child: int = 0) -> None:
        os.pwrite(self._descriptor, f"{state} {child}".ljust(40).encode(), 0)

    def _states(self) -> list[str | None]:
        """Return the states of all members: None before a member came, done if it is gone."""
        return [*map(self._state, range(self._count))]

    def _state(self, number: int) -> str | None:
        path = self._folder / str(number)
        if not path.exists():
            return None
        state, child = _read(path)
        if _is_locked(path):
            return state
        if number not in self._ended:
            self._ended.add(number)
            _end_stopped(child)
        return DONE

    def _wait_for_all(self) -> None:
        alone_since = time.monotonic()
        while True:
            states = self._states()
            if PREPARING in states:
                alone_since = time.monotonic()
            elif None not in states or time.monotonic() - alone_since > NEVER_CAME_S:
                self.in_turns = states.count(READY)
                return
            time.sleep(LOOK_S)

    def _owner(self) -> tuple[int, int]:
        """Return member and number of this turn, skipping members that are gone; -1 without any."""
        try:
            turn = int((self._folder / "turn").read_text())
        except FileNotFoundError:  # the first turn
            turn = 0
        for number in range(turn, turn + 2 * self._count):
            member = member_of(number, self._count)
            if self._state(member) == READY:
                return member, number
        return -1, turn


def member_of(turn: int, members: int) -> int:
    """Return the member of a turn in the balanced order A B C, C B A, A B C ..."""
    place, back = turn % members, turn // members % 2
    return members - 1 - place if back else place


def _is_locked(path: Path) -> bool:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    except FileNotFoundError:
        return False
    with open(descriptor):
        return not try_lock(descriptor, fcntl.LOCK_SH)


def _read(path: Path) -> tuple[str, int]:
    """Return a member's state and the process group of its child, 0 without one."""
    try:
        if path.stat().st_uid != os.getuid():
            return DONE, 0
        state, child = path.read_text().split()
        return state, int(child)
    except (OSError, ValueError):
        return DONE, 0


def _end_stopped(group: int) -> None:
    """End the stopped processes of a process group whose supervisor is gone."""
    if group <= 1:
        return
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            stopped = process.status() == psutil.STATUS_STOPPED
            # After a restart of the machine, the number may be that of another process.
            if os.getpgid(process.pid) == group and stopped and MARK in process.environ():
                process.send_signal(signal.SIGKILL)
