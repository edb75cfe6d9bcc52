"""The facts of the GPU that the runs use, from NVML; without its serial number and UUID.

For an instance of a divided GPU, model and memory are the instance's, all else the whole GPU's.
"""

from collections.abc import Callable

from supervise import sampler

Facts = dict[str, str | None]


def facts(name: str) -> Facts:
    """The facts that decide a GPU's times; None for those that it does not report.

    name: as the runs see it, see :func:`supervise.device.word`.
    """
    try:
        gpu = sampler.Gpu(name)
    except Exception as error:  # no driver, no bindings, no such device
        return {"model": None, "trouble": f"{type(error).__name__}: {error}"}
    asked = questions(gpu.nvml, gpu.device, gpu.part)
    return {fact: answer(function) for fact, function in asked.items()}


def questions(nvml, device, part) -> dict[str, Callable[[], str]]:
    """Functions that ask NVML, by the name of the fact."""
    clocks = {"SM": nvml.NVML_CLOCK_SM, "memory": nvml.NVML_CLOCK_MEM}
    return {
        "model": lambda: nvml.nvmlDeviceGetName(part),
        "driver": nvml.nvmlSystemGetDriverVersion,
        "CUDA of the driver": lambda: version(nvml.nvmlSystemGetCudaDriverVersion()),
        "compute capability": lambda: dotted(nvml.nvmlDeviceGetCudaComputeCapability(device)),
        "memory": lambda: f"{nvml.nvmlDeviceGetMemoryInfo(part).total / 2**30:.1f} GiB",
        "memory in use now": lambda: f"{nvml.nvmlDeviceGetMemoryInfo(part).used / 2**30:.1f} GiB",
        **{
            f"{name} clock {when}": lambda ask=ask, kind=kind: f"{ask(device, kind)} MHz"
            for name, kind in clocks.items()
            for when, ask in (
                ("now", nvml.nvmlDeviceGetClockInfo),
                ("set by the user", nvml.nvmlDeviceGetApplicationsClock),
                ("at most", nvml.nvmlDeviceGetMaxClockInfo),
            )
        },
        "ECC": lambda: on_off(nvml.nvmlDeviceGetEccMode(device)[0]),
        "power limit": lambda: watts(nvml.nvmlDeviceGetEnforcedPowerLimit(device)),
        "power limit by default": lambda: watts(
            nvml.nvmlDeviceGetPowerManagementDefaultLimit(device)
        ),
        "persistence mode": lambda: on_off(nvml.nvmlDeviceGetPersistenceMode(device)),
        "multi-instance mode": lambda: on_off(nvml.nvmlDeviceGetMigMode(device)[0]),
        "PCIe": lambda: (
            f"generation {nvml.nvmlDeviceGetMaxPcieLinkGeneration(device)}, "
            f"{nvml.nvmlDeviceGetMaxPcieLinkWidth(device)} lanes"
        ),
        "GPUs in the machine": lambda: str(nvml.nvmlDeviceGetCount()),
    }


def answer(question: Callable[[], str]) -> str | None:
    """The answer to a question, None if NVML has none for this device."""
    return sampler.tried(lambda: text(question()))


def text(value: str | bytes) -> str:
    return value.decode() if isinstance(value, bytes) else value


def version(number: int) -> str:
    """CUDA's version number as text: 12040 is 12.4."""
    return f"{number // 1000}.{number % 1000 // 10}"


def dotted(numbers) -> str:
    return ".".join(str(number) for number in numbers)


def on_off(flag: int) -> str:
    return "on" if flag else "off"


def watts(milliwatts: int) -> str:
    return f"{milliwatts / 1000:.0f} W"
