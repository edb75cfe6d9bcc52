"""Keras 3 on TensorFlow."""

from typing import Any

from millistep.measure.frameworks.keras3 import Keras3Framework
from millistep.measure.frameworks.tensorflow import TensorFlowFramework


class Framework(TensorFlowFramework, Keras3Framework):
    backend = "tensorflow"

    def seed(self) -> None:
        super().seed()
        self.tf.random.set_seed(self.cell.seed)

    def settings(self) -> dict[str, Any]:
        return {**super().settings(), "threads": self.requested_threads()}
