"""The facts of the measured GPU, from NVML; without its serial number and UUID.

For an instance of a divided GPU, model and memory are the instance's, all else the whole GPU's.
"""

from collections.abc import Callable

from millistep.supervise.sampler import Gpu, tried

Facts = dict[str, str | None]  # None: not reported by this machine


def facts(name: str) -> Facts:
    """Return the facts of a GPU; name: see :func:`supervise.device.word`."""
    gpu = tried(Gpu, name)
    if gpu is None:
        return {"model": None, "problem": "NVML does not list this GPU"}
    return {fact: tried(function) for fact, function in _questions(gpu).items()}


def _questions(gpu: Gpu) -> dict[str, Callable[[], str]]:
    nvml, device, part = gpu.nvml, gpu.device, gpu.part
    memory = nvml.nvmlDeviceGetMemoryInfo

    def clocks(kind: int) -> Callable[[], str]:
        return lambda: (
            f"{nvml.nvmlDeviceGetClockInfo(device, kind)} MHz now, "
            f"{nvml.nvmlDeviceGetMaxClockInfo(device, kind)} MHz at most"
        )

    return {
        "model": lambda: nvml.nvmlDeviceGetName(part),
        "driver": nvml.nvmlSystemGetDriverVersion,
        "CUDA of the driver": lambda: _version(nvml.nvmlSystemGetCudaDriverVersion()),
        "compute capability": lambda: ".".join(
            map(str, nvml.nvmlDeviceGetCudaComputeCapability(device))
        ),
        "memory": lambda: f"{memory(part).total / 2**30:.1f} GiB",
        "memory in use": lambda: f"{memory(part).used / 2**30:.1f} GiB",
        "SM clock": clocks(nvml.NVML_CLOCK_SM),
        "memory clock": clocks(nvml.NVML_CLOCK_MEM),
        "ECC": lambda: _on_off(nvml.nvmlDeviceGetEccMode(device)[0]),
        "power limit": lambda: f"{nvml.nvmlDeviceGetEnforcedPowerLimit(device) / 1000:.0f} W",
        "default power limit": lambda: (
            f"{nvml.nvmlDeviceGetPowerManagementDefaultLimit(device) / 1000:.0f} W"
        ),
        "persistence mode": lambda: _on_off(nvml.nvmlDeviceGetPersistenceMode(device)),
        "multi-instance mode": lambda: _on_off(nvml.nvmlDeviceGetMigMode(device)[0]),
        "PCIe": lambda: (
            f"generation {nvml.nvmlDeviceGetMaxPcieLinkGeneration(device)}, "
            f"{nvml.nvmlDeviceGetMaxPcieLinkWidth(device)} lanes"
        ),
        "GPUs in the machine": lambda: str(nvml.nvmlDeviceGetCount()),
    }


def _version(number: int) -> str:
    """Return CUDA's version number as text: 12040 is 12.4."""
    return f"{number // 1000}.{number % 1000 // 10}"


def _on_off(flag: int) -> str:
    return "on" if flag else "off"
