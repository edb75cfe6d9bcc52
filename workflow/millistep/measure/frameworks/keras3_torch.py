"""Keras 3 on PyTorch."""

from collections.abc import Iterable
from typing import Any

from millistep.measure import device
from millistep.measure.conformance import WrongModel
from millistep.measure.frameworks import optimizers, products
from millistep.measure.frameworks.keras3 import Keras3Framework
from millistep.measure.frameworks.torch import TorchFramework, averages


class Framework(TorchFramework, Keras3Framework):
    backend = "torch"

    def seed(self) -> None:
        super().seed()
        self.start_build()

    def live_accelerator(self) -> tuple[str, str]:
        return device.of_torch(self.torch, self.keras.ops.zeros(()))

    def settings(self) -> dict[str, Any]:
        return {**super().settings(), "threads": self.torch.get_num_threads()}

    def work(self) -> dict[str, int]:
        """Return numbers of parameters, those of PyTorch modules as native PyTorch counts.

        Keras trains the parameters that a module has when it is wrapped.
        """
        found = super().work()
        wrapper = self.keras.layers.TorchModuleWrapper
        layers = [each for each in self.model._flatten_layers() if isinstance(each, wrapper)]
        known = {id(variable.value) for variable in self.model.variables}
        for module in (layer.module for layer in layers):
            if late := sum(p.numel() for p in module.parameters() if id(p) not in known):
                raise WrongModel(
                    f"{late:,} parameters of a {type(module).__name__} are unknown to Keras, which "
                    "does not train them: make them before keras.layers.TorchModuleWrapper"
                )
            second = self.second_biases(module)
            found["parameters"] -= sum(each.numel() for each in second)
            found["trainable_parameters"] -= sum(p.numel() for p in second if p.requires_grad)
            found["second_biases"] += sum(each.numel() for each in second)
            found["moving_averages"] += sum(each.numel() for each in averages(module))
        return found

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
