"""What goes wrong on a GPU ends as a status with a reason, and costs no other cell."""

import pytest

from . import harness
from .machine import Machine
from .test_machines import H100

pytestmark = pytest.mark.usefixtures("frameworks")
CELL = {"columns": ["pytorch-eager"], "models": ["bert"], "tasks": ["fit"]}


@pytest.fixture
def measured(tmp_path, frameworks):
    """``measured(settings)``: the record of the cell on such a machine, and the machine."""
    _, libraries = harness.environment_of("pytorch-eager")

    def record(settings, more=None, **options):
        machine = Machine(tmp_path, libraries).set(**settings)
        with harness.on(machine):
            (run,) = harness.planned(**CELL, **(more or {}))
            return harness.measured(run, machine, tmp_path / "run.json", **options), machine

    return record


@pytest.mark.parametrize(
    ("settings", "status", "reason"),
    [
        ({"memory_mib": 1}, "too large", "weights, gradients and optimiser alone need"),
    ],
)
def test_a_fault_is_a_status_with_a_reason(measured, settings, status, reason):
    record, _ = measured(settings)
    assert (record["status"], reason in record["reason"]) == (status, True), record["reason"]
    assert "\n" not in record["reason"]


def test_of_two_gpus_the_one_that_is_asked_for(measured):
    record, machine = measured({"devices": "a100-80gb h100"}, {"device": 1})
    assert record["status"] == "ok", record["reason"]
    assert record["machine"]["accelerator_name"] == record["parity"]["device"] == H100
    (process,) = machine.processes()
    assert process.peak_mib[0] == 0 and process.peak_mib[1] > 0


def test_an_instance_of_a_divided_gpu(measured):
    record, _ = measured({"mig": "1g.5gb"})
    assert record["status"] == "ok", record["reason"]
    assert record["parity"]["device"] == record["machine"]["accelerator_name"]
    assert record["parity"]["device"].endswith("MIG 1g.5gb")
    assert record["memory"]["device_limit_mib"] == pytest.approx(0.9 * 5 * 1024)
