"""Keras 3 on PyTorch."""

from typing import Any

from measure import live
from measure.frameworks import optimizers
from measure.frameworks.keras3 import Keras3Framework
from measure.frameworks.torch import TorchMixin


class Framework(TorchMixin, Keras3Framework):
    backend = "torch"

    def prepare_backend(self) -> None:
        import torch

        self.torch = torch
        self.apply_threads()
        self.limit_memory()

    def seed(self) -> None:
        super().seed()
        self.torch.manual_seed(self.cell.seed)

    def live_accelerator(self) -> tuple[str, str]:
        return live.of_torch(self.torch, self.keras.ops.zeros(()))

    def optimizer_update(self, jit: bool) -> str:
        kind = optimizers.of_keras(self.torch, self.keras, self.model.optimizer)
        return f"{kind}, {'compiled' if jit else 'eager'}"

    def compilations(self) -> int | None:
        if not self.model.jit_compile:
            return None
        return self.torch._dynamo.utils.counters["stats"]["unique_graphs"]

    def execution(self, jit: bool) -> dict[str, Any]:
        return {
            "execution": "jit" if jit else "eager",
            "compiler": "inductor" if jit else "none",
            "cuda_graphs": False,  # Keras compiles in the default mode, which has none
            **self.device_facts(),
        }
