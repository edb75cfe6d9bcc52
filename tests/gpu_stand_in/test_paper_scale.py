"""A model of the paper's size on a simulated GPU: memory that a small host does not have."""

from . import harness
from .machine import Machine

WEIGHTS_MIB = 2 * 8_537_680_896 / 2**20  # Gemma's, in bfloat16


def test_gemma_takes_memory_of_the_device_and_hardly_any_of_the_host(asked, pytorch, tmp_path):
    _, libraries = pytorch
    machine = Machine(tmp_path, libraries).set(devices="a100-40gb")
    with harness.on(machine):
        (run,) = harness.planned(["pytorch-eager"], ["gemma"], ["fit"], scale="paper")
        record = harness.measured(run, machine, tmp_path / "run.json", extras=[], few_steps=True)
    assert record["status"] == "ok", record["reason"]
    work, memory = record["work"], record["memory"]
    assert 2 * (work["parameters"] - work["trainable_parameters"]) / 2**20 == WEIGHTS_MIB
    assert memory["peak_rss_mib"] < WEIGHTS_MIB / 4
    (process,) = machine.processes()
    assert WEIGHTS_MIB < memory["peak_device_mib"] <= process.peak_mib[0]
    assert process.peak_mib[0] <= memory["device_limit_mib"]
