"""Columns on a simulated GPU, each by itself: what is reported of a step is what its device did. A
fence that waits for nothing is found out, whatever the framework waits for by itself, and a model
of the paper's size takes memory that a small host does not have.
"""

import pytest

from tests.shared import put

from . import harness
from .conftest import IS_ASKED
from .log import step_of
from .machine import Machine

KERNEL_US = 3000
# The versions of CUDA and of cuDNN that each column loads, by its lock.
LOADED = {
    "pytorch-eager": ("13.0", "9.20.0"),
    "keras3-torch": ("13.0", "9.20.0"),
    "keras3-jax": ("12.9", "9.28.0"),
    "keras3-tensorflow": ("12.9", "9.28.0"),
    "keras2-tensorflow": ("12.9", "9.28.0"),
}
FUSED = {"pytorch-eager": "scaled_dot_product_efficient_attention"}  # the others write it out


@pytest.mark.parametrize("column", LOADED)
def test_a_step_takes_what_its_device_did(environment_of, tmp_path, column):
    machine = Machine(tmp_path, environment_of(column)).set(kernel_us=KERNEL_US)
    record = harness.one(machine, column, "bert", "predict", extras=["profile"])
    assert record["status"] == "ok", record["reason"]
    parity, memory = record["parity"], record["memory"]
    assert parity["device"] == "NVIDIA A100-SXM4-40GB (stand-in)"
    assert (parity["cuda_version"], parity["cudnn_version"]) == LOADED[column]
    assert memory["device_limit_mib"] == pytest.approx(0.9 * 40 * 1024, rel=0.01)
    assert 0 < memory["peak_device_mib"] < memory["device_limit_mib"]
    blocks = record["timing"]["windows"]
    step = step_of(machine.processes(), blocks)
    reported_ms = sum(b["elapsed_ns"] for b in blocks) / sum(b["steps"] for b in blocks) / 1e6
    assert step.launches > 20 and step.launches == int(step.launches)
    assert step.busy_ms == pytest.approx(step.launches * KERNEL_US / 1e3)
    assert reported_ms >= step.busy_ms
    if IS_ASKED:  # a busy host is late
        assert 0.97 <= reported_ms / (step.busy_ms + step.idle_ms) <= 1.03
    if column != "keras2-tensorflow":  # which begins by comparing numbers on the device
        kernels, processes = harness.kernels(record), machine.processes()
        assert sum(each["count"] for each in kernels) == step.launches
        assert sum(each["ms"] for each in kernels) == pytest.approx(step.busy_ms, rel=0.005)
        assert parity["attention_kernel"] == FUSED.get(column, "none seen")
        assert "attention" not in parity.get("declared", "")
        xla = parity["compiler"] == "xla"
        assert bool(parity.get("cuda_graphs")) == xla == any(p.graph_launches for p in processes)
    assert not any(record["timing"]["late_ns"] or [])  # none where TensorFlow is asked nothing


def test_a_loop_of_xla_makes_a_turn_for_each_new_token(environment_of, tmp_path):
    """Before each turn, and at the end, the host asks the device if there is another one."""
    machine = Machine(tmp_path, environment_of("keras3-jax")).set(kernel_us=KERNEL_US)
    with harness.on(machine):
        runs = harness.planned(["keras3-jax"], ["gemma"], ["generate"])
        (run,) = [run for run in runs if run.row.batch_size == 1]
        record = harness.measured(run, machine, tmp_path / "run.json", extras=[])
    assert record["status"] == "ok", record["reason"]
    blocks = record["timing"]["windows"]
    step = step_of(machine.processes(), blocks, fence_waits=False)
    assert step.waits == record["work"]["tokens_per_step"] + 1


ENTRY = "pytorch-unfenced: {like: pytorch-eager, module: pytorch_unfenced, title: No fence}\n"
CLASS = """
from millistep.measure.frameworks import pytorch_eager


class Framework(pytorch_eager.Framework):
    def fence(self):
        pass
"""


@pytest.mark.parametrize("task", ["fit", "predict"])
def test_without_a_fence_a_run_is_invalid(pytorch, tmp_path, task):
    """BERT waits for its device once a step, to look at the mask, so most of the time is seen."""
    own = str(tmp_path / "own")
    put(tmp_path / "own/frameworks/frameworks.yaml", ENTRY)
    put(tmp_path / "own/frameworks/pytorch_unfenced.py", CLASS)
    machine = Machine(tmp_path, pytorch).set(kernel_us=1000)
    changes = {"folders": [own]}
    record = harness.one(machine, "pytorch-unfenced", "bert", task, changes, folders=(own,))
    assert record["status"] == "invalid", record["reason"]
    assert "the clock stopped before the work did" in record["reason"]


WEIGHTS_MIB = 2 * 8_537_680_896 / 2**20  # Gemma's, in bfloat16


def test_gemma_takes_memory_of_the_device_and_hardly_any_of_the_host(pytorch, tmp_path):
    machine = Machine(tmp_path, pytorch).set(devices="a100-40gb")
    options = {"changes": {"scale": "paper"}, "extras": [], "few_steps": True}
    record = harness.one(machine, "pytorch-eager", "gemma", "fit", **options)
    assert record["status"] == "ok", record["reason"]
    work, memory = record["work"], record["memory"]
    assert 2 * (work["parameters"] - work["trainable_parameters"]) / 2**20 == WEIGHTS_MIB
    assert memory["peak_rss_mib"] < WEIGHTS_MIB / 4
    (process,) = machine.processes()
    assert WEIGHTS_MIB < memory["peak_device_mib"] <= process.peak_mib[0]
    assert process.peak_mib[0] <= memory["device_limit_mib"]
