"""The command nvidia-smi of a simulated machine: it asks its NVML, as the real one does.

python3 -I nvidia_smi.py LIBRARIES --query-gpu=name,uuid --format=csv,noheader,nounits
python3 -I nvidia_smi.py LIBRARIES -i 0 --query-gpu=clocks.max.sm --format=csv,noheader,nounits
python3 -I nvidia_smi.py LIBRARIES -L
"""

import ctypes
import sys
from pathlib import Path

FAILED = "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver."
LOST = "Unable to determine the device handle: GPU is lost. Reboot the system to recover this GPU"


def main():
    library = Path(sys.argv[1], "libnvidia-ml.so.1")
    if not library.exists():
        sys.exit(FAILED)
    machine = Machine(ctypes.CDLL(str(library)))
    if None in machine.handles:
        sys.exit(LOST)
    options = sys.argv[2:]
    query = next((option for option in options if option.startswith("--query-gpu=")), None)
    if options == ["-L"]:
        print("\n".join(machine.listed()))
    elif query:
        lines = machine.answers(query.partition("=")[2].split(","))
        for line in lines if options[0] != "-i" else [lines[int(options[1])]]:
            print(line)
    else:
        sys.exit(f"nvidia-smi of a stand-in: not understood: {' '.join(options)}")


class Machine:
    """The machine as its NVML describes it."""

    def __init__(self, nvml):
        self.nvml = nvml
        nvml.nvmlInit_v2()
        number = ctypes.c_uint()
        nvml.nvmlDeviceGetCount_v2(ctypes.byref(number))
        by_index, numbers = "nvmlDeviceGetHandleByIndex_v2", range(number.value)
        self.handles = [self._handle(by_index, number) for number in numbers]

    def answers(self, names):
        known = {
            "index": lambda gpu: str(self.handles.index(gpu)),
            "uuid": lambda gpu: self._text("nvmlDeviceGetUUID", gpu),
            "name": lambda gpu: self._text("nvmlDeviceGetName", gpu),
            "driver_version": lambda gpu: self._text("nvmlSystemGetDriverVersion"),
            "memory.total": lambda gpu: str(self._memory(gpu)[0] // 2**20),
            "memory.used": lambda gpu: str(self._memory(gpu)[2] // 2**20),
            "clocks.max.sm": lambda gpu: str(self._most_mhz(gpu)),
            "mig.mode.current": lambda gpu: "Enabled" if self._part(gpu) else "Disabled",
        }
        for name in names:
            if name not in known:
                sys.exit(f'Field "{name}" is not a valid field to query.')
        return [", ".join(known[name](gpu) for name in names) for gpu in self.handles]

    def listed(self):
        for number, gpu in enumerate(self.handles):
            name, uuid = (self._text(f"nvmlDeviceGet{what}", gpu) for what in ("Name", "UUID"))
            yield f"GPU {number}: {name} (UUID: {uuid})"
            if part := self._part(gpu):
                profile = self._text("nvmlDeviceGetName", part).rpartition(" ")[2]
                uuid = self._text("nvmlDeviceGetUUID", part)
                yield f"  MIG {profile:10} Device  0: (UUID: {uuid})"

    def _handle(self, function, *arguments):
        handle = ctypes.c_void_p()
        found = getattr(self.nvml, function)(*arguments, ctypes.byref(handle))
        return None if found else handle

    def _part(self, gpu):
        return self._handle("nvmlDeviceGetMigDeviceHandleByIndex", gpu, 0)

    def _text(self, function, *arguments):
        text = ctypes.create_string_buffer(160)
        getattr(self.nvml, function)(*arguments, text, len(text))
        return text.value.decode()

    def _most_mhz(self, gpu):
        mhz, of_processors = ctypes.c_uint(), 1
        self.nvml.nvmlDeviceGetMaxClockInfo(gpu, of_processors, ctypes.byref(mhz))
        return mhz.value

    def _memory(self, gpu):
        memory = (ctypes.c_ulonglong * 3)()
        self.nvml.nvmlDeviceGetMemoryInfo(gpu, memory)
        return list(memory)


if __name__ == "__main__":
    main()
