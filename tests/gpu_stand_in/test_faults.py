"""What goes wrong on a GPU ends as a status with a reason, and costs no other cell."""

import subprocess
import sys

import pytest

from . import harness
from .conftest import completed
from .machine import Machine
from .test_machines import A100_80, H100, HOLDER

pytestmark = pytest.mark.usefixtures("frameworks")
CELL = {"columns": ["pytorch-eager"], "models": ["bert"], "tasks": ["fit"]}
ILLEGAL, LOST, OUT_OF_MEMORY = 700, 719, 2  # of cudaError_t


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
        ({"memory_mib": 1}, "oom", "OutOfMemoryError: CUDA out of memory"),  # in building
        ({"memory_mib": 12}, "oom", "OutOfMemoryError: CUDA out of memory"),  # in the first step
        ({"fault": f"900 {OUT_OF_MEMORY}"}, "oom", "CUDA error: out of memory"),  # in a later one
        ({"fault": f"900 {ILLEGAL}"}, "error", "an illegal memory access was encountered"),
        ({"fault": f"900 {LOST}"}, "error", "unspecified launch failure"),
        ({"driver": "470.57.02 11040"}, "unsupported", "driver"),
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
    assert A100_80 != H100
    (process,) = machine.processes()
    assert process.peak_mib[0] == 0 and process.peak_mib[1] > 0


def test_an_instance_of_a_divided_gpu(measured):
    record, _ = measured({"mig": "1g.5gb"})
    assert record["status"] == "ok", record["reason"]
    assert record["parity"]["device"] == record["machine"]["accelerator_name"]
    assert record["parity"]["device"].endswith("MIG 1g.5gb")
    assert record["memory"]["device_limit_mib"] == pytest.approx(0.9 * 5 * 1024)


def test_another_process_that_holds_half_of_the_memory(measured, tmp_path):
    _, libraries = harness.environment_of("pytorch-eager")
    settings = {"memory_mib": 24}
    environ = Machine(tmp_path, libraries).set(**settings).environ()
    command = [sys.executable, "-c", HOLDER, str(23 << 20)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, env=environ, **pipes) as holder:
        assert holder.stdout.readline() == "0\n"
        record, _ = measured(settings, monitor_interpreter=sys.executable)
        holder.stdin.close()
    assert record["status"] == "oom", record["reason"]
    assert "the limit" not in record["reason"]  # it is the device that was full


def test_without_nvml_a_run_is_measured_and_not_sampled(measured, tmp_path, capfd):
    _, libraries = harness.environment_of("pytorch-eager")
    bare = tmp_path / "bare"
    bare.mkdir()
    for library in libraries.iterdir():
        if "nvidia-ml" not in library.name:
            (bare / library.name).symlink_to(library)
    machine = Machine(tmp_path / "machine", bare)
    machine.folder.mkdir()
    machine.set()
    assert completed(["nvidia-smi", "-L"], machine).returncode == 1
    with harness.on(machine):
        (run,) = harness.planned(**CELL)
        record = harness.measured(
            run, machine, tmp_path / "run.json", monitor_interpreter=sys.executable
        )
    assert record["status"] == "ok", record["reason"]
    assert record["machine"]["accelerator_name"] is None
    assert record["parity"]["device"] == "NVIDIA A100-SXM4-40GB (stand-in)"
    assert "the GPU is not sampled: NVML" in capfd.readouterr().err
