"""Matrix products and copies of JAX, PyTorch and TensorFlow, with the threads of the runs.

Each class imports its library when it is built with ``(accelerator, threads, seed)``. ``product``
and ``copy`` return a function that issues one product of two square matrices of seeded random
numbers (in float32, tf32 or bfloat16), or one copy of so many MiB within the device's memory.
``fence`` waits until everything issued so far is done.
"""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

from millistep.measure import device
from millistep.measure.conformance import check_device

CALLS = 4  # of a way to multiply on a processor, before the faster one is taken


class Jax:
    def __init__(self, accelerator: str, threads: int, seed: int) -> None:
        import jax

        # XLA's pool on the host has one thread per processor of the affinity mask.
        self._jax, self._on_host, self._seed = jax, accelerator == "cpu", seed
        self._last = None

    def live_accelerator(self) -> tuple[str, str]:
        return device.of_jax(self._jax)

    def product(self, dtype: str, size: int) -> Callable[[], object]:
        jax, jnp = self._jax, self._jax.numpy
        kind = jnp.bfloat16 if dtype == "bfloat16" else jnp.float32
        keys = jax.random.split(jax.random.key(self._seed))
        left, right = (jax.random.normal(key, (size, size)).astype(kind) for key in keys)
        precision = {"float32": "float32", "tf32": "tensorfloat32", "bfloat16": None}[dtype]
        compiled = jax.jit(lambda a, b: jnp.matmul(a, b, precision=precision))
        return lambda: self._issued(compiled(left, right))

    def copy(self, mib: int) -> Callable[[], object]:
        import numpy as np

        jax = self._jax
        source = jax.random.normal(jax.random.key(self._seed), (mib, 2**20 // 4))
        if self._on_host:  # where JAX would spend its time on fresh pages
            target = np.empty_like(source)
            return lambda: np.copyto(target, source)
        return lambda: self._issued(jax.numpy.copy(source))

    def fence(self) -> None:
        # A device works in the order of issue: the last result is ready after all others.
        self._jax.block_until_ready(self._last)

    def _issued(self, result: Any) -> None:
        self._last = result


class TensorFlow:
    def __init__(self, accelerator: str, threads: int, seed: int) -> None:
        import tensorflow as tf

        tf.config.threading.set_intra_op_parallelism_threads(threads)
        tf.config.threading.set_inter_op_parallelism_threads(threads)
        self._tf, self._seed = tf, seed

    def live_accelerator(self) -> tuple[str, str]:
        return device.of_tensorflow(self._tf)

    def product(self, dtype: str, size: int) -> Callable[[], object]:
        tf = self._tf
        tf.config.experimental.enable_tensor_float_32_execution(dtype == "tf32")
        kind = tf.bfloat16 if dtype == "bfloat16" else tf.float32
        numbers = tf.random.Generator.from_seed(self._seed)
        left, right = (tf.cast(numbers.normal((size, size)), kind) for _ in range(2))
        return lambda: tf.linalg.matmul(left, right)

    def copy(self, mib: int) -> Callable[[], object]:
        source = self._tf.random.Generator.from_seed(self._seed).normal((mib, 2**20 // 4))
        # As many bytes read and written as by a copy, which TensorFlow would leave out.
        negative = self._tf.negative
        return lambda: negative(source)

    def fence(self) -> None:
        self._tf.test.experimental.sync_devices()


class Torch:
    def __init__(self, accelerator: str, threads: int, seed: int) -> None:
        import torch

        torch.set_num_threads(threads)
        torch.set_grad_enabled(False)
        self._torch, self._device, self._seed = torch, accelerator, seed

    def live_accelerator(self) -> tuple[str, str]:
        return device.of_torch(self._torch, self._torch.empty(0, device=self._device))

    def product(self, dtype: str, size: int) -> Callable[[], object]:
        torch = self._torch
        torch.backends.cuda.matmul.allow_tf32 = dtype == "tf32"
        kind = torch.bfloat16 if dtype == "bfloat16" else torch.float32
        seeded = torch.Generator(self._device).manual_seed(self._seed)
        normal = partial(torch.randn, generator=seeded, device=self._device)
        left, right = (normal(size, size).to(kind) for _ in range(2))
        product = partial(torch.mm, left, right, out=torch.empty_like(left))
        if (self._device, dtype) == ("cpu", "float32"):
            return _faster(product, self._as_convolution(left, right))
        return product

    def copy(self, mib: int) -> Callable[[], object]:
        source = self._torch.ones(mib, 2**20 // 4, device=self._device)
        target = self._torch.empty_like(source)
        return lambda: target.copy_(source)

    def fence(self) -> None:
        if self._device == "cuda":
            self._torch.cuda.synchronize()

    def _as_convolution(self, left: Any, right: Any) -> Callable[[], object]:
        """Return the product as a convolution by oneDNN: MKL, which PyTorch takes, makes half as
        many FLOP/s on CPUs of another vendor: 235 against 453 GFLOP/s on two cores of an EPYC.
        """
        last, convolve = self._torch.channels_last, self._torch.nn.functional.conv2d
        pixels = left.t().reshape(1, left.shape[1], -1, 32).contiguous(memory_format=last)
        filters = right.t().reshape(*right.t().shape, 1, 1).contiguous(memory_format=last)
        return lambda: convolve(pixels, filters)


def _faster(*ways: Callable[[], object]) -> Callable[[], object]:
    """Return the function with the fastest call of a few: the first is slow."""

    def seconds(way: Callable[[], object]) -> float:
        start = time.perf_counter()
        way()
        return time.perf_counter() - start

    return min(ways, key=lambda way: min(seconds(way) for _ in range(CALLS)))


Library = Jax | TensorFlow | Torch
LIBRARIES: dict[str, type[Library]] = {"jax": Jax, "tensorflow": TensorFlow, "torch": Torch}


def library(request: dict[str, Any]) -> Library:
    """Return the requested library, checked to compute on the requested device."""
    make = LIBRARIES[request["library"]]
    found = make(request["accelerator"], request["threads"], request["seed"])
    check_device(request["accelerator"], found.live_accelerator)
    return found
