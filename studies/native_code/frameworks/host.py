"""No framework: a step is one call of an operation on the processor."""

import importlib
import os
import platform
from importlib.metadata import version

import numpy as np
from millistep.measure.models.native.arrays import check

from millistep.measure.frameworks import builder


class Framework:
    """Call the operation once a step; the call returns when its result is complete."""

    probeable = False
    profiler = "none"

    def __init__(self, cell):
        self.cell = cell
        self.family = cell.framework.replace("-", "_")

    def load(self):
        self.models = builder(self.cell, self.family)
        self.inputs = importlib.import_module(f"millistep.measure.models.{self.cell.model}.inputs")

    def live_accelerator(self):
        return "cpu", f"Python {platform.python_version()}"

    def force_precision(self, precision):
        """Do nothing: no float32 matrices are multiplied."""

    def precision(self):
        return {}

    def build(self):
        self.operation = self.models.operation()
        self.operand = self.inputs.operand(self.cell, self.cell.batch_size)
        self.result = self.operation(*self.operand)
        check(self.cell.model, self.result, self.inputs.expected(self.cell), within=1e-12)

    def run_at(self, batch_size, timer):
        timer.start()
        while not timer.tick():
            self.result = self.operation(*self.operand)

    def fence(self):
        """Do nothing: a call returns when its result is complete."""

    def compilations(self):
        return None

    def work(self):
        return {"parameters": 0, "trainable_parameters": 0}

    def parity(self):
        packages = [f"{name} {version(name)}" for name in getattr(self.models, "PACKAGES", ())]
        return {
            "framework_version": ", ".join([f"Python {platform.python_version()}", *packages]),
            "backend": "host",
            "dtype": str(self.result.dtype),
            "matmul_precision": "none",
            "attention": "none",
            "optimizer": None,
            "device": "cpu",
            "threads": getattr(self.models, "threads", lambda: 1)(),
            "flush_denormals": bool(np.float32(1e-39) * np.float32(0.5) == 0),
            "execution": "eager",
            "compiler": getattr(self.models, "compiler_version", lambda: "none")(),
            "feeding": "function arguments",
            "fed_bytes_per_step": sum(map(_bytes, self.operand)),
        }

    def peak_device_mib(self):
        return None


def _bytes(argument):
    if isinstance(argument, str):  # the path of a file
        return os.path.getsize(argument)
    return getattr(argument, "nbytes", 0)
