"""Keras 2 (tf-keras) on TensorFlow, fed by tf.data as its users do."""

import importlib
import os
import sys
from functools import partial
from typing import Any

from millistep.measure.frameworks import Clock, WrongFramework, builder
from millistep.measure.frameworks.keras import versioned
from millistep.measure.frameworks.loops import FETCHED, LEFT
from millistep.measure.frameworks.products import used
from millistep.measure.frameworks.tensorflow import TensorFlowFramework


class Framework(TensorFlowFramework):
    family = "keras2"
    backend = "tensorflow"

    def load(self) -> None:
        # Read by TensorFlow when tf.keras is first touched. Without it tf.keras is Keras 3.
        os.environ["TF_USE_LEGACY_KERAS"] = "1"
        self.prepare_backend()
        import tf_keras

        self.keras = self.tf.keras
        version, module = tf_keras.__version__, self.keras.layers.Dense.__module__
        if not version.startswith("2.") or not module.startswith("tf_keras."):
            raise WrongFramework(f"expected Keras 2, tf.keras is Keras {version} from {module}")
        self.version = f"tf-keras {version}"
        self.models = builder(self.cell, self.family)

    def seed(self) -> None:
        self.keras.utils.set_random_seed(self.cell.seed)

    def precision(self) -> dict[str, str]:
        return used(self.tf.matmul, partial(self.tf.nn.conv2d, strides=1, padding="VALID"))

    def model_library(self) -> str | None:
        """Add the source of the library's operations, such as softmax: Keras 2 has none."""
        found, library = super().model_library(), self.library()
        if library is None:
            return found
        ops = importlib.import_module(f"{library.__name__}.src.backend.ops")
        source = sys.modules[ops.softmax.__module__.partition(".")[0]]
        return f"{found}, operations of {versioned(source)}"

    def show(self, inputs: Any) -> Any:
        return self.model(inputs)  # Keras 2 has no symbols for all kinds of models

    def _clock(self, timer: Clock) -> Any:
        clock = super()._clock(timer)
        clock._supports_tf_logs = True  # else Keras would fetch every step's results for it
        return clock

    def results_for(self, callback: Any) -> str:
        callbacks = self.keras.callbacks.CallbackList([callback])
        return LEFT if callbacks._batch_hooks_support_tf_logs else FETCHED

    def metrics(self) -> str:
        return ", ".join(self.model.metrics_names)

    def auto_jit_compile(self) -> bool | None:
        # The default of compile(); generate() sets its own jit_compile.
        return None if self.cell.task == "generate" else False
