"""How much of a GPU each framework may take, and whose limit an allocation met.

One policy for all columns: at most ``SHARE`` of the device, and otherwise the allocator
that users of the framework get. The limits they come with differ: JAX takes three quarters
of the device at its first operation, TensorFlow nearly all of it, PyTorch what is asked for
and no more (docs.jax.dev, *GPU memory allocation*; tf.config.experimental.get_memory_info;
torch.cuda.set_per_process_memory_fraction). A cell would run out of memory on one column
with a quarter of the device unused. Taking it at once, as JAX and TensorFlow do, stays as
it is: growing bit by bit breaks the pool into pieces, so that a program that fits may not
(same page), and after the warm-up no column asks the device for memory. What is left over
is for what no pool holds: the context, the kernels, handles of cuBLAS and cuDNN.
"""

import re

SHARE = 0.90  # of the device's memory
UNITS = {"": 1, "B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
NUMBER = r"(\d+(?:\.\d+)?)\s*(bytes|[KMGT]iB|B)?"
ASKED = re.compile(rf"(?:to allocate|to allocate request for)\s+{NUMBER}")
FREE = re.compile(rf"of which\s+{NUMBER}\s+is free")


def total_mib() -> float:
    """Memory of the first device that this process sees, from the driver; raises OSError.

    For TensorFlow, whose limit is a number of bytes. Makes no context on the device.
    """
    import ctypes

    cuda, device, size = ctypes.CDLL("libcuda.so.1"), ctypes.c_int(), ctypes.c_size_t()
    for failed in (
        cuda.cuInit(0),
        cuda.cuDeviceGet(ctypes.byref(device), 0),
        cuda.cuDeviceTotalMem_v2(ctypes.byref(size), device),
    ):
        if failed:
            raise OSError(f"the CUDA driver gives error {failed} for the memory of the device")
    return size.value / 2**20


def whose_limit(message: str, free_mib: float | None, limit_mib: float | None) -> str:
    """What to add to the words of an allocation that failed: nothing, if it was too large for
    the device, or if that cannot be told.

    message: the framework's words. free_mib: what the device had left, as sampled beside the
    run; what the message itself says of it comes first. limit_mib: what the framework may take.
    """
    asked, told = ASKED.search(message), FREE.search(message)
    free = _bytes(told) if told else None if free_mib is None else free_mib * 2**20
    if asked is None or free is None or _bytes(asked) > free:
        return ""
    limit = f" of {limit_mib / 1024:.1f} GiB" if limit_mib else ""
    return (
        f"; the framework met the limit{limit} of its own pool, the device had as much left as "
        "was asked for"
    )


def _bytes(found: re.Match) -> float:
    number, unit = found.groups()
    return float(number) * UNITS[(unit or "").replace("bytes", "B")]
