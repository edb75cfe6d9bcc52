"""The command nvidia-smi of a simulated machine: the query of Triton, which asks NVML.

python3 -I nvidia_smi.py LIBRARIES -i 0 --query-gpu=clocks.max.sm --format=csv,noheader,nounits
"""

import ctypes
import sys
from pathlib import Path

FAILED = "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver."
LOST = "Unable to determine the device handle: GPU is lost. Reboot the system to recover this GPU"
OF_PROCESSORS = 1  # NVML_CLOCK_SM


def main():
    library = Path(sys.argv[1], "libnvidia-ml.so.1")
    if not library.exists():
        sys.exit(FAILED)
    nvml, gpu, mhz = ctypes.CDLL(str(library)), ctypes.c_void_p(), ctypes.c_uint()
    match sys.argv[2:]:
        case ["-i", index, "--query-gpu=clocks.max.sm", *_]:
            nvml.nvmlInit_v2()
            if nvml.nvmlDeviceGetHandleByIndex_v2(int(index), ctypes.byref(gpu)):
                sys.exit(LOST)
            nvml.nvmlDeviceGetMaxClockInfo(gpu, OF_PROCESSORS, ctypes.byref(mhz))
            print(mhz.value)
        case options:
            sys.exit(f"nvidia-smi of a stand-in: not understood: {' '.join(options)}")


if __name__ == "__main__":
    main()
