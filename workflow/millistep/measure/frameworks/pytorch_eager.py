"""Native PyTorch, eager."""

import sys
from typing import Any

from millistep.measure.conformance import WrongSetting
from millistep.measure.frameworks.native import NativeFramework


class Framework(NativeFramework):
    def compile(self, model: Any) -> Any:
        # In place, or around the module.
        if getattr(model, "_compiled_call_impl", None) or hasattr(model, "_orig_mod"):
            raise WrongSetting(
                f"{self.cell.framework} was requested, build() returned a compiled model; return "
                "the module itself, which pytorch-compiled compiles"
            )
        self._graphs_before = _graphs()
        return model

    def compilations(self) -> int | None:
        """Return the programs of parts that the model itself compiles; None without any."""
        return _graphs() - self._graphs_before or None

    def execution(self) -> dict[str, Any]:
        graphs = self.compilations()
        if not graphs:
            return super().execution()
        return {"execution": "jit", "compiler": "inductor", "graphs": graphs}


def _graphs() -> int:
    """Return the programs that torch.compile has made in this process."""
    dynamo = sys.modules.get("torch._dynamo.utils")  # eager code needs none
    return dynamo.counters["stats"]["unique_graphs"] if dynamo else 0
