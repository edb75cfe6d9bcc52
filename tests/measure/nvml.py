"""Simulates GPUs that are not there: what `pynvml` answers, in this process alone."""

from operator import attrgetter
from types import SimpleNamespace

A100 = "NVIDIA A100-SXM4-40GB"
MEMORY_MIB = {A100: 40960, "NVIDIA T400 4GB": 4096, "NVIDIA H200": 143771}
PART_MIB = 19968  # of an instance 3g.20gb


class NVMLError(Exception):
    """The driver's error."""


def refused(*_):
    raise NVMLError("Not Supported")


class Driver(SimpleNamespace):
    """A driver that refuses every question for which it is given no answer."""

    NVMLError = NVMLError
    NVML_CLOCK_SM, NVML_CLOCK_MEM, NVML_TEMPERATURE_GPU = 1, 2, 0

    def __getattr__(self, name):
        if name.startswith("nvml"):
            return refused
        raise AttributeError(name)


def uuid(index):
    return f"GPU-{index}d5ba0d6-d33d-2b2c-524d-9e3d8d2b8a77"


def part(index, number):
    return f"MIG-{index}{number}384736-a75d-5afc-978f-d2f1294409fd"


def driver(models, driver="580.82.07", divided=(), broken=False) -> Driver:
    """Return the driver of a machine; divided: numbers of the GPUs with two instances each."""
    gpus = []
    for index, model in enumerate(models):
        name, numbers = f"{model} MIG 3g.20gb", range(2 if index in divided else 0)
        parts = [
            SimpleNamespace(uuid=part(index, number), name=name, memory_mib=PART_MIB)
            for number in numbers
        ]
        own = {"uuid": uuid(index), "name": model, "memory_mib": MEMORY_MIB.get(model)}
        gpus.append(SimpleNamespace(**own, parts=parts))
    every = [each for gpu in gpus for each in (gpu, *gpu.parts)]

    def instance(gpu, number):
        return gpu.parts[number] if number < len(gpu.parts) else refused()

    def memory(gpu):
        total = gpu.memory_mib * 2**20 if gpu.memory_mib else refused()
        return SimpleNamespace(total=total, free=total, used=0)

    return Driver(
        nvmlInit=refused if broken else lambda: None,
        nvmlSystemGetDriverVersion=lambda: driver,
        nvmlDeviceGetCount=lambda: len(gpus),
        nvmlDeviceGetHandleByIndex=gpus.__getitem__,
        nvmlDeviceGetHandleByUUID=lambda uuid: next(each for each in every if each.uuid == uuid),
        nvmlDeviceGetMigMode=(lambda gpu: [bool(gpu.parts)] * 2) if divided else refused,
        nvmlDeviceGetMigDeviceHandleByIndex=instance,
        nvmlDeviceGetDeviceHandleFromMigDeviceHandle=lambda part: next(
            gpu for gpu in gpus if part in gpu.parts
        ),
        nvmlDeviceGetUUID=attrgetter("uuid"),
        nvmlDeviceGetName=attrgetter("name"),
        nvmlDeviceGetMemoryInfo=memory,
    )
