"""The facts of the host: CPU, memory, system and limits, from psutil and Linux' files."""

import os
import platform
import re
from collections import Counter
from pathlib import Path

import psutil

from millistep.supervise import cgroup
from millistep.supervise.gpu import Facts
from millistep.supervise.machine import cpu_model

# The few of hundreds of flags that decide how fast a matrix product can be.
INSTRUCTION_SETS = (
    *("avx2", "fma", "avx512f", "avx512_vnni", "avx512_bf16", "amx_tile", "amx_bf16"),
    *("asimd", "sve", "bf16"),
)


def sections(root: Path = Path("/")) -> dict[str, Facts]:
    """Return the facts of each section, by its title."""
    cpu = root / "sys/devices/system/cpu"
    return {
        "Processor": _processor(root, cpu),
        "Clocks": _clocks(root, cpu),
        "Caches": _caches(cpu),
        "Memory": _memory(root),
        "System": _system(root),
        "Limits of this process": _limits(root),
    }


def _processor(root: Path, cpu: Path) -> Facts:
    info = _text(root / "proc/cpuinfo") or ""
    flags = set(" ".join(re.findall(r"^(?:flags|Features)\s*: (.*)$", info, re.M)[:1]).split())
    sockets = set(re.findall(r"^physical id\s*: (\d+)$", info, re.M))
    microcode = re.search(r"^microcode\s*: (\S+)$", info, re.M)
    nodes = sorted((root / "sys/devices/system/node").glob("node[0-9]*/cpulist"))
    numa = "; ".join(f"{path.parent.name}: {_text(path)}" for path in nodes)
    mitigations = Counter(
        re.split("[:;]", _text(path) or "")[0].lower() for path in cpu.glob("vulnerabilities/*")
    )
    kinds = (f"{count} {kind}" for kind, count in sorted(mitigations.items()))
    return {
        "model": cpu_model(),
        "architecture": platform.machine(),
        "sockets": str(len(sockets)) if sockets else None,
        "physical cores": str(psutil.cpu_count(logical=False)),
        "logical processors": str(os.cpu_count()),
        "simultaneous multithreading": _on_off(_text(cpu / "smt/active")),
        "NUMA nodes": f"{len(nodes)} ({numa})" if nodes else None,
        "instruction sets": ", ".join(s for s in INSTRUCTION_SETS if s in flags) or None,
        "microcode": microcode and microcode[1],
        "vulnerabilities": ", ".join(kinds) or None,
    }


def _clocks(root: Path, cpu: Path) -> Facts:
    policy = cpu / "cpu0/cpufreq"
    frequency = psutil.cpu_freq() if hasattr(psutil, "cpu_freq") else None
    # Intel's driver shows if turbo is forbidden, the others if it is allowed.
    forbidden = _text(cpu / "intel_pstate/no_turbo")
    allowed = _text(cpu / "cpufreq/boost")
    return {
        "highest frequency": f"{frequency.max:.0f} MHz" if frequency and frequency.max else None,
        "governor": _text(policy / "scaling_governor"),
        "frequency driver": _text(policy / "scaling_driver"),
        "energy preference": _text(policy / "energy_performance_preference"),
        "turbo": _on_off(allowed) if forbidden is None else _on_off(str(int(forbidden == "0"))),
        "clock source": _text(
            root / "sys/devices/system/clocksource/clocksource0/current_clocksource"
        ),
    }


def _caches(cpu: Path) -> Facts:
    """Return the caches of the first CPU: size, and the CPUs that share each."""
    found: Facts = {}
    for index in sorted(cpu.glob("cpu0/cache/index*")):
        kind = {"Data": "d", "Instruction": "i"}.get(_text(index / "type") or "", "")
        shared = _text(index / "shared_cpu_list")
        found[f"L{_text(index / 'level')}{kind}"] = f"{_text(index / 'size')}, CPUs {shared}"
    return found


def _memory(root: Path) -> Facts:
    pages = _text(root / "sys/kernel/mm/transparent_hugepage/enabled") or ""
    huge = re.search(r"\[(\w+)\]", pages)
    return {
        "memory": _gib(psutil.virtual_memory().total),
        "swap": _gib(psutil.swap_memory().total),
        "transparent huge pages": huge and huge[1],
        "NUMA balancing": _on_off(_text(root / "proc/sys/kernel/numa_balancing")),
    }


def _system(root: Path) -> Facts:
    name = re.search(r'^PRETTY_NAME="?(.*?)"?$', _text(root / "etc/os-release") or "", re.M)
    firmware = [_text(root / "sys/class/dmi/id" / name) for name in ("sys_vendor", "product_name")]
    virtual = " hypervisor" in (_text(root / "proc/cpuinfo") or "")
    container = _text(root / "run/systemd/container")
    for engine, trace in (("docker", ".dockerenv"), ("podman", "run/.containerenv")):
        container = engine if (root / trace).exists() else container
    return {
        "operating system": name[1] if name else platform.system(),
        "kernel": f"{platform.system()} {platform.release()}",
        "C library": " ".join(platform.libc_ver()).strip() or None,
        "virtual machine": "yes" if virtual else "no hypervisor found",
        "firmware": " ".join(filter(None, firmware)) or None,
        "container": container or "none found",
    }


def _limits(root: Path) -> Facts:
    """Return the limits that a container or a cluster sets to this process."""
    quota, most = cgroup.processor_time(root), cgroup.memory_limit_bytes(root)
    return {
        "usable processors": str(len(psutil.Process().cpu_affinity()))
        if hasattr(psutil.Process, "cpu_affinity")
        else None,
        "processor time": "not limited" if quota is None else f"{quota:g} processors",
        "memory": "not limited" if most is None else _gib(most),
        "scheduling priority": str(psutil.Process().nice()),
    }


def _text(path: Path) -> str | None:
    """Return a file's content, None if it is missing, unreadable or empty."""
    try:
        return path.read_text(errors="replace").strip() or None
    except OSError:
        return None


def _on_off(flag: str | None) -> str | None:
    return None if flag is None else "off" if flag == "0" else "on"


def _gib(count: int) -> str:
    return f"{count / 2**30:.1f} GiB"
