"""Keras 3 on PyTorch."""

from collections.abc import Iterable
from typing import Any

from millistep.measure import device
from millistep.measure.frameworks import optimizers, products
from millistep.measure.frameworks.keras3 import Keras3Framework
from millistep.measure.frameworks.torch import TorchFramework


class Framework(TorchFramework, Keras3Framework):
    backend = "torch"

    def seed(self) -> None:
        super().seed()
        self.start_build()

    def live_accelerator(self) -> tuple[str, str]:
        return device.of_torch(self.torch, self.keras.ops.zeros(()))

    def settings(self) -> dict[str, Any]:
        return {**super().settings(), "threads": self.torch.get_num_threads()}

    def products(self) -> Iterable[products.Product]:
        """Return products of a forward pass, which is run once."""
        inputs = self.forward_inputs(min(2, self.cell.batch_size))
        return products.of_torch(self.torch, lambda: self.model(inputs))

    def optimizer_update(self, jit: bool) -> str:
        kind = optimizers.known(
            lambda: optimizers.of_keras(self.torch, self.keras, self.model.optimizer)
        )
        return f"{kind}, {'compiled' if jit else 'eager'}"

    def compilations(self) -> int | None:
        return self.graphs() if self.compiled() else self.graphs() or None

    def execution(self, jit: bool) -> dict[str, Any]:
        # A custom loop may leave alone what Keras compiles, and a layer may compile itself.
        compiled = self.graphs() or (jit and not self.own_loop)
        eager = {"execution": "eager", "compiler": "none"}
        return {
            **(self.compiled_execution() if compiled else eager),
            "cuda_graphs": False,  # Keras compiles in the default mode, which has none
            **self.device_facts(),
        }
