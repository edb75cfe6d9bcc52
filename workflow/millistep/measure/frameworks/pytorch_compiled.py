"""Native PyTorch through ``torch.compile``, in the mode of its column."""

import contextlib
import os
from collections.abc import Callable
from typing import Any

from millistep.measure.frameworks import WrongFramework, cuda_graphs
from millistep.measure.frameworks.native import NativeFramework
from millistep.measure.frameworks.products import Product
from millistep.measure.models import Tick


class Framework(NativeFramework):
    probeable = False  # another batch size costs a compilation, longer than the run itself

    def load(self) -> None:
        super().load()
        self.declared.add("image_data_format")
        self.skips = cuda_graphs.Skips()
        if self.cell.accelerator != "cpu":
            self.skips.listen()

    def _loop(self, batch_size: int) -> Callable[[Tick], dict[str, Any] | None]:
        loop = super()._loop(batch_size)

        def compiling(tick: Tick) -> dict[str, Any] | None:
            if self.cell.accelerator == "cpu":
                self._know_instruction_sets()
            return loop(tick)

        return compiling

    def _know_instruction_sets(self) -> None:
        """Let inductor test the instruction sets of the compiler within the first step, as every
        user's first compilation does.

        Inductor compiles half a dozen probes for that, 15 s, and keeps the answers and precompiled
        headers in its default cache folder: they are about the machine, not about a model. In a
        run's private folder it would compile the probes in every run.
        """
        private = os.environ.pop("TORCHINDUCTOR_CACHE_DIR", None)
        # Another torch may name it otherwise; then it compiles the probes in the private folder.
        with contextlib.suppress(ImportError):
            from torch._inductor.cpu_vec_isa import pick_vec_isa

            pick_vec_isa()
        if private:
            os.environ["TORCHINDUCTOR_CACHE_DIR"] = private

    def compile(self, model: Any) -> Any:
        # A builder may compile a part of the model instead of the whole model.
        own = getattr(self.models, "compile", None)
        if own:
            return own(model, self.cell, self.cell.mode)
        return self.torch.compile(model, mode=self.cell.mode)

    def products(self) -> list[Product]:
        if hasattr(self.models, "compile"):  # parts of the model itself may be compiled
            raise ValueError("what a builder compiles itself is not looked into")
        return super().products()

    def compilations(self) -> int | None:
        # Each call of generate() makes its own static cache, at addresses that may be new. Graphs
        # that are recorded again for it are a cost of every call, not a compilation.
        recorded = 0 if self.cell.task == "generate" else cuda_graphs.recorded(self.torch)
        return self._graphs() + recorded

    def _image_data_format(self) -> str:
        """Return the model's format; inductor may choose another inside its programs, silently."""
        return f"{super()._image_data_format()}, within programs inductor's choice"

    def execution(self) -> dict[str, Any]:
        if not self._graphs():
            raise WrongFramework("torch.compile made no graph: this would be an eager time")
        return {
            "execution": "jit",
            "compiler": "inductor",
            "graphs": self._graphs(),
            "graph_breaks": self._graph_breaks(),
            "cuda_graphs": bool(cuda_graphs.recorded(self.torch)) and not self.skips.reasons,
            "cuda_graphs_skipped": "; ".join(self.skips.reasons) or None,
        }

    def _graphs(self) -> int:
        """Return the number of compiled programs: one for each piece of Python between graph
        breaks, and one more wherever a later step failed its guards.
        """
        from torch._dynamo.utils import counters

        graphs: int = counters["stats"]["unique_graphs"]
        return graphs

    def _graph_breaks(self) -> int:
        from torch._dynamo.utils import counters

        return sum(counters["graph_break"].values())
