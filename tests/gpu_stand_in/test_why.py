"""'Why is it slower?' against a truth: a host that is made slower, and kernels of one name."""

import re

import pytest

from analysis.topics.why.ceilings import ceilings
from analysis.topics.why.compute import IDLE, cell_operations, cell_parts
from analysis.topics.why.differences import STEP, why
from analysis.topics.why.section import rows

from . import truth
from .machine import Machine

KERNEL_US = 200
SLOW_KERNEL, SLOW_US = "vectorized_layer_norm_kernel", 20_000  # on the second machine
NORMALISATION = "normalisation"  # the group of this kernel
HOST_MS = 2  # extra time of the host for each call of a layer
PLAIN, SLOW_HOST, SLOW_DEVICE = COLUMNS = ["pytorch-eager", "pytorch-host", "pytorch-device"]
TITLES = {SLOW_HOST: "Slow host", SLOW_DEVICE: "Slow kernel"}
FRAMEWORKS = f"""
{SLOW_HOST}: {{like: {PLAIN}, module: slow_host, title: {TITLES[SLOW_HOST]}}}
{SLOW_DEVICE}: {{like: {PLAIN}, module: slow_device, title: {TITLES[SLOW_DEVICE]}}}
"""
HOST = f"""
import time

from measure.frameworks import pytorch_eager


class Framework(pytorch_eager.Framework):
    def build(self):
        super().build()
        for layer in self.model.modules():
            layer.register_forward_pre_hook(self.dawdle)

    def dawdle(self, *called):
        until_s = time.perf_counter() + {HOST_MS / 1e3}
        while time.perf_counter() < until_s:
            pass
"""
DEVICE = """
import os

os.environ["GPU_STAND_IN"] = "{settings}"  # which the libraries read when PyTorch loads them

from measure.frameworks.pytorch_eager import Framework
"""


@pytest.fixture(scope="module")
def data(asked, pytorch, tmp_path_factory):
    interpreter, libraries = pytorch
    folder = tmp_path_factory.mktemp("why")
    machine = Machine(folder, libraries).set(kernel_us=KERNEL_US)
    (folder / "other").mkdir()
    other = Machine(folder / "other", libraries)
    other.set(kernel_us=KERNEL_US, kernel_us_of={f"*{SLOW_KERNEL}*": SLOW_US})
    own = {
        "frameworks.yaml": FRAMEWORKS,
        "slow_host.py": HOST,
        "slow_device.py": DEVICE.format(settings=other.settings),
    }
    config = {"models": {"bert": {"fit": "default"}}, "columns": COLUMNS}
    return truth.analysed(truth.measured(folder, machine, interpreter, own, **config))


@pytest.fixture(scope="module")
def more_ms(data):
    """Time that a part of a step takes longer than in the plain column, by column and part."""
    found = why(data)
    assert set(found["fastest"]) == {PLAIN}
    return found.set_index(["column", "part"])["difference_ms"].astype(float)


def reasons(data, column):
    """The reasons that the report names, the largest first."""
    (row,) = rows(data)
    (sentence,) = (text for text in row["sentences"] if text.startswith(TITLES[column]))
    return re.findall(r"\(.?\d+\u00a0%\) in ([\w ]+)", sentence)


def test_a_slow_host_is_time_in_which_nothing_computes(data, more_ms):
    found = more_ms[SLOW_HOST]
    groups = found.drop([STEP, IDLE])
    assert found[STEP] > 20 * HOST_MS  # so many layers there are
    assert found[IDLE] == pytest.approx(found[STEP], rel=1e-3)
    assert groups.abs().max() < 1e-3 * found[STEP]
    assert reasons(data, SLOW_HOST) == [f"which {IDLE}"]


def test_a_ceiling_is_what_the_device_leaves_of_a_step(data):
    """Expected from the times that kernels are set to and that a step took."""
    found = ceilings(data).set_index("column")["share"]
    steps = cell_parts(data).reset_index().set_index("column")["step_ms"]
    kernels = cell_operations(data).query("not name.str.startswith('Mem')")
    busy_ms = kernels.groupby("column")["count"].sum() * KERNEL_US / 1e3
    calls = kernels[kernels["name"].str.contains(SLOW_KERNEL)].set_index("column")["count"]
    busy_ms[SLOW_DEVICE] += calls[SLOW_DEVICE] * (SLOW_US - KERNEL_US) / 1e3
    for column in COLUMNS:
        assert found[column] == pytest.approx(1 - busy_ms[column] / steps[column], abs=1e-3)


def test_slow_kernels_are_named_by_what_they_do(data, more_ms):
    operations = cell_operations(data).set_index(["column", "name"])
    plain, slow = operations.loc[PLAIN], operations.loc[SLOW_DEVICE]
    (name,) = (name for name in slow.index if SLOW_KERNEL in name)
    assert slow["ms"].idxmax() == name and slow["count"][name] == plain["count"][name]
    set_ms = slow["count"][name] * (SLOW_US - KERNEL_US) / 1e3
    assert more_ms[SLOW_DEVICE, NORMALISATION] == pytest.approx(set_ms, rel=1e-3)
    assert reasons(data, SLOW_DEVICE)[0] == NORMALISATION
    others = more_ms[SLOW_DEVICE].drop([STEP, IDLE, NORMALISATION])
    assert others.abs().max() < 1e-3 * set_ms
