"""What goes wrong on a GPU ends as a status with a reason, and costs no other cell."""

import subprocess
import sys

import pytest

from millistep.planning.this_machine import NO_GPU

from . import harness
from .conftest import completed
from .environment import ROOT
from .log import step_of
from .machine import Machine
from .test_machines import CLOCK, H100, HOLDER

SAMPLE = """
import sys
sys.path.insert(0, sys.argv[1])
from millistep.supervise.monitor import Monitor
print(Monitor([0], "0", 1.0).sample()["gpu"])
"""
CELL = {"columns": ["pytorch-eager"], "models": ["bert"], "tasks": ["fit"]}
IN_THE_WINDOW = 1200  # launches, after about ten of the timed steps
# Numbers of cudaError_t.
OUT_OF_MEMORY, ILLEGAL_ADDRESS, UNKNOWN = 2, 700, 999
ILLEGAL = "CUDA error: an illegal memory access was encountered"
# Each tensor's memory is asked of the device, so that a step notices when there is none left.
NO_POOL = {"PYTORCH_NO_CUDA_MEMORY_CACHING": "1"}


@pytest.fixture
def measured(tmp_path, pytorch):
    """``measured(settings)``: the record of the cell on such a machine, and the machine.

    more: of the configuration. planned_with: other settings, while it was planned.
    """

    def record(settings, more=None, planned_with=None, **options):
        then = settings if planned_with is None else planned_with
        machine = Machine(tmp_path, pytorch)
        with harness.on(machine.set(**then)):
            (run,) = harness.planned(**CELL, **(more or {}))
        with harness.on(machine.set(**settings)):
            return harness.measured(run, machine, tmp_path / "run.json", **options), machine

    return record


@pytest.mark.parametrize(
    ("settings", "status", "reason"),
    [
        ({"memory_mib": 1}, "too large", "weights, gradients and optimizer alone need"),
        ({"memory_mib": 12}, "oom", "OutOfMemoryError: CUDA out of memory"),
        ({"fault": f"{IN_THE_WINDOW} {OUT_OF_MEMORY}"}, "oom", "CUDA error: out of memory"),
        ({"fault": f"{IN_THE_WINDOW} {ILLEGAL_ADDRESS}"}, "error", ILLEGAL),
        ({"driver": "470.57.02 11040"}, "unsupported", "The NVIDIA driver on your system is too"),
    ],
    ids=["weights", "first step", "later step", "illegal address", "driver"],
)
def test_a_fault_is_a_status_with_a_reason(measured, settings, status, reason):
    more = {"environment": NO_POOL} if "fault" in settings else {}
    record, _ = measured(settings, more, planned_with={})
    assert (record["status"], reason in record["reason"]) == (status, True), record["reason"]
    assert "\n" not in record["reason"]


def test_after_a_gpu_that_was_lost_the_plan_says_that_there_is_none(measured):
    record, machine = measured({"fault": f"{IN_THE_WINDOW} {UNKNOWN}"})
    assert (record["status"], "CUDA error: unknown error" in record["reason"]) == ("error", True)
    smi = completed(["nvidia-smi", "-i", "0", CLOCK], machine)
    assert (smi.returncode, "GPU is lost" in smi.stderr) == (1, True)
    with harness.on(machine):
        assert list(harness.plan(CELL["columns"]).barred.values()) == [NO_GPU]


def test_clocks_that_fall_make_the_last_steps_long(measured):
    settings = {"slow": f"{IN_THE_WINDOW} 0.5", "kernel_us": 2000}
    record, machine = measured(settings)
    assert record["status"] == "ok", record["reason"]
    blocks = record["timing"]["windows"]
    launches = step_of(machine.processes(), blocks).launches
    last_ms = blocks[-1]["elapsed_ns"] / blocks[-1]["steps"] / 1e6
    assert last_ms >= launches * 2 * 2  # each kernel takes twice its 2 ms then


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


def test_another_process_that_holds_most_of_the_memory(measured, pytorch, tmp_path):
    settings = {"memory_mib": 1024}
    environ = Machine(tmp_path, pytorch).set(**settings).environ()
    command = [sys.executable, "-c", HOLDER, str(1023 << 20)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, env=environ, **pipes) as holder:
        assert holder.stdout.readline() == "0\n"
        record, _ = measured(settings)
        holder.stdin.close()
    assert record["status"] == "oom", record["reason"]  # in building
    assert record["timing"] is None
    assert "the limit" not in record["reason"]  # it is the device that was full


def test_without_nvml_a_run_is_measured_and_not_sampled(pytorch, tmp_path):
    bare = tmp_path / "bare"
    bare.mkdir()
    for library in pytorch.iterdir():
        if "nvidia-ml" not in library.name:
            (bare / library.name).symlink_to(library)
    (tmp_path / "machine").mkdir()
    machine = Machine(tmp_path / "machine", bare).set()
    assert "couldn't communicate" in completed(["nvidia-smi", "-i", "0", CLOCK], machine).stderr
    with harness.on(Machine(tmp_path, pytorch).set()):
        (run,) = harness.planned(**CELL)
    with harness.on(machine):
        record = harness.measured(run, machine, tmp_path / "run.json")
    assert record["status"] == "ok", record["reason"]
    assert record["machine"]["accelerator_name"] is None
    assert record["parity"]["device"] == "NVIDIA A100-SXM4-40GB (stand-in)"
    sampled = completed([sys.executable, "-c", SAMPLE, str(ROOT / "workflow")], machine)
    assert sampled.stdout == "None\n"
