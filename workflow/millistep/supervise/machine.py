"""The machine: memory, load, and the limits of its control group (version 2)."""

import hashlib
import json
import os
import platform
import re
from pathlib import Path, PurePosixPath
from typing import Any

import psutil

from millistep.supervise.device import Gpu

ROOT = Path("/")
SHARE = 0.9  # of the memory there is: the processes that watch the run need some, too


def summary(gpu: Gpu | None) -> dict[str, Any]:
    """Return a record's description of this machine; equal machines have the same ``id``."""
    memory_mib = memory_mib_total()
    facts = {
        "cpu": cpu_model(),
        "cores": os.cpu_count() or 1,
        "memory_mib": memory_mib,
        "os": f"{platform.system()} {platform.release()} {platform.machine()}",
        "accelerator_name": gpu and gpu.name,
        "accelerator_memory_mib": gpu and gpu.memory_mib,
    }
    # Without the kernel, which every update changes; memory in GiB, as it varies by a page.
    same = {**facts, "os": platform.machine(), "memory_mib": memory_mib // 1024}
    digest = hashlib.sha256(json.dumps(same, sort_keys=True).encode()).hexdigest()[:12]
    return {"id": digest, **facts}


def text(path: Path) -> str:
    """Return the content of a system's file, without spaces around it; empty without the file."""
    try:
        return path.read_text(errors="replace").strip()
    except OSError:
        return ""


def cpu_model() -> str:
    named = re.search(r"^model name\s*:(.*)$", text(Path("/proc/cpuinfo")), re.M)
    return named[1].strip() if named else platform.processor() or platform.machine()


def memory_mib_total() -> int:
    """Return the MiB of physical memory, or the limit of a job or container if that is smaller."""
    total: int = psutil.virtual_memory().total
    return min(total, memory_limit_bytes() or total) // 2**20


def memory_limit_mib(asked: str) -> int:
    """Return the MiB of host memory for a run, given GiB or ``auto``: 90 % of this machine's."""
    return int(SHARE * memory_mib_total() if asked == "auto" else float(asked) * 1024)


def residents(at_once: int, each_mib: float) -> int:
    """Return how many of so many processes fit into host memory, at least 1; 0 MiB: all of them."""
    if not each_mib:
        return at_once
    return max(1, min(at_once, int(memory_limit_mib("auto") // each_mib)))


def load_average() -> float:
    return float(psutil.getloadavg()[0])


def swapped_mib() -> float:
    """Return the MiB swapped in and out since the machine started."""
    swap = psutil.swap_memory()
    return float(swap.sin + swap.sout) / 2**20


def oom_kills(root: Path = ROOT) -> int | None:
    """Return the kernel's kills for memory in this job, or in the whole machine if uncounted."""
    own = _counters(_groups(root)[0] / "memory.events").get("oom_kill")
    return _counters(root / "proc/vmstat").get("oom_kill") if own is None else own


def memory_limit_bytes(root: Path = ROOT) -> int | None:
    """Return the lowest memory limit of this group and those around it; None without a limit."""
    return min((int(limit) for _, (limit,) in _limits(root, "memory.max")), default=None)


def processor_time(root: Path = ROOT) -> float | None:
    """Return the number of CPUs whose time this group may use; None without a quota."""
    quotas = (words for _, words in _limits(root, "cpu.max"))
    return min((int(quota) / int(period) for quota, period in quotas), default=None)


def cpu_stats(root: Path = ROOT) -> list[str]:
    """Return the files that count how often each group with a quota of CPU time was stopped."""
    return [str(group / "cpu.stat") for group, _ in _limits(root, "cpu.max")]


def _limits(root: Path, name: str) -> list[tuple[Path, list[str]]]:
    """Return the words of a file in this group and those around it, where they are a limit."""
    found = [(group, text(group / name).split()) for group in _groups(root)]
    return [(group, words) for group, words in found if words and words[0] != "max"]


def _counters(path: Path) -> dict[str, int]:
    """Return a file's lines of a name and a number, as a mapping; empty if it cannot be read."""
    pairs = (line.split() for line in text(path).splitlines())
    return {name: int(value) for name, value in pairs}


def _groups(root: Path) -> list[Path]:
    """Return the folders of this process's group and of those around it, innermost first."""
    top = root / "sys/fs/cgroup"
    own = re.search(r"^0::/*(.*)$", text(root / "proc/self/cgroup"), re.M)
    inner = PurePosixPath(own[1] if own else "")
    if ".." in inner.parts or not (top / inner).is_dir():  # a container sees only its own group
        inner = PurePosixPath()
    return [top / folder for folder in (inner, *inner.parents)]
