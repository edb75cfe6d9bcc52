"""Native PyTorch through ``torch.compile``, in the mode of its column."""

import contextlib
import os
from typing import Any

from measure.frameworks import WrongFramework, cuda_graphs
from measure.frameworks.native import NativeFramework


class Framework(NativeFramework):
    probeable = False  # another batch size costs a compilation, longer than the run itself

    def load(self) -> None:
        super().load()
        self.skips = cuda_graphs.Skips()
        if self.cell.accelerator == "cpu":
            self._know_instruction_sets()
        else:
            self.skips.listen()

    def _know_instruction_sets(self) -> None:
        """Have inductor try which instruction sets the compiler builds for, outside the first step.

        It compiles half a dozen probes for that, 15 s, and keeps the answers in its
        default cache folder, where its precompiled headers are too: about the
        machine, not about a model. A run's private folder would ask again each time.
        """
        private = os.environ.pop("TORCHINDUCTOR_CACHE_DIR", None)
        # Another torch may name it otherwise; then the first step asks, as it always did.
        with contextlib.suppress(ImportError):
            from torch._inductor.cpu_vec_isa import pick_vec_isa

            pick_vec_isa()
        if private:
            os.environ["TORCHINDUCTOR_CACHE_DIR"] = private

    def compile(self, model: Any) -> Any:
        # A builder says what is compiled where that is not the whole model.
        own = getattr(self.models, "compile", None)
        if own:
            return own(model, self.cell, self.cell.mode)
        return self.torch.compile(model, mode=self.cell.mode)

    def compilations(self) -> int | None:
        return self._graphs() + cuda_graphs.recorded(self.torch)

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
        """Programs that were compiled, one for each piece of Python between graph breaks."""
        from torch._dynamo.utils import counters

        return counters["stats"]["unique_graphs"]

    def _graph_breaks(self) -> int:
        from torch._dynamo.utils import counters

        return sum(counters["graph_break"].values())
