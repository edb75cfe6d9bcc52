"""The control group of this process (version 2): limits of its job or container, kills for memory.

Other systems have none.
"""

import contextlib
from pathlib import Path, PurePosixPath

ROOT = Path("/")


def memory_limit_bytes(root: Path = ROOT) -> int | None:
    """Return the lowest memory limit of this group and those around it; None without a limit."""
    limits = []
    for group in _groups(root):
        with contextlib.suppress(OSError, ValueError):  # "max": no limit
            limits.append(int((group / "memory.max").read_text()))
    return min(limits, default=None)


def processor_time(root: Path = ROOT) -> float | None:
    """Return the number of CPUs whose time this group may use, by its own quota or by one around
    it; None without a quota.
    """
    quotas = []
    for group in _groups(root):
        with contextlib.suppress(OSError, ValueError):
            quota, period = (group / "cpu.max").read_text().split()
            quotas.append(int(quota) / int(period))
    return min(quotas, default=None)


def cpu_stats(root: Path = ROOT) -> list[str]:
    """Return the files that count how often each group with a quota of CPU time was stopped."""
    found = []
    for group in _groups(root):
        with contextlib.suppress(OSError, ValueError):
            if (group / "cpu.max").read_text().split()[0] != "max":
                found.append(str(group / "cpu.stat"))
    return found


def oom_kills(root: Path = ROOT) -> int | None:
    """Return how many processes of this group the kernel killed for memory; None if unknown."""
    return counters(_groups(root)[0] / "memory.events").get("oom_kill")


def counters(path: Path) -> dict[str, int]:
    """Return a file's lines of a name and a number, as a mapping; empty if it cannot be read."""
    with contextlib.suppress(OSError, ValueError):
        pairs = (line.split() for line in path.read_text().splitlines())
        return {name: int(value) for name, value in pairs}
    return {}


def _groups(root: Path) -> list[Path]:
    """Return the folders of this process's group and of those around it, innermost first."""
    top, inner = root / "sys/fs/cgroup", PurePosixPath()
    with contextlib.suppress(OSError):
        for line in (root / "proc/self/cgroup").read_text().splitlines():
            if line.startswith("0::"):
                inner = PurePosixPath(line.removeprefix("0::").lstrip("/"))
    if ".." in inner.parts or not (top / inner).is_dir():  # a container sees only its own group
        inner = PurePosixPath()
    return [top / folder for folder in (inner, *inner.parents)]
