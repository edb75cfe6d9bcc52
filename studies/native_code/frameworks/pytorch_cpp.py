"""PyTorch, eager, with a model's custom C++ operation."""

from millistep.measure.models.native.compile import compiler_version

from millistep.measure.frameworks import pytorch_eager


class Framework(pytorch_eager.Framework):
    family = "pytorch_cpp"

    def execution(self):
        return {**super().execution(), "compiler": compiler_version()}
