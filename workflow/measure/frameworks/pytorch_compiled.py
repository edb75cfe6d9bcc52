"""Native PyTorch through ``torch.compile``, as the page compiled it."""

from functools import partial

from measure.frameworks import WrongFramework
from measure.frameworks.native import NativeFramework


class Framework(NativeFramework):
    compile_mode = "reduce-overhead"
    probeable = False  # another batch size costs a compilation, longer than the run itself

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
        }

    def _graph_breaks(self):
        from torch._dynamo.utils import counters

        return sum(counters["graph_break"].values())
