"""Native PyTorch, eager."""

from measure.frameworks.native import NativeFramework


class Framework(NativeFramework):
    pass
