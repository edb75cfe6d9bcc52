"""The description of a machine for the report: its facts from psutil, NVML and Linux' files."""

import json
import os
import platform
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import psutil

from millistep.deploy.virtual_environments import read_json, write_atomically
from millistep.supervise.device import chosen, tried, word
from millistep.supervise.machine import cpu_model, memory_limit_bytes, processor_time, summary, text
from millistep.supervise.monitor import Gpu
from millistep.supervise.processors import available
from millistep.supervise.record import now

Facts = dict[str, str | None]  # None: not reported by this machine
# The few of hundreds of flags that decide how fast a matrix product can be.
INSTRUCTION_SETS = (
    *("avx2", "fma", "avx512f", "avx512_vnni", "avx512_bf16", "amx_tile", "amx_bf16"),
    *("asimd", "sve", "bf16"),
)


def sections(root: Path = Path("/")) -> dict[str, Facts]:
    cpu = root / "sys/devices/system/cpu"
    huge = re.search(r"\[(\w+)\]", text(root / "sys/kernel/mm/transparent_hugepage/enabled"))
    quota, most = processor_time(root), memory_limit_bytes(root)
    found: dict[str, Facts] = {
        "Processor": _processor(root, cpu),
        "Clocks": _clocks(cpu),
        "Caches": _caches(cpu),
        "Memory": {
            "memory": _gib(psutil.virtual_memory().total),
            "swap": _gib(psutil.swap_memory().total),
            "transparent huge pages": huge and huge[1],
            "NUMA balancing": _on_off(text(root / "proc/sys/kernel/numa_balancing")),
        },
        "System": _system(root),
        "Limits of this process": {
            "usable processors": str(len(available())),
            "processor time": "not limited" if quota is None else f"{quota:g} processors",
            "memory": "not limited" if most is None else _gib(most),
            "scheduling priority": str(psutil.Process().nice()),
        },
    }
    return {
        title: {name: value or None for name, value in facts.items()}
        for title, facts in found.items()
    }


def _processor(root: Path, cpu: Path) -> Facts:
    info = text(root / "proc/cpuinfo")
    flags = set(" ".join(re.findall(r"^(?:flags|Features)\s*: (.*)$", info, re.M)[:1]).split())
    sockets = set(re.findall(r"^physical id\s*: (\d+)$", info, re.M))
    microcode = re.search(r"^microcode\s*: (\S+)$", info, re.M)
    nodes = sorted((root / "sys/devices/system/node").glob("node[0-9]*/cpulist"))
    numa = "; ".join(f"{path.parent.name}: {text(path)}" for path in nodes)
    states = (text(path) for path in cpu.glob("vulnerabilities/*"))
    mitigations = Counter(re.split("[:;]", state)[0].lower() for state in states)
    return {
        "model": cpu_model(),
        "architecture": platform.machine(),
        "sockets": str(len(sockets) or ""),
        "physical cores": str(psutil.cpu_count(logical=False) or ""),
        "logical processors": str(os.cpu_count()),
        "simultaneous multithreading": _on_off(text(cpu / "smt/active")),
        "NUMA nodes": numa and f"{len(nodes)} ({numa})",
        "instruction sets": ", ".join(s for s in INSTRUCTION_SETS if s in flags),
        "microcode": microcode and microcode[1],
        "vulnerabilities": ", ".join(f"{n} {kind}" for kind, n in sorted(mitigations.items())),
    }


def _clocks(cpu: Path) -> Facts:
    policy, source = cpu / "cpu0/cpufreq", cpu.parent / "clocksource/clocksource0"
    frequency = tried(lambda: psutil.cpu_freq())  # some systems lack even the function
    # Intel's driver shows if turbo is forbidden, the others if it is allowed.
    forbidden, allowed = text(cpu / "intel_pstate/no_turbo"), text(cpu / "cpufreq/boost")
    return {
        "highest frequency": f"{frequency.max:.0f} MHz" if frequency and frequency.max else None,
        "governor": text(policy / "scaling_governor"),
        "frequency driver": text(policy / "scaling_driver"),
        "energy preference": text(policy / "energy_performance_preference"),
        "turbo": _on_off(str(int(forbidden == "0")) if forbidden else allowed),
        "clock source": text(source / "current_clocksource"),
    }


def _caches(cpu: Path) -> Facts:
    """Return the caches of the first CPU: size, and the CPUs that share each."""
    found: Facts = {}
    for index in sorted(cpu.glob("cpu0/cache/index*")):
        kind = {"Data": "d", "Instruction": "i"}.get(text(index / "type"), "")
        shared = text(index / "shared_cpu_list")
        found[f"L{text(index / 'level')}{kind}"] = f"{text(index / 'size')}, CPUs {shared}"
    return found


def _system(root: Path) -> Facts:
    name = re.search(r'^PRETTY_NAME="?(.*?)"?$', text(root / "etc/os-release"), re.M)
    firmware = [text(root / "sys/class/dmi/id" / name) for name in ("sys_vendor", "product_name")]
    virtual = " hypervisor" in text(root / "proc/cpuinfo")
    container = text(root / "run/systemd/container")
    for engine, trace in (("docker", ".dockerenv"), ("podman", "run/.containerenv")):
        container = engine if (root / trace).exists() else container
    return {
        "operating system": name[1] if name else platform.system(),
        "kernel": f"{platform.system()} {platform.release()}",
        "C library": " ".join(platform.libc_ver()).strip(),
        "virtual machine": "yes" if virtual else "no hypervisor found",
        "firmware": " ".join(filter(None, firmware)),
        "container": container or "none found",
    }


def _on_off(flag: str) -> str:
    return "" if not flag else "off" if flag == "0" else "on"


def _gib(count: int) -> str:
    return f"{count / 2**30:.1f} GiB"


def gpu_facts(name: str) -> Facts:
    """Return the facts of a GPU; name: see :func:`supervise.device.word`."""
    gpu = tried(Gpu, name)
    if gpu is None:
        return {"model": None, "problem": "NVML does not list this GPU"}
    nvml, get = gpu.nvml, gpu.get
    memory, cuda = nvml.nvmlDeviceGetMemoryInfo, nvml.nvmlSystemGetCudaDriverVersion

    def clocks(kind: int) -> Callable[[], str]:
        return lambda: f"{get('ClockInfo', kind)} MHz now, {get('MaxClockInfo', kind)} MHz at most"

    facts: dict[str, Callable[[], str | None]] = {
        "model": lambda: nvml.nvmlDeviceGetName(gpu.part),
        "driver": nvml.nvmlSystemGetDriverVersion,
        "CUDA of the driver": lambda: f"{cuda() // 1000}.{cuda() % 1000 // 10}",  # 12040 is 12.4
        "compute capability": lambda: ".".join(map(str, get("CudaComputeCapability"))),
        "memory": lambda: _gib(memory(gpu.part).total),
        "memory in use": lambda: _gib(memory(gpu.part).used),
        "SM clock": clocks(nvml.NVML_CLOCK_SM),
        "memory clock": clocks(nvml.NVML_CLOCK_MEM),
        "ECC": lambda: _on_off(str(get("EccMode")[0])),
        "power limit": lambda: f"{get('EnforcedPowerLimit') / 1000:.0f} W",
        "default power limit": lambda: f"{get('PowerManagementDefaultLimit') / 1000:.0f} W",
        "persistence mode": lambda: _on_off(str(get("PersistenceMode"))),
        "multi-instance mode": lambda: _on_off(str(get("MigMode")[0])),
        "PCIe": lambda: (
            f"generation {get('MaxPcieLinkGeneration')}, {get('MaxPcieLinkWidth')} lanes"
        ),
        "GPUs in the machine": lambda: str(nvml.nvmlDeviceGetCount()),
    }
    return {name: tried(fact) for name, fact in facts.items()}


def write_description(folder: Path, accelerators: Sequence[str], asked: str | int) -> None:
    """Write ``<folder>/<machine id>.json``; raises OSError and NoSuchDevice."""
    gpu = chosen(asked) if "cuda" in accelerators else None
    ids = {kind: summary(gpu if kind == "cuda" else None)["id"] for kind in accelerators}
    path = folder / f"{ids[accelerators[0]]}.json"
    if read_json(path).get("ids") == ids:
        return
    facts = sections()
    if "cuda" in accelerators:
        facts["GPU"] = gpu_facts(word(gpu, asked))
    description = {
        "schema": "millistep.machine/1",
        "ids": ids,
        "collected_at": now(),
        "sections": [
            {"title": title, "facts": [{"name": k, "value": v} for k, v in section.items()]}
            for title, section in facts.items()
        ],
    }
    write_atomically(path, json.dumps(description, indent=1) + "\n")
