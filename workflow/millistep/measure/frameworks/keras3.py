"""Keras 3 on any backend: a PyDataset in, the ordinary trainer, the outcome of ``auto`` out."""

import os
from functools import partial
from typing import Any

from millistep.measure.conformance import WrongPrecision
from millistep.measure.frameworks import WrongFramework, builder
from millistep.measure.frameworks.keras import ENDLESS, KerasFramework
from millistep.measure.frameworks.loops import BY_A_THREAD, FETCHED, LEFT
from millistep.measure.frameworks.products import used


class Keras3Framework(KerasFramework):
    """Base of the Keras 3 columns; subclasses name the backend and wait for its device."""

    family = "keras3"

    def load(self) -> None:
        os.environ["KERAS_BACKEND"] = self.backend
        self.prepare_backend()
        import keras

        if not keras.__version__.startswith("3.") or keras.backend.backend() != self.backend:
            raise WrongFramework(
                f"expected Keras 3 on {self.backend}, "
                f"found Keras {keras.__version__} on {keras.backend.backend()}"
            )
        self.keras, self.version = keras, f"keras {keras.__version__}"
        self.models = builder(self.cell, self.family)

    def prepare_backend(self) -> None:
        """Import the backend and apply the thread policy, before Keras is imported."""

    def build(self) -> None:
        super().build()
        for variable in self.model.weights:
            live = str(self.keras.backend.standardize_dtype(variable.value.dtype))
            if "float" in variable.dtype and live != variable.dtype:
                raise WrongPrecision(
                    f"{getattr(variable, 'path', variable.name)} was requested in {variable.dtype} "
                    f"and is {live} on {self.backend}{self.wider(live)}"
                )

    def wider(self, live: str) -> str:
        """Return how to get the requested dtype, as the end of a sentence."""
        return ""

    def dataset(self, batch_size: int) -> Any:
        batch = self.fed_batch = self._batch(batch_size)
        data: Any = self.keras.utils.PyDataset

        class Repeated(data):  # type: ignore[misc]  # the base is of any type
            def __len__(self) -> int:
                return ENDLESS

            def __getitem__(self, index: int) -> Any:
                return batch

        return Repeated()

    def precision(self) -> dict[str, str]:
        ops = self.keras.ops
        return used(ops.matmul, partial(ops.conv, data_format="channels_last"))

    def results_for(self, callback: Any) -> str:
        callbacks = self.keras.callbacks.CallbackList([callback])
        task = "train" if self.cell.task == "fit" else self.cell.task
        if not hasattr(callbacks, "_async_train"):  # before Keras 3.6
            return FETCHED if task == "train" else LEFT
        return BY_A_THREAD if getattr(callbacks, f"_async_{task}") else FETCHED

    def metrics(self) -> str:
        # What compile() was given is one metric that holds those.
        metrics = self.model.metrics
        parts = (part for metric in metrics for part in getattr(metric, "metrics", [metric]))
        return ", ".join(part.name for part in parts)

    def auto_jit_compile(self) -> bool | None:
        net = self.keras.Sequential([self.keras.Input((1,)), self.keras.layers.Dense(1)])
        net.compile()
        return bool(net.jit_compile)
