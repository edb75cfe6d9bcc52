"""Products and copies with TensorFlow."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

import tensorflow as tf

from millistep.measure import live


class Library:
    def __init__(self, accelerator: str, threads: int, seed: int) -> None:
        tf.config.threading.set_intra_op_parallelism_threads(threads)
        tf.config.threading.set_inter_op_parallelism_threads(threads)
        self._seed = seed

    def live_accelerator(self) -> tuple[str, str]:
        return live.of_tensorflow(tf)

    @cached_property
    def _random(self) -> Any:
        return tf.random.Generator.from_seed(self._seed)

    def product(self, dtype: str, size: int) -> Callable[[], object]:
        tf.config.experimental.enable_tensor_float_32_execution(dtype == "tf32")
        kind = tf.bfloat16 if dtype == "bfloat16" else tf.float32
        left, right = (tf.cast(self._random.normal((size, size)), kind) for _ in range(2))
        return lambda: tf.linalg.matmul(left, right)

    def copy(self, mib: int) -> Callable[[], object]:
        source = self._random.normal((mib, 2**20 // 4))
        # As many bytes read and written as by a copy, which TensorFlow would leave out.
        return lambda: tf.negative(source)

    def fence(self) -> None:
        tf.test.experimental.sync_devices()
