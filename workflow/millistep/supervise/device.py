"""The one GPU that is measured: that of a run's process, its monitor and the system description.

NVML lists the GPUs in the order of the PCI bus, and a divided one (MIG) as its instances.
"""

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from millistep.supervise.ending import Refused

VISIBLE, ORDER = "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER"
MOST_INSTANCES = 7  # of a divided GPU


class NoSuchDevice(Refused):
    """The configured GPU does not exist, or the configuration is ambiguous."""


@dataclass(frozen=True)
class Gpu:
    """A GPU, or one instance of a GPU that is divided (MIG)."""

    index: int
    uuid: str  # of the instance, if the GPU is divided
    whole_uuid: str  # of the GPU itself
    model: str
    name: str  # the model, with the profile of an instance
    memory_mib: int | None  # None if it shares the host's
    driver: str

    def is_called(self, word: str) -> bool:
        """Return True if CUDA would take a number, or the start of a UUID, for this GPU."""
        if word.isdecimal():
            return self.index == int(word)
        return word.startswith(("GPU-", "MIG-")) and (
            self.uuid.startswith(word) or self.whole_uuid.startswith(word)
        )


def chosen(asked: str | int) -> Gpu | None:
    """Return the GPU that is measured, None without one; raises :class:`NoSuchDevice`.

    asked: ``auto`` (the first of CUDA_VISIBLE_DEVICES; without it the one with the most memory), or
    the number or UUID of one that is visible.
    """
    seen = visible()
    if asked != "auto" and gpus():
        found = [gpu for gpu in seen if gpu.is_called(str(asked))]
        if not found:
            allowed = ", ".join(["auto", *(f"{gpu.index} ({gpu.name})" for gpu in seen)])
            raise NoSuchDevice(f"device: {asked} is not a visible GPU; allowed are {allowed}")
        return found[0]
    if VISIBLE not in os.environ:  # max takes the first of equals
        return max(seen, key=lambda gpu: gpu.memory_mib or 0, default=None)
    return next(iter(seen), None)


def visible() -> list[Gpu]:
    """Return the GPUs that the caller leaves visible, in order; raises :class:`NoSuchDevice`."""
    present = gpus()
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
    """Return the value of CUDA_VISIBLE_DEVICES for a run on this GPU: one name, or nothing.

    If NVML shows no GPU, as in some containers, CUDA may have one all the same.
    """
    if gpu:
        return gpu.uuid
    return str(asked) if asked != "auto" else os.environ.get(VISIBLE, "0").split(",")[0]


@cache
def gpus() -> tuple[Gpu, ...]:
    """Return all GPUs, none without a driver; the driver is queried once per process."""
    import pynvml as nvml

    found: list[Gpu] = []
    with contextlib.suppress(nvml.NVMLError):
        nvml.nvmlInit()
        for index in range(nvml.nvmlDeviceGetCount()):
            with contextlib.suppress(nvml.NVMLError):  # a lost GPU hides no other
                found += _parts(nvml, index)
    return tuple(found)


def _parts(nvml: Any, index: int) -> Iterator[Gpu]:
    """Yield a GPU, or its instances if it is divided; without any, CUDA cannot use it."""
    whole = nvml.nvmlDeviceGetHandleByIndex(index)
    parts = [whole]
    if (tried(nvml.nvmlDeviceGetMigMode, whole) or [0])[0]:  # most GPUs cannot be divided
        instance = nvml.nvmlDeviceGetMigDeviceHandleByIndex
        parts = [tried(instance, whole, number) for number in range(MOST_INSTANCES)]
    for part in parts:
        if part is None:  # numbers of instances may have gaps
            continue
        memory = tried(nvml.nvmlDeviceGetMemoryInfo, part)
        yield Gpu(
            index=index,
            uuid=nvml.nvmlDeviceGetUUID(part),
            whole_uuid=nvml.nvmlDeviceGetUUID(whole),
            model=nvml.nvmlDeviceGetName(whole),
            name=nvml.nvmlDeviceGetName(part),
            memory_mib=memory and memory.total // 2**20,
            driver=nvml.nvmlSystemGetDriverVersion(),
        )


def tried(function: Any, *arguments: Any) -> Any:
    """Return the function's result, None if it fails, as on a machine without it."""
    try:
        return function(*arguments)
    except Exception:  # NVML, psutil and file systems each have their own errors
        return None
