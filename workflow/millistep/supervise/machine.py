"""The machine and its load."""

import contextlib
import hashlib
import json
import os
import platform
from pathlib import Path
from typing import Any

import psutil

from millistep.supervise import cgroup
from millistep.supervise.device import Gpu, chosen

VMSTAT = Path("/proc/vmstat")
SHARE = 0.9  # of the memory there is: the processes that watch the run need some, too


def summary(accelerator: str, device: str | int = "auto") -> dict[str, Any]:
    """Return a record's description of the machine; equal machines have the same ``id``.

    device: see :func:`supervise.device.chosen`, which may raise.
    """
    return summary_with(chosen(device) if accelerator == "cuda" else None)


def summary_with(gpu: Gpu | None) -> dict[str, Any]:
    """Return the summary of this machine with this GPU, or without one."""
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


def cpu_model() -> str:
    """Return the CPU's name."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def memory_mib_total() -> int:
    """Return the MiB of physical memory, or the limit of a job or container if that is smaller."""
    total: int = psutil.virtual_memory().total
    return min(total, cgroup.memory_limit_bytes() or total) // 2**20


def memory_limit_mib(asked: str) -> int:
    """Return the MiB of host memory for a run, given GiB or ``auto``: 90 % of this machine's."""
    return int(SHARE * memory_mib_total() if asked == "auto" else float(asked) * 1024)


def load_average() -> float:
    """Return the load average of the last minute."""
    of_a_minute: float = psutil.getloadavg()[0]
    return of_a_minute


def swapped_mib() -> float:
    """Return the MiB swapped in and out since the machine started."""
    swap = psutil.swap_memory()
    mib: float = (swap.sin + swap.sout) / 2**20
    return mib


def oom_kills() -> int | None:
    """Return how many of this job's processes the kernel killed for memory; if it does not count
    these, of the whole machine's.
    """
    own = cgroup.oom_kills()
    return own if own is not None else cgroup.counters(VMSTAT).get("oom_kill")
