"""The control group of this process: its job's or container's memory limit, and kills for memory.

Read from Linux' files, version 1 and 2; other systems have none.
"""

import contextlib
from pathlib import Path, PurePosixPath


def memory_limit_bytes(root: Path = Path("/")) -> int | None:
    """The lowest memory limit of this group and those around it; None without a limit."""
    limits = map(_limit, _memory_groups(root))
    return min((limit for limit in limits if limit is not None), default=None)


def oom_kills(root: Path = Path("/")) -> int | None:
    """Number of processes of this group that the kernel killed for memory; None if not counted."""
    for own in _memory_groups(root)[:1]:
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


def _limit(group: Path) -> int | None:
    """A group's own limit in bytes; version 1 has a number beyond any machine for "no limit"."""
    for name in ("memory.max", "memory.limit_in_bytes"):
        with contextlib.suppress(OSError, ValueError):
            return int((group / name).read_text())
    return None


def _memory_groups(root: Path) -> list[Path]:
    """Folders of the group that this process's memory is accounted to, and of those around it."""
    path, kind = _path(root)
    for top, mounted in _mounts(root, kind):
        inner = PurePosixPath(path)
        if inner.is_relative_to(top) and ".." not in inner.parts:
            inner = inner.relative_to(top)
        else:  # a group outside of what this container sees: the mounted one is its own
            inner = PurePosixPath()
        return [mounted / folder for folder in (inner, *inner.parents)]
    return []


def _path(root: Path) -> tuple[str, str]:
    """The group's path, and the type of its file system; version 1 counts if it has memory."""
    unified = ""
    for line in _lines(root / "proc/self/cgroup"):
        _, controllers, path = line.split(":", 2)
        if "memory" in controllers.split(","):
            return path, "cgroup"
        if not controllers:
            unified = path
    return unified, "cgroup2"


def _mounts(root: Path, kind: str) -> list[tuple[str, Path]]:
    """The groups that are mounted, each with the folder where it is."""
    found = []
    for line in _lines(root / "proc/self/mountinfo"):
        mount, _, system = line.partition(" - ")
        words, (of, _, options) = mount.split(), system.split(" ", 2)
        if of == kind and (kind == "cgroup2" or "memory" in options.split(",")):
            found.append((words[3], root / words[4].lstrip("/")))
    return found


def _lines(path: Path) -> list[str]:
    with contextlib.suppress(OSError):
        return path.read_text().splitlines()
    return []
