"""Keras 3 on TensorFlow."""

from millistep.measure.frameworks.keras3 import Keras3Framework
from millistep.measure.frameworks.tensorflow import TensorFlowFramework


class Framework(TensorFlowFramework, Keras3Framework):
    backend = "tensorflow"

    def seed(self) -> None:
        super().seed()
        self.tf.random.set_seed(self.cell.seed)
