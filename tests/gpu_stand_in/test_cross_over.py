"""The size from which on a GPU is faster, against a truth: times of both devices are set."""

import pytest

from analysis.topics.cross_over.compute import cross_over

from . import truth
from .harness import kernels
from .machine import Machine

KERNEL_US, KERNELS = 2000, 22
CROSSES_AT = 300_000  # parameters, where a step has so many kernels
NETS = [f"mnist_dense_{width}" for width in ("w150", "w600", "w1200")]
FRAMEWORKS = "pytorch-set: {like: pytorch-eager, module: set_times, title: Set times}\n"
# On a processor a step takes a time for each parameter, and a bit less or more in each round.
CLASS = f"""
import time

from measure.frameworks import pytorch_eager

NS_PER_PARAMETER = {1e3 * KERNEL_US * KERNELS / CROSSES_AT}
SCATTER = (0.97, 1.0, 1.03)  # of three seeds in a row


class Framework(pytorch_eager.Framework):
    def _step(self):
        step = super()._step()
        if self.cell.accelerator == "cuda":
            return step
        parameters = sum(each.numel() for each in self.model.parameters())
        lasts_ns = parameters * NS_PER_PARAMETER * SCATTER[self.cell.seed % 3]

        def set_step(batch):
            until_ns = time.perf_counter_ns() + lasts_ns
            step(batch)
            time.sleep(max(0, until_ns - time.perf_counter_ns() - 1e6) / 1e9)
            while time.perf_counter_ns() < until_ns:
                pass

        return set_step
"""


@pytest.fixture(scope="module")
def project(asked, pytorch, tmp_path_factory):
    interpreter, libraries = pytorch
    folder = tmp_path_factory.mktemp("cross_over")
    machine = Machine(folder, libraries).set(kernel_us=KERNEL_US)
    own = {"frameworks.yaml": FRAMEWORKS, "set_times.py": CLASS}
    columns = [{"framework": "pytorch-set", "accelerator": kind} for kind in ("cpu", "cuda")]
    models = {net: {"fit": [8]} for net in NETS}
    return truth.measured(folder, machine, interpreter, own, columns=columns, models=models)


def test_the_interval_holds_the_size_that_was_set(project):
    on_gpu = [each for each in project.found() if each["cell"]["accelerator"] == "cuda"]
    profiled = [kernels(each) for each in on_gpu if each["host_overhead"]]
    (launches,) = {sum(kernel["count"] for kernel in of_one) for of_one in profiled}
    set_size = CROSSES_AT * launches / KERNELS
    found = cross_over(truth.analysed(project)).iloc[0]
    assert (found["outcome"], found["sizes"], found["times_crossed"]) == ("crosses", len(NETS), 1)
    assert found["ci95_low"] <= set_size <= found["ci95_high"], found.to_dict()
    assert found["ci95_high"] < 1.5 * found["ci95_low"]  # not one that holds everything
