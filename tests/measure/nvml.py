"""Simulates GPUs that are not there: a module `pynvml` that answers as the real one."""

import json
from pathlib import Path
from types import ModuleType

from ..shared import put

MODULE = '''"""Answers of a simulated driver."""

import json
from types import SimpleNamespace

ANSWERS = json.loads({answers!r})
NVML_CLOCK_SM, NVML_CLOCK_MEM, NVML_TEMPERATURE_GPU = 1, 2, 0


class NVMLError(Exception):
    pass


def nvmlInit():
    if ANSWERS["broken"]:
        raise NVMLError("Driver Not Loaded")


def nvmlSystemGetDriverVersion():
    return ANSWERS["driver"]


def nvmlDeviceGetCount():
    return len(ANSWERS["gpus"])


def nvmlDeviceGetHandleByIndex(index):
    return ANSWERS["gpus"][index]


def nvmlDeviceGetHandleByUUID(uuid):
    every = [part for gpu in ANSWERS["gpus"] for part in (gpu, *gpu["parts"])]
    return next(part for part in every if part["uuid"] == uuid)


def nvmlDeviceGetMigMode(gpu):
    if gpu["divided"] is None:
        raise NVMLError("Not Supported")
    return [int(gpu["divided"])] * 2


def nvmlDeviceGetMigDeviceHandleByIndex(gpu, number):
    if number >= len(gpu["parts"]):
        raise NVMLError("Not Found")
    return gpu["parts"][number]


def nvmlDeviceGetDeviceHandleFromMigDeviceHandle(part):
    return next(gpu for gpu in ANSWERS["gpus"] if part in gpu["parts"])


def nvmlDeviceGetUUID(gpu):
    return gpu["uuid"]


def nvmlDeviceGetName(gpu):
    return gpu["name"]


def nvmlDeviceGetMemoryInfo(gpu):
    if gpu["memory_mib"] is None:
        raise NVMLError("Not Supported")
    total = gpu["memory_mib"] * 2**20
    return SimpleNamespace(total=total, free=total, used=0)


def __getattr__(name):
    def refused(*_):
        raise NVMLError("Not Supported")

    if name.startswith("nvml"):
        return refused
    raise AttributeError(name)
'''
A100 = "NVIDIA A100-SXM4-40GB"
MEMORY_MIB = {A100: 40960, "NVIDIA T400 4GB": 4096, "NVIDIA H200": 143771}
PART_MIB = 19968  # of an instance 3g.20gb


def uuid(index):
    return f"GPU-{index}d5ba0d6-d33d-2b2c-524d-9e3d8d2b8a77"


def part(index, number):
    return f"MIG-{index}{number}384736-a75d-5afc-978f-d2f1294409fd"


def install(folder: Path, models, driver="580.82.07", divided=(), broken=False) -> ModuleType:
    """Write and return the module; divided: numbers of the GPUs with two instances each."""
    gpus = [
        {
            "uuid": uuid(index),
            "name": model,
            "memory_mib": MEMORY_MIB.get(model),
            "divided": index in divided if divided else None,
            "parts": [
                {"uuid": part(index, k), "name": f"{model} MIG 3g.20gb", "memory_mib": PART_MIB}
                for k in range(2 if index in divided else 0)
            ],
        }
        for index, model in enumerate(models)
    ]
    return write(folder, {"gpus": gpus, "driver": driver, "broken": broken})


def write(folder: Path, answers: dict) -> ModuleType:
    """Write a module `pynvml` with these answers for other processes; return it for this one."""
    source, simulated = MODULE.format(answers=json.dumps(answers)), ModuleType("pynvml")
    put(folder / "pynvml.py", source)
    exec(source, simulated.__dict__)
    return simulated
