"""How much of a GPU each framework may take.

One policy for all columns: at most ``SHARE`` of the device, and otherwise the allocator
that users of the framework get. The limits they come with differ: JAX takes three quarters
of the device at its first operation, TensorFlow nearly all of it, PyTorch only the
requested memory (docs.jax.dev, *GPU memory allocation*;
tf.config.experimental.get_memory_info; torch.cuda.set_per_process_memory_fraction). A cell
would run out of memory on one column with a quarter of the device unused. Taking it at once,
as JAX and TensorFlow do, stays as it is: growing bit by bit breaks the pool into pieces, so
that a program that fits may not (same page), and after the warm-up no column requests memory
from the device. The rest of the memory is outside every pool: the context, the kernels, handles
of cuBLAS and cuDNN.
"""

SHARE = 0.90  # of the device's memory


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
