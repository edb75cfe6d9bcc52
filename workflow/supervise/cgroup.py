"""The control group of this process: its job's or container's limits, and kills for memory.

Read from Linux' files, version 1 and 2; other systems have none.
"""

import contextlib
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import TypeVar

Number = TypeVar("Number", int, float)
NO_LIMIT = 2**60  # bytes; version 1 has a number beyond any machine for "no limit"


def memory_limit_bytes(root: Path = Path("/")) -> int | None:
    """The lowest memory limit of this group and those around it; None without a limit."""
    return _lowest(map(_limit, _groups(root, "memory")))


def processor_time(root: Path = Path("/")) -> float | None:
    """Number of processors whose time this group may use, by its own quota or by one around it;
    None without a quota.
    """
    return _lowest(map(_quota, _groups(root, "cpu")))


def oom_kills(root: Path = Path("/")) -> int | None:
    """Number of processes of this group that the kernel killed for memory; None if not counted."""
    for own in _groups(root, "memory")[:1]:
        for name in ("memory.events", "memory.oom_control"):
            if (kills := counters(own / name).get("oom_kill")) is not None:
                return kills
    return None


def counters(path: Path) -> dict[str, int]:
    """A file's lines of a name and a number, as a mapping; empty if it cannot be read."""
    with contextlib.suppress(OSError, ValueError):
        pairs = (line.split() for line in path.read_text().splitlines())
        return {name: int(value) for name, value in pairs}
    return {}


def _lowest(limits: Iterable[Number | None]) -> Number | None:
    return min((limit for limit in limits if limit is not None), default=None)


def _limit(group: Path) -> int | None:
    """A group's own memory limit in bytes."""
    for name in ("memory.max", "memory.limit_in_bytes"):
        with contextlib.suppress(OSError, ValueError):
            limit = int((group / name).read_text())
            return limit if limit < NO_LIMIT else None
    return None


def _quota(group: Path) -> float | None:
    """A group's own quota of processor time, as a number of processors."""
    with contextlib.suppress(OSError, ValueError):
        quota, period = (group / "cpu.max").read_text().split()
        return int(quota) / int(period)
    with contextlib.suppress(OSError, ValueError):
        quota, period = ((group / f"cpu.cfs_{name}_us").read_text() for name in ("quota", "period"))
        return int(quota) / int(period) if int(quota) > 0 else None  # -1: no quota
    return None


def _groups(root: Path, controller: str) -> list[Path]:
    """Folders of the group by which a controller limits this process, and of those around it."""
    path, kind = _path(root, controller)
    for top, mounted in _mounts(root, kind, controller):
        inner = PurePosixPath(path)
        if inner.is_relative_to(top) and ".." not in inner.parts:
            inner = inner.relative_to(top)
        else:  # a group outside of what this container sees: the mounted one is its own
            inner = PurePosixPath()
        return [mounted / folder for folder in (inner, *inner.parents)]
    return []


def _path(root: Path, controller: str) -> tuple[str, str]:
    """The group's path, and the type of its file system: version 1 if that has the controller."""
    unified = ""
    for line in _lines(root / "proc/self/cgroup"):
        _, controllers, path = line.split(":", 2)
        if controller in controllers.split(","):
            return path, "cgroup"
        if not controllers:
            unified = path
    return unified, "cgroup2"


def _mounts(root: Path, kind: str, controller: str) -> list[tuple[str, Path]]:
    """The groups that are mounted, each with the folder where it is."""
    found = []
    for line in _lines(root / "proc/self/mountinfo"):
        mount, _, system = line.partition(" - ")
        words, (of, _, options) = mount.split(), system.split(" ", 2)
        if of == kind and (kind == "cgroup2" or controller in options.split(",")):
            found.append((words[3], root / words[4].lstrip("/")))
    return found


def _lines(path: Path) -> list[str]:
    with contextlib.suppress(OSError):
        return path.read_text().splitlines()
    return []
