"""Keras 3 on TensorFlow."""

from typing import Any

from millistep.measure.frameworks.keras3 import Keras3Framework
from millistep.measure.frameworks.tensorflow import TensorFlowMixin


class Framework(TensorFlowMixin, Keras3Framework):
    backend = "tensorflow"

    def prepare_backend(self) -> None:
        import tensorflow as tf

        self.tf = tf
        self.apply_threads()
        self.limit_memory()

    def build(self) -> None:
        super().build()
        self.count_traces()

    def seed(self) -> None:
        super().seed()
        self.tf.random.set_seed(self.cell.seed)

    def settings(self) -> dict[str, Any]:
        return {**super().settings(), "threads": self.requested_threads()}
