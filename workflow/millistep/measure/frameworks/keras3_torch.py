"""Keras 3 on PyTorch."""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from millistep.measure import device
from millistep.measure.conformance import WrongModel
from millistep.measure.frameworks import optimizers, products
from millistep.measure.frameworks.keras3 import Keras3Framework
from millistep.measure.frameworks.loops import flat
from millistep.measure.frameworks.torch import TorchFramework, averages


class Framework(TorchFramework, Keras3Framework):
    backend = "torch"

    @property
    def wrapper(self) -> Any:
        return self.keras.layers.TorchModuleWrapper

    def live_accelerator(self) -> tuple[str, str]:
        return device.of_torch(self.torch, self.keras.ops.zeros(()))

    def work(self) -> dict[str, int]:
        """Return numbers of parameters, those of PyTorch modules as native PyTorch counts.

        Keras trains the parameters that a module has when it is wrapped.
        """
        found = super().work()
        known = {id(variable.value) for variable in self.model.variables}
        unknown = {id(p): p for p in self._parameters() if id(p) not in known}.values()
        late = sum(p.numel() for p in unknown if p.requires_grad)
        if late and self.cell.task == "fit":
            raise WrongModel(
                f"Keras does not train {late:,} parameters, because no layer has them: give each "
                "PyTorch module, with all its parameters, to keras.layers.TorchModuleWrapper"
            )
        found["parameters"] += sum(p.numel() for p in unknown)
        layers = [each for each in self.model._flatten_layers() if isinstance(each, self.wrapper)]
        for module in (layer.module for layer in layers):
            second = self.second_biases(module)
            found["parameters"] -= sum(each.numel() for each in second)
            found["trainable_parameters"] -= sum(p.numel() for p in second if p.requires_grad)
            found["second_biases"] += sum(each.numel() for each in second)
            found["moving_averages"] += sum(each.numel() for each in averages(module))
        return found

    def _parameters(self) -> Iterator[Any]:
        """Yield the parameters of PyTorch modules that layers hold, also of those in lists."""
        kind, layer_kind = self.torch.nn.Module, self.keras.layers.Layer
        for layer in self.model._flatten_layers():
            yield from (each for each in layer._parameters.values() if each is not None)
            # Keras' own attributes hold layers and variables.
            held = [each for name, each in vars(layer).items() if not name.startswith("_")]
            held += [layer.module] if isinstance(layer, self.wrapper) else []
            for each in flat(held):
                if isinstance(each, kind) and not isinstance(each, layer_kind):
                    yield from each.parameters()

    def has_weights(self) -> bool:
        """Return True if Keras has made all weights; a Sequential counts as built without those
        after a wrapped PyTorch module, whose shape is unknown.
        """
        layers = self.model._flatten_layers()
        wraps = any(isinstance(each, self.wrapper) for each in layers)
        return super().has_weights() and not (wraps and any(not each.built for each in layers))

    def show(self, inputs: Any) -> Any:
        try:
            return super().show(inputs)
        except NotImplementedError:  # of a wrapped PyTorch module, which takes no symbols
            with self.torch.no_grad():
                return self.model(inputs)

    def products(self) -> Iterable[products.Product]:
        """Return products of a forward pass, which is run once."""
        inputs = self.forward_inputs(min(2, self.cell.batch_size))
        return products.of_torch(self.torch, lambda: self.model(inputs))

    def optimizer_update(self, jit: bool) -> str:
        find = partial(optimizers.of_keras, self.torch, self.keras, self.model.optimizer)
        kind = optimizers.known(find)
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
