"""A framework whose step lasts a known time on the clock that all processes share."""

import platform
import time


class Framework:
    """Waits, busily: a sleep would end when the system finds the time."""

    probeable = False
    profiler = "the clock"

    def __init__(self, cell):
        self.cell = cell
        self._step_ns = round(1e6 * cell.architecture["step_ms"])

    def load(self):
        """There is nothing to import."""

    def live_accelerator(self):
        return "cpu", "a busy wait"

    def build(self):
        """There is nothing to build."""

    def run(self, timer):
        timer.start()
        while not timer.tick():
            self._step()

    def legacy(self, steps, cap_s):
        start = time.time()
        self._step()
        return 1000 * (time.time() - start), 1, "host clock around one step"

    def fence(self):
        """A step is over when it returns."""

    def compilations(self):
        return 0

    def begin_profile(self):
        self._began_ns = time.perf_counter_ns()

    def end_profile(self):
        return [(self._began_ns, time.perf_counter_ns())]

    def work(self):
        return {"parameters": 1, "trainable_parameters": 0}

    def precision(self):
        return {"matmul_precision": "none"}

    def parity(self):
        return {
            "framework_version": f"Python {platform.python_version()}",
            "backend": "none",
            "dtype": "none",
            "execution": "eager",
            "compiler": "none",
            "attention": "none",
            "optimizer": None,
            "device": "cpu",
            "threads": 1,
            "flush_denormals": None,
        }

    def peak_device_mib(self):
        return None

    def _step(self):
        end = time.perf_counter_ns() + self._step_ns
        while time.perf_counter_ns() < end:
            pass
