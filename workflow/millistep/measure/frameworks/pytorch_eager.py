"""Native PyTorch, eager."""

from millistep.measure.frameworks.native import NativeFramework


class Framework(NativeFramework):
    pass
