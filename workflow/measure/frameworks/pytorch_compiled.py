"""Native PyTorch through ``torch.compile``, as the page compiled it."""

import contextlib
import os
from functools import partial

from measure.frameworks import WrongFramework
from measure.frameworks.native import NativeFramework


class Framework(NativeFramework):
    compile_mode = "reduce-overhead"
    probeable = False  # another batch size costs a compilation, longer than the run itself

    def load(self):
        super().load()
        if self.cell.accelerator == "cpu":
            self._know_instruction_sets()

    def _know_instruction_sets(self):
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

    def compile(self, model):
        compiler = partial(self.torch.compile, mode=self.compile_mode)
        # A builder says what is compiled where that is not the whole model.
        own = getattr(self.models, "compile", None)
        return own(model, self.cell, compiler) if own else compiler(model)

    def compilations(self):
        from torch._dynamo.utils import counters

        return counters["stats"]["unique_graphs"]

    def execution(self):
        if not self.compilations():
            raise WrongFramework("torch.compile made no graph: this would be an eager time")
        return {
            "execution": "jit",
            "compiler": "inductor",
            "graphs": self.compilations(),
            "graph_breaks": self._graph_breaks(),
            "cuda_graphs": self._cuda_graphs(),
        }

    def _cuda_graphs(self):
        """Whether the graphs are replayed on the device; inductor counts those it cannot."""
        from torch._dynamo.utils import counters

        on_device = self.cell.accelerator == "cuda" and self.compile_mode == "reduce-overhead"
        return on_device and not counters["inductor"]["cudagraph_skips"]

    def _graph_breaks(self):
        from torch._dynamo.utils import counters

        return sum(counters["graph_break"].values())
