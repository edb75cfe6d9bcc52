"""The device that a process computes on: which one, its memory, versions of CUDA, thread pools.

A library shows where it computes, instead of the requested device: JAX without its plugin and
TensorFlow without one library of CUDA continue on the host without a message. ``of_...`` return
``(cpu, cuda or the library's name of another device, the library in words)``.

Memory: one policy for all columns, at most ``SHARE`` of the device, and otherwise the allocator
that users of the framework get. Their default limits differ: JAX takes three quarters of the device
at its first operation (docs.jax.dev, *GPU memory allocation*), TensorFlow nearly all of it, PyTorch
only the requested memory. A cell would run out of memory on one column with a quarter of the device
unused. JAX and TensorFlow still take it at once: a pool that grows bit by bit breaks into pieces,
so that a program that fits may not (same page). The rest of the memory is outside every pool: the
context, the kernels, handles of cuBLAS and cuDNN.
"""

import contextlib
import ctypes
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

SHARE = 0.90  # of the device's memory


def total_mib() -> float:
    """Memory of the first device that this process sees, from the driver; raises OSError.

    For TensorFlow, whose limit is a number of bytes. Makes no context on the device.
    """
    cuda, first, size = ctypes.CDLL("libcuda.so.1"), ctypes.c_int(), ctypes.c_size_t()
    for failed in (
        cuda.cuInit(0),
        cuda.cuDeviceGet(ctypes.byref(first), 0),
        cuda.cuDeviceTotalMem_v2(ctypes.byref(size), first),
    ):
        if failed:
            raise OSError(f"the CUDA driver gives error {failed} for the memory of the device")
    return size.value / 2**20


def of_jax(jax: Any) -> tuple[str, str]:
    (chosen,) = jax.device_put(0).devices()  # by a default device, if there is one
    platform = chosen.platform
    return {"gpu": "cuda"}.get(platform, platform), f"jax {jax.__version__}"


def of_tensorflow(tf: Any) -> tuple[str, str]:
    """Return the device of an operation that TensorFlow places by itself."""
    kind = tf.DeviceSpec.from_string((tf.ones((2, 2)) + 1.0).device).device_type
    built_for = tf.sysconfig.get_build_info().get("cuda_version")
    build = f"built for CUDA {built_for}" if built_for else "built without CUDA"
    return {"GPU": "cuda", "CPU": "cpu"}.get(kind, kind), f"tensorflow {tf.__version__} ({build})"


def of_torch(torch: Any, tensor: Any) -> tuple[str, str]:
    """Return the device of a tensor that was put where the model goes."""
    return tensor.device.type, f"torch {torch.__version__}"


def versions() -> dict[str, str | None]:
    """Return ``cuda_version``, ``cudnn_version``; None if not loaded or not reported."""
    return {
        "cuda_version": _versions_in_use("cudart", _cuda),
        "cudnn_version": _versions_in_use("cudnn", _cudnn),
    }


def _versions_in_use(library: str, ask: Callable[[Any], str | None]) -> str | None:
    """Return all versions that the loaded copies of a library report; None if there are none."""
    name = re.compile(rf"lib{library}(-[0-9a-f]+)?\.so[.\d]*")
    try:
        lines = Path("/proc/self/maps").read_text().splitlines()
    except OSError:  # no Linux
        return None
    paths = {line.split(maxsplit=5)[-1] for line in lines}  # the sixth field, if there is one
    found = set()
    for path in filter(lambda path: name.fullmatch(Path(path).name), paths):
        # It was unloaded meanwhile, or is another library of that name.
        with contextlib.suppress(OSError, AttributeError):
            found.add(ask(ctypes.CDLL(path, mode=os.RTLD_NOLOAD | os.RTLD_LAZY)))
    return ", ".join(sorted(filter(None, found))) or None


def _cuda(library: Any) -> str | None:
    """Version of CUDA's runtime: 12090 is 12.9."""
    number = ctypes.c_int()
    if library.cudaRuntimeGetVersion(ctypes.byref(number)):
        return None
    return f"{number.value // 1000}.{number.value % 1000 // 10}"


def _cudnn(library: Any) -> str:
    """Version of cuDNN: 92800 is 9.28.0; before version 9 a digit less, 8902 is 8.9.2."""
    library.cudnnGetVersion.restype = ctypes.c_size_t
    number = library.cudnnGetVersion()
    unit = 10_000 if number >= 90_000 else 1000
    return f"{number // unit}.{number % unit // 100}.{number % 100}"


def xla_threads() -> int:
    """Return how many threads compute XLA's programs on the host; 0 if the system lists none."""
    count = 0
    for path in Path("/proc/self/task").glob("*/comm"):
        with contextlib.suppress(OSError):  # it ended meanwhile
            count += path.read_text().strip() == "tf_XLAEigen"
    return count
