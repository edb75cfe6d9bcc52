"""The one GPU that is measured: the same for a run's process, its monitor and the machine's card.

nvidia-smi is asked, which speaks NVML and needs no package. Numbers are its own, in the order of
the PCI bus.
"""

import csv
import os
import re
import shutil
import subprocess
from dataclasses import dataclass, replace
from functools import cache

VISIBLE, ORDER = "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER"
FACTS = "index,uuid,memory.total,driver_version,mig.mode.current,name"
TIMEOUT_S = 30


class NoSuchDevice(Exception):
    """The GPU that is asked for is not there, or it is not clear which one is meant."""


@dataclass(frozen=True)
class Gpu:
    """A GPU, or one instance of a GPU that is divided (MIG)."""

    index: int
    uuid: str  # of the instance, if the GPU is divided
    whole_uuid: str  # of the GPU itself
    model: str
    memory_mib: int | None  # None if it shares the host's
    driver: str
    profile: str | None = None  # of the instance, such as 1g.5gb

    @property
    def name(self) -> str:
        return f"{self.model} MIG {self.profile}" if self.profile else self.model

    def is_called(self, word: str) -> bool:
        """True if CUDA would take a number, or the start of a UUID, for this GPU."""
        if word.isdecimal():
            return self.index == int(word)
        return word.startswith(("GPU-", "MIG-")) and (
            self.uuid.startswith(word) or self.whole_uuid.startswith(word)
        )


def chosen(asked: str | int) -> Gpu | None:
    """The GPU that is measured, None without one; raises :class:`NoSuchDevice`.

    asked: ``auto`` (the first that CUDA_VISIBLE_DEVICES lists; without it the one with
    the most memory), or the number or UUID of one that is visible.
    """
    seen = visible()
    if asked != "auto" and gpus(shutil.which("nvidia-smi")):
        found = [gpu for gpu in seen if gpu.is_called(str(asked))]
        if not found:
            allowed = ", ".join(["auto", *(f"{gpu.index} ({gpu.name})" for gpu in seen)])
            raise NoSuchDevice(f"device: {asked} is not a visible GPU; allowed are {allowed}")
        return found[0]
    if VISIBLE not in os.environ:  # max takes the first of equals
        return max(seen, key=lambda gpu: gpu.memory_mib or 0, default=None)
    return next(iter(seen), None)


def visible() -> list[Gpu]:
    """The GPUs that the caller's variables leave visible, in their order; raises NoSuchDevice."""
    present = gpus(shutil.which("nvidia-smi"))
    if VISIBLE not in os.environ:
        return list(present)
    words = [word.strip() for word in os.environ[VISIBLE].split(",")]
    numbered = any(word.isdecimal() for word in words)
    if numbered and os.environ.get(ORDER) != "PCI_BUS_ID" and len({g.model for g in present}) > 1:
        raise NoSuchDevice(
            f"device: {VISIBLE}={os.environ[VISIBLE]} may be any of several kinds of GPU here; set "
            f"{ORDER}=PCI_BUS_ID, or name them by UUID (nvidia-smi -L)"
        )
    visible = []
    for name in words:
        found = next((gpu for gpu in present if gpu.is_called(name)), None)
        if found is None:
            break  # as CUDA does: nothing after an invalid entry is visible
        visible.append(found)
    return visible


def word(gpu: Gpu | None, asked: str | int) -> str:
    """The value of CUDA_VISIBLE_DEVICES for a run on this GPU: one name, or nothing.

    If nvidia-smi shows no GPU, as in some containers, CUDA may have one all the same.
    """
    if gpu:
        return gpu.uuid
    return str(asked) if asked != "auto" else os.environ.get(VISIBLE, "0").split(",")[0]


@cache
def gpus(nvidia_smi: str | None) -> tuple[Gpu, ...]:
    """All GPUs that the command shows, a divided one as its instances; asked once per process."""
    if nvidia_smi is None:
        return ()
    # A driver from before MIG refuses a question about it.
    old = FACTS.replace("mig.mode.current", "index")
    lines = _queried(nvidia_smi, FACTS) or _queried(nvidia_smi, old)
    whole = {gpu: row[4] for row in lines if (gpu := _whole(row))}
    listed = _said(nvidia_smi, "-L") if "Enabled" in whole.values() else []
    return tuple(
        part
        for gpu, divided in whole.items()
        for part in (_instances(gpu, listed) if divided == "Enabled" else [gpu])
    )


def _queried(nvidia_smi: str, facts: str) -> list[list[str]]:
    lines = _said(nvidia_smi, f"--query-gpu={facts}", "--format=csv,noheader,nounits")
    return list(csv.reader(lines, skipinitialspace=True))


def _whole(row: list[str]) -> Gpu | None:
    if len(row) < 6 or not row[0].isdecimal():
        return None  # an error message
    index, uuid, memory, driver, _, *name = row
    memory_mib = int(memory) if memory.isdecimal() else None
    return Gpu(int(index), uuid, uuid, ", ".join(name).strip(), memory_mib, driver)


def _instances(gpu: Gpu, listed: list[str]) -> list[Gpu]:
    """The instances of a divided GPU; without any, CUDA cannot use it."""
    parts, inside = [], False
    for line in listed:
        if line.startswith("GPU "):
            inside = gpu.uuid in line
        elif inside and (found := re.search(r"MIG (\S+)\s.*\(UUID: (MIG-[^)]+)\)", line)):
            profile, uuid = found.groups()
            # Nominal: nvidia-smi tells an instance's memory by its profile's name alone.
            gib = re.search(r"(\d+)gb", profile)
            memory_mib = 1024 * int(gib[1]) if gib else None
            parts.append(replace(gpu, uuid=uuid, profile=profile, memory_mib=memory_mib))
    return parts


def _said(command: str, *options: str) -> list[str]:
    """The lines that nvidia-smi prints; none if it fails, as without a driver."""
    try:
        done = subprocess.run(
            [command, *options], capture_output=True, text=True, timeout=TIMEOUT_S, check=True
        )
    except (OSError, subprocess.SubprocessError, ValueError):
        return []
    return done.stdout.splitlines()
