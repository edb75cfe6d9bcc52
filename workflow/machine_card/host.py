"""Processor, memory, system and limits of the host, from the system itself, /proc, /sys and psutil.

Without psutil, as on a bundle's machine, the facts that only psutil knows are None.
"""

import contextlib
import os
import platform
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

try:
    import psutil
except ImportError:
    psutil = None

from supervise import cgroup
from supervise.machine import cpu_model

Facts = dict[str, str | None]  # None: not reported by this machine

# The few of hundreds of flags that decide how fast a matrix product can be.
INSTRUCTION_SETS = (
    "avx2",
    "fma",
    "avx512f",
    "avx512_vnni",
    "avx512_bf16",
    "amx_tile",
    "amx_bf16",
    "asimd",
    "sve",
    "bf16",
)


def sections(root: Path = Path("/")) -> dict[str, Facts]:
    """The facts of each section, by its title."""
    cpu = root / "sys/devices/system/cpu"
    return {
        "Processor": processor(root, cpu),
        "Clocks": clocks(root, cpu),
        "Caches": caches(cpu),
        "Memory": memory(root),
        "System": system(root, cpu),
        "Limits of this process": limits(root),
    }


def processor(root: Path, cpu: Path) -> Facts:
    info = text(root / "proc/cpuinfo") or ""
    flags = set(" ".join(re.findall(r"^(?:flags|Features)\s*: (.*)$", info, re.M)[:1]).split())
    sockets = set(re.findall(r"^physical id\s*: (\d+)$", info, re.M))
    microcode = re.search(r"^microcode\s*: (\S+)$", info, re.M)
    return {
        "model": cpu_model(),
        "architecture": platform.machine(),
        "sockets": str(len(sockets)) if sockets else None,
        "physical cores": answer(lambda: spelled(psutil.cpu_count(logical=False))),
        "logical processors": spelled(os.cpu_count()),
        "simultaneous multithreading": on_off(text(cpu / "smt/active")),
        "NUMA nodes": numa_nodes(root),
        "instruction sets": ", ".join(s for s in INSTRUCTION_SETS if s in flags) or None,
        "microcode": microcode and microcode[1],
        "vulnerabilities": vulnerabilities(cpu),
    }


def clocks(root: Path, cpu: Path) -> Facts:
    with contextlib.suppress(Exception):  # each platform fails in its own way if it does not know
        frequency = psutil.cpu_freq()
        now, least, most = frequency.current, frequency.min, frequency.max
        return {
            "frequency now": mhz(now),
            "lowest frequency": mhz(least),
            "highest frequency": mhz(most),
            **_steering(root, cpu),
        }
    return _steering(root, cpu)


def _steering(root: Path, cpu: Path) -> Facts:
    policy = cpu / "cpu0/cpufreq"
    clock = root / "sys/devices/system/clocksource/clocksource0/current_clocksource"
    return {
        "governor": text(policy / "scaling_governor"),
        "frequency driver": text(policy / "scaling_driver"),
        "energy preference": text(policy / "energy_performance_preference"),
        "turbo": turbo(cpu),
        "clock source": text(clock),
    }


def turbo(cpu: Path) -> str | None:
    """Turbo on or off: Intel's driver says if it is forbidden, the others if it is allowed."""
    forbidden = text(cpu / "intel_pstate/no_turbo")
    if forbidden is not None:
        return on_off("1" if forbidden == "0" else "0")
    return on_off(text(cpu / "cpufreq/boost"))


def caches(cpu: Path) -> Facts:
    """The caches of the first processor: size, and how many processors share each."""
    found: Facts = {}
    for index in sorted(cpu.glob("cpu0/cache/index*")):
        kind = {"Data": "d", "Instruction": "i"}.get(text(index / "type") or "", "")
        sharing = len(numbers(text(index / "shared_cpu_list") or ""))
        shared = f"shared by {sharing} processors" if sharing > 1 else "of one processor"
        found[f"L{text(index / 'level')}{kind}"] = f"{text(index / 'size')}, {shared}"
    return found


def memory(root: Path) -> Facts:
    return {
        "memory": gib(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")),
        "available now": answer(lambda: gib(psutil.virtual_memory().available)),
        "swap": answer(lambda: gib(psutil.swap_memory().total)),
        "transparent huge pages": chosen(text(root / "sys/kernel/mm/transparent_hugepage/enabled")),
        "NUMA balancing": on_off(text(root / "proc/sys/kernel/numa_balancing")),
    }


def system(root: Path, cpu: Path) -> Facts:
    release = text(root / "etc/os-release") or ""
    name = re.search(r'^PRETTY_NAME="?(.*?)"?$', release, re.M)
    return {
        "operating system": name[1] if name else platform.system(),
        "kernel": f"{platform.system()} {platform.release()}",
        "C library": " ".join(platform.libc_ver()).strip() or None,
        "Python of the workflow": platform.python_version(),
        "virtualisation": virtualisation(root),
        "container": container(root),
    }


def limits(root: Path) -> Facts:
    """The limits that a container or a cluster sets to this process."""
    quota, most = cgroup.processor_time(root), cgroup.memory_limit_bytes(root)
    unlimited = "not limited" if text(root / "proc/self/cgroup") else None
    return {
        "usable processors": str(len(os.sched_getaffinity(0)))
        if hasattr(os, "sched_getaffinity")
        else None,
        "processor time": unlimited if quota is None else f"{quota:g} processors",
        "memory": unlimited if most is None else gib(most),
        "scheduling priority": spelled(os.getpriority(os.PRIO_PROCESS, 0)),
    }


def virtualisation(root: Path) -> str | None:
    """A hypervisor, if one is seen, and the machine's maker and product by its firmware."""
    firmware = [text(root / "sys/class/dmi/id" / name) for name in ("sys_vendor", "product_name")]
    virtual = " hypervisor" in (text(root / "proc/cpuinfo") or "")
    what = "virtual machine" if virtual else "no hypervisor seen"
    known = " ".join(filter(None, firmware))
    return f"{what} ({known})" if known else what


def container(root: Path) -> str:
    """The container engine, by the trace that it leaves."""
    if (root / ".dockerenv").exists():
        return "docker"
    if (root / "run/.containerenv").exists():
        return "podman"
    return text(root / "run/systemd/container") or "none seen"


def vulnerabilities(cpu: Path) -> str | None:
    """Vulnerabilities counted by kind: mitigations cost time, and not on every machine."""
    found = Counter(
        (text(path) or "").partition(":")[0].partition(";")[0].lower()
        for path in cpu.glob("vulnerabilities/*")
    )
    return ", ".join(f"{count} {kind}" for kind, count in sorted(found.items())) or None


def numa_nodes(root: Path) -> str | None:
    nodes = root / "sys/devices/system/node"
    found = [
        f"{path.parent.name}: {text(path)}" for path in sorted(nodes.glob("node[0-9]*/cpulist"))
    ]
    return f"{len(found)} ({'; '.join(found)})" if found else None


def numbers(cpus: str) -> list[int]:
    """The numbers in a list of processors such as ``0-2,8``."""
    spans = [part.split("-") for part in cpus.split(",") if part]
    return [number for span in spans for number in range(int(span[0]), int(span[-1]) + 1)]


def answer(question: Callable[[], str | None]) -> str | None:
    """The answer to a question that needs psutil, None if psutil is not installed."""
    return question() if psutil else None


def text(path: Path) -> str | None:
    """A file's content, None if it is missing, unreadable or empty."""
    try:
        return path.read_text(errors="replace").strip() or None
    except OSError:
        return None


def chosen(options: str | None) -> str | None:
    """The option in brackets of a text such as ``always [madvise] never``."""
    found = re.search(r"\[(\w+)\]", options or "")
    return found and found[1]


def on_off(flag: str | None) -> str | None:
    return None if flag is None else "off" if flag == "0" else "on"


def spelled(value) -> str | None:
    return None if value is None else str(value)


def mhz(value: float) -> str | None:
    return f"{value:.0f} MHz" if value else None


def gib(count: int) -> str:
    return f"{count / 2**30:.1f} GiB"
