"""The machine and its load, read from the system with the standard library.

Linux is read through /proc; on other systems, what cannot be read is None.
"""

import contextlib
import hashlib
import json
import os
import platform
from pathlib import Path

from supervise import cgroup
from supervise.device import Gpu, chosen

VMSTAT = Path("/proc/vmstat")
SHARE = 0.9  # of the memory there is: the processes that watch the run need some, too


def card(accelerator: str, device: str | int = "auto") -> dict:
    """A record's description of the machine; equal machines have the same ``id``.

    device: see :func:`supervise.device.chosen`, which may raise.
    """
    return card_with(chosen(device) if accelerator == "cuda" else None)


def card_with(gpu: Gpu | None) -> dict:
    """The card of this machine with a GPU that was already asked for, or without one."""
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
    """The processor's name."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def memory_mib_total() -> int:
    """MiB of physical memory, or the limit of a job or container if that is smaller."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min(total, cgroup.memory_limit_bytes() or total) // 2**20


def memory_limit_mib(asked: str) -> int:
    """MiB of host memory that a run may use, given GiB or ``auto``: 90 % of what there is here."""
    return int(SHARE * memory_mib_total() if asked == "auto" else float(asked) * 1024)


def load_average() -> float | None:
    """The load average of the last minute; None if unknown."""
    with contextlib.suppress(OSError):
        return os.getloadavg()[0]
    return None


def swapped_mib() -> float | None:
    """MiB swapped in and out since the machine started; None if unknown."""
    counters = cgroup.counters(VMSTAT)
    if "pswpin" not in counters:
        return None
    pages = counters["pswpin"] + counters["pswpout"]
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def oom_kills() -> int | None:
    """Number of this job's processes that the kernel killed for memory; if it does not count these,
    of the whole machine's.
    """
    own = cgroup.oom_kills()
    return own if own is not None else cgroup.counters(VMSTAT).get("oom_kill")


def resident_mib(pid: int) -> float:
    """MiB of resident memory of a process, 0 if it is gone."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20
    return 0.0
