"""How a run ends: by itself, by a fault injected for real, by a limit, or before it begins."""

import signal
import time

import jsonschema
import pytest

from contract.ending import Ending, of_probes, of_process
from supervise import parent, preconditions

from .conftest import SCHEMA


@pytest.mark.parametrize(
    ("trouble", "expected", "reason"),
    [
        ("crash", "error", "the process crashed with SIGSEGV and said nothing"),
        ("aborts", "error", "the process crashed with SIGABRT: CUDA error: an illegal memory acc"),
        ("killed", "killed", "ended from outside by SIGKILL"),
        ("raises", "error", "ValueError: shapes do not match: (2, 3) and (4, 5)"),
        ("out_of_memory", "oom", "MemoryError"),
        ("device_out_of_memory", "oom", "RuntimeError: RESOURCE_EXHAUSTED"),
        ("exits", "error", "the process ended with exit code 3 and said nothing"),
        ("disturbs_the_events", "error", "NoEvent: something else wrote to the channel"),
    ],
)
def test_every_end_becomes_a_status_with_a_reason(run, trouble, expected, reason):
    record = run(trouble=trouble)
    assert record["status"] == expected
    assert record["reason"].startswith(reason)
    assert "\n" not in record["reason"]
    jsonschema.validate(record, SCHEMA)


@pytest.mark.parametrize(
    "words",
    [
        "CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`",
        "cuDNN error: CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED",
    ],
)
def test_a_library_of_cudas_that_finds_no_memory_is_out_of_memory(words):
    failure = {"type": "RuntimeError", "message": f"{words}\nmore"}
    ended = of_process(Ending(done=False, exit_code=1, failure=failure))
    assert ended == ("oom", f"RuntimeError: {words}")


class SampledGpu:
    """In place of the monitor: the device had so many MiB left when last looked at."""

    free_mib = 0.0

    def __init__(self, *arguments):
        reading = {"free_memory_mib": self.free_mib}
        self.samples = [{"at_ns": 0, "joules": None, "gpu": reading}]

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        pass


@pytest.mark.parametrize(("free_mib", "pool"), [(512.0, True), (0.0, False)])
def test_memory_that_ran_out_in_a_pool_is_told_from_a_full_device(run, monkeypatch, free_mib, pool):
    """The fake framework asked for 8 bytes."""
    monkeypatch.setattr(parent, "Monitor", SampledGpu)
    monkeypatch.setattr(SampledGpu, "free_mib", free_mib)
    changes = {"accelerator": "cuda"}
    record = run(changes=changes, trouble="device_out_of_memory", device_limit_mib=2048)
    assert record["status"] == "oom"
    assert ("the framework met the limit of 2.0 GiB of its own pool" in record["reason"]) == pool
    jsonschema.validate(record, SCHEMA)


def test_a_missing_package_is_named(run):
    record = run(missing_package=True)
    assert record["status"] == "error"
    assert record["reason"].startswith("missing package")
    assert "no_such_package" in record["reason"]
    assert any("no_such_package" in line for line in record["log_tail"])


@pytest.mark.parametrize("trouble", ["hangs", "closes_the_events"])
def test_the_time_limit_ends_a_hanging_run(run, trouble):
    began = time.monotonic()
    record = run(trouble=trouble, time_limit_s=1.5)
    assert record["status"] == "timeout"
    assert "1.5 s" in record["reason"]
    assert time.monotonic() - began < 10


def test_a_run_stopped_in_the_middle_keeps_what_it_had_measured(run):
    record = run(scale="laptop", step_ms=400.0, time_limit_s=5)
    assert record["status"] == "timeout"
    assert record["timing"]["blocks"]
    jsonschema.validate(record, SCHEMA)


def test_the_memory_limit_ends_a_run_before_the_machine_suffers(run):
    record = run(trouble="eats_memory", memory_limit_mib=300)
    assert record["status"] == "oom"
    assert "the limit is 300 MiB" in record["reason"]


def test_a_kernel_that_killed_for_memory_is_told_from_a_kill_from_outside():
    ended = dict(done=False, exit_code=-signal.SIGKILL, failure=None)
    assert of_process(Ending(**ended, kernel_killed_for_memory=True))[0] == "oom"
    assert of_process(Ending(**ended))[0] == "killed"


def test_a_probe_that_fails_costs_neither_the_run_nor_the_next_probe(run):
    record = run(fails_at=[1])
    assert (record["status"], record["reason"]) == ("ok", "")
    assert [bool(probe["failed"]) for probe in record["probes"]] == [True, False]
    assert "CUDA out of memory" in record["probes"][0]["failed"]["message"]
    jsonschema.validate(record, SCHEMA)


def test_a_probe_that_kills_the_process_does_not_cost_the_run(run):
    record = run(dies_at=[1])
    assert (record["status"], record["reason"]) == ("ok", "")
    assert of_probes(record) == ["ended from outside by SIGKILL"] * 2
    assert record["timing"]["synchronised_ns"]
    jsonschema.validate(record, SCHEMA)


def test_a_cell_that_cannot_fit_is_not_tried_and_says_the_numbers(run):
    record = run(changes={"least_memory_mib": 4096.0}, memory_limit_mib=1024, trouble="hangs")
    assert record["status"] == "too large"
    assert "need 4.0 GiB, the limit of host memory is 1.0 GiB" in record["reason"]
    jsonschema.validate(record, SCHEMA)


def test_another_model_than_the_rows_is_no_number(run):
    record = run(changes={"parameters": 2})
    assert record["status"] == "error"
    assert "1 parameters were built, the row is about 2" in record["reason"]


def test_another_definition_than_planned_is_refused(run, environment):
    environment["definition_sha256"] = "1" * 64
    with pytest.raises(preconditions.Refused, match="another definition than the one planned"):
        run()
