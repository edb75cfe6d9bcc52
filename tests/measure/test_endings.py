"""How a run ends: by itself, by a fault injected for real, by a limit, or before it begins."""

import itertools
import os
import re
import signal
import threading
import time
from types import SimpleNamespace

import pytest

from millistep.supervise import watch
from millistep.supervise.ending import Ending, of_process

LIMITED = {"trouble": "eats_memory", "memory_limit_mib": 300}
LIMITED_AS_A_WHOLE = {**LIMITED, "trouble": "has_memory_eaten", "time_limit_s": 20}
JIT = {"changes": {"jit_compile": True}}
NO_JIT = "WrongSetting: jit_compile: true was requested, the built model has false; in build"
TOO_LARGE = {"changes": {"least_memory_mib": 4096.0}, "memory_limit_mib": 1024, "trouble": "hangs"}


@pytest.mark.parametrize(
    ("asked", "expected", "reason"),
    [
        ("crash", "error", "the process crashed with SIGSEGV without a message"),
        ("aborts", "error", "the process crashed with SIGABRT: CUDA error: an illegal memory acc"),
        ("killed", "killed", "killed from outside by SIGKILL"),
        ("raises", "error", r"ValueError: shapes do not match: \(2, 3\) and \(4, 5\)"),
        ("out_of_memory", "oom", "MemoryError"),
        ("device_out_of_memory", "oom", "RuntimeError: RESOURCE_EXHAUSTED"),
        ("exits", "error", "the process ended with exit code 3 without a message"),
        ("disturbs_the_events", "error", "NoEvent: the model's code wrote to a file"),
        (LIMITED, "oom", ".*the limit is 300 MiB"),
        (LIMITED_AS_A_WHOLE, "oom", ".*the limit is 300 MiB"),
        (TOO_LARGE, "too large", ".*need 4.0 GiB, the limit of host memory is 1.0 GiB"),
        ({"changes": {"parameters": 2}}, "error", ".*has 1 parameters, model.yaml declares 2"),
        (JIT, "error", NO_JIT),
        ({**JIT, "compiles": True, "compiles_until": 3}, "error", NO_JIT),
        (
            {"grows": 3},
            "error",
            "WrongModel: the model had 1 parameters before its steps and has 4 now; make all of",
        ),
        (
            "raises_in_the_model",
            "error",
            r"ZeroDivisionError: division by zero \(models/fake/work.py, line \d+\)$",
        ),
        ("moves", "unsupported", "cpu was requested, fake 1 computes on cuda"),
        ("sets_a_variable", "error", "WrongSetting: the builder sets XLA_FLAGS; use threads, devi"),
        (
            {"called": "flop_per_step"},
            "error",
            "WrongModel: work.py of fake: per_step returned flop_per_step, tokens_per_step, "
            "images_per_step; needed is a dict of flops_per_step, tokens_per_step, images_per_step",
        ),
    ],
)
def test_every_end_becomes_a_status_with_a_reason(run, asked, expected, reason):
    record = run(**(asked if isinstance(asked, dict) else {"trouble": asked}))
    assert record["status"] == expected
    assert re.match(reason, record["reason"])
    assert "\n" not in record["reason"]


@pytest.mark.parametrize("trouble", ["hangs", "closes_the_events"])
def test_the_time_limit_ends_a_hanging_run(run, trouble):
    began = time.monotonic()
    record = run(trouble=trouble, time_limit_s=1.5)
    assert record["status"] == "timeout"
    assert "1.5 s" in record["reason"]
    assert time.monotonic() - began < 10


def test_time_in_which_the_supervisor_was_stopped_does_not_count(run, monkeypatch):
    calls, clock = itertools.count(), time.monotonic
    stopped = SimpleNamespace(**vars(time))
    stopped.monotonic = lambda: clock() + (3600 if next(calls) > 5 else 0)
    monkeypatch.setattr(watch, "time", stopped)
    record = run()
    assert record["status"] == "ok" and next(calls) > 5 and record["total_s"] < 60


@pytest.mark.parametrize(
    ("trouble", "status"), [("hangs_at_its_end", "ok"), ("raises_and_hangs", "error")]
)
def test_a_run_that_reported_its_end_and_hangs_is_ended_soon(run, monkeypatch, trouble, status):
    monkeypatch.setattr(watch, "GRACE_S", 0.5)
    record = run(trouble=trouble, time_limit_s=20)
    assert record["status"] == status
    assert record["total_s"] < 15


def test_a_process_that_the_kernel_does_not_let_go_is_not_waited_for(run, monkeypatch):
    """Such a process waits for a driver, and SIGKILL does not end it until the driver answers."""
    kill, killed = os.killpg, []
    lets_go = threading.Timer(15, lambda: kill(killed[0], signal.SIGKILL))
    monkeypatch.setattr(watch, "GRACE_S", 0.5)
    monkeypatch.setattr(os, "killpg", lambda group, how: killed.append(group))
    lets_go.start()
    record = run(trouble="hangs", time_limit_s=1.5)
    assert record["status"] == "timeout"
    assert os.waitpid(killed[0], os.WNOHANG) == (0, 0)  # it is still there
    lets_go.cancel()
    kill(killed[0], signal.SIGKILL)
    os.waitpid(killed[0], 0)


def test_a_run_stopped_in_the_middle_keeps_what_it_had_measured(run):
    record = run(scale="laptop", step_ms=400.0, time_limit_s=5)
    assert record["status"] == "timeout"
    assert record["timing"]["windows"]


def test_a_probe_that_fails_costs_neither_the_run_nor_the_next_and_one_that_kills_not_the_run(run):
    record = run(fails_at=[1])
    assert (record["status"], record["reason"]) == ("ok", "")
    assert [bool(probe["failed"]) for probe in record["probes"]] == [True, False]
    assert "CUDA out of memory" in record["probes"][0]["failed"]["message"]
    record = run(dies_at=[1])
    assert (record["status"], record["reason"]) == ("ok", "")
    assert [probe["failed"]["type"] for probe in record["probes"]] == ["ProcessEnded"] * 2
    ended = of_process(Ending(**record["ending"]))
    assert ended == ("killed", "killed from outside by SIGKILL")
    assert record["timing"]["synchronized_ns"]


def test_probes_that_were_not_to_run_are_not_lost(run):
    record = run(probeable=False, profiler_kills=True)
    assert (record["status"], record["host_overhead"]) == ("ok", None)
    assert record["probes"] == []
