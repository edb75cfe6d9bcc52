"""The supervisor and its child, with real processes."""

import json
import re
import shutil
from statistics import fmean

import pytest

from millistep.measure.process import MOST
from millistep.supervise import output
from millistep.supervise.record import read, reserved, step_ms, valid, write

from ..shared import python
from .conftest import identity


def test_a_step_of_20_ms_is_reported_as_20_ms(run):
    record = run(step_ms=20.0)
    assert record["status"] == "ok"
    # The benchmark holds this to 0.5 %; here the machine may be busy with other tests.
    assert 19.9 < step_ms(record) < 24


def test_a_record_accounts_for_all_seconds_and_holds_what_was_asked(run):
    record = run(changes={"windows": 3}, step_ms=1.0, warns_at=3)
    timing = record["timing"]
    assert len(timing["windows"]) == 3
    parts = ("import_s", "build_s", "first_step_s", "warmup_s", "timed_s", "other_s")
    assert sum(timing[part] for part in parts) == pytest.approx(record["total_s"])
    assert record["identity"] == identity(changes={"windows": 3}, step_ms=1.0, warns_at=3)
    assert record["warnings"] == ["UserWarning: fake warning"]
    assert [probe["batch_size"] for probe in record["probes"]] == [1, 8]
    assert all(probe["steps"] > 0 and probe["failed"] is None for probe in record["probes"])
    for probe in record["probes"]:
        for total in ("steps", "elapsed_ns"):
            assert sum(block[total] for block in probe["windows"]) == probe[total]
    assert record["memory"]["peak_rss_mib"] > 5
    assert record["log_tail"] == []
    assert record["load"]["foreign_cpu_share"] is None  # the windows were too short to count
    assert 0 <= record["load"]["system_cpu_share"] <= 1.1
    assert record["load"]["page_faults_per_step"] >= 0


def test_one_thread_policy_and_nothing_leaks_into_the_child(plain):
    parity = plain["parity"]
    assert parity["omp_num_threads"] == "1"
    assert len(json.loads(parity["affinity"])) == 1
    assert parity["user_site"] == "none"


def test_the_profile_gives_what_a_step_is_spent_on_and_may_fail(run, plain):
    overhead = plain["host_overhead"]
    assert overhead["share"] == pytest.approx(0.5, abs=0.1)
    assert overhead["method"] == "a list of intervals"
    step_ms, shares = overhead["step_ms"], {"outer": 0.125, "inner": 0.1875, "beside": 0.1875}
    for operation in overhead["operations"]:
        assert operation["ms"] == pytest.approx(step_ms * shares.pop(operation["name"]), rel=0.2)
    assert not shares
    launched = {operation["name"]: operation["launched"] for operation in overhead["operations"]}
    once = pytest.approx(len(overhead["pairs"]) / overhead["steps"])  # per block
    assert launched == {"outer": 0, "inner": once, "beside": once}
    assert step_ms * (1 - overhead["share"]) == pytest.approx(
        sum(operation["ms"] for operation in overhead["operations"])
    )
    assert step_ms == pytest.approx(fmean(pair["profiled_ms"] for pair in overhead["pairs"]))
    record = run(profiler_fails=True)
    assert (record["status"], record["host_overhead"]) == ("ok", None)
    assert "host_overhead: RuntimeError: no profiler here" in record["warnings"]


def test_extras_that_are_not_asked_for_or_fail_cost_nothing_but_themselves(run, plain):
    assert plain["timing"]["legacy"]["method"] == "what was asked for"
    record = run(changes={"extras": []})
    taken = (record["timing"]["legacy"], record["host_overhead"])
    assert (record["status"], *taken) == ("ok", None, None)
    for failure, words in (
        ({"legacy_fails": True}, "timing.legacy: ZeroDivisionError: a step took no time"),
        ({"legacy_ms": -125.5}, "timing.legacy: ValueError: the estimate is -126 ms/step"),
    ):
        record = run(**failure)
        assert (record["status"], record["timing"]["legacy"]) == ("ok", None)
        assert words in record["warnings"]
        assert record["host_overhead"] and all(not probe["failed"] for probe in record["probes"])


def test_a_card_that_cannot_be_read_back_costs_no_time_unless_it_is_another_framework(run):
    record = run(card_fails="ValueError")
    assert (record["status"], record["parity"]) == ("ok", None)
    assert record["timing"]["windows"] and record["host_overhead"]
    assert "parity: ValueError: no card" in record["warnings"]
    record = run(card_fails="WrongFramework")
    assert (record["status"], record["reason"]) == ("error", "WrongFramework: no card")


def test_counters_that_cannot_be_read_cost_no_time(run):
    record = run(counters_fail=True)
    assert record["status"] == "ok" and record["timing"]["windows"] and record["parity"]
    assert record["timing"]["compile_cache"] is record["memory"]["peak_device_mib"] is None
    assert record["memory"]["peak_rss_mib"] > 5
    assert record["warnings"][-2:] == [
        "timing.compile_cache: RuntimeError: no counter of caches",
        "memory.peak_device_mib: RuntimeError: no counter of memory",
    ]


def test_the_peak_of_host_memory_is_not_that_of_who_started_the_run():
    held = b"x" * (300 * 2**20)
    said = python("-c", "from millistep.measure import child; print(child.peak_rss_mib())")
    assert len(held) and 5 < float(said) < 150


def test_a_precision_that_is_asked_for_is_forced_and_verified(run):
    record = run(changes={"precision": "tf32"})
    assert (record["status"], record["parity"]["matmul_precision"]) == ("ok", "tf32")
    assert run(changes={"precision": "tf32"}, precision_ms=300)["timing"]["import_s"] < 0.3
    record = run(changes={"precision": "tf32"}, computes_in="float32")
    assert record["status"] == "error"
    assert "tf32 was requested, matmul_precision is float32" in record["reason"]


def test_the_peak_of_the_device_is_that_of_the_steps_after_the_warm_up(run, plain):
    record = run(counts_device=True)
    # A window is discarded before the synchronized steps, and another before the first one.
    timing = record["timing"]
    before = timing["warmup_steps"] + len(timing["synchronized_ns"])
    assert record["memory"]["peak_device_mib"] == before + 2 * timing["windows"][0]["steps"]
    assert record["memory"]["peak_device_counts"] == "steps that were made before the count began"
    assert plain["memory"]["peak_device_counts"] is None


def test_a_part_that_breaks_the_contract_costs_no_time(plain):
    broken = {**plain, "parity": {**plain["parity"], "metrics": 0.93}}
    found = valid(broken)
    assert (found["status"], found["timing"], found["parity"]) == ("ok", plain["timing"], None)
    assert found["warnings"][-1].startswith("parity: left out: parity.metrics")
    found = valid({**plain, "timing": {**plain["timing"], "warmup_steps": -1}})
    assert found["status"] == "error" and found["timing"] is None


def test_a_record_is_written_though_its_folder_was_removed(plain, tmp_path):
    path = tmp_path / "results/run1.json"
    with reserved(path) as partial:
        shutil.rmtree(path.parent)
        write(plain, partial, path)
    assert read(path) == plain


def test_a_log_without_end_keeps_its_beginning_and_its_end_and_says_what_was_cut(run, tmp_path):
    record = run(trouble="prints_without_end", mib=40)
    assert record["reason"] == "ValueError: it has printed enough"
    assert {"last words", "ValueError: it has printed enough"} <= set(record["log_tail"])
    kept = (tmp_path / "logs/run1.log").read_bytes()
    assert kept.startswith(b"xxx") and len(kept) < 2 * output.FIRST_BYTES + 2**20
    assert re.search(rb"\n\[millistep: \d\d MiB omitted\]\n", kept)


def test_a_log_that_is_gone_costs_no_run(tmp_path):
    log = output.Log(tmp_path / "log")
    log.path.unlink()
    log.shorten()


def test_of_warnings_without_end_some_are_kept_and_the_others_counted(run):
    record = run(trouble="warns_without_end", warnings=1000)
    assert record["status"] == "ok"
    assert record["warnings"][0] == "UserWarning: warning number 0"
    assert record["warnings"][MOST:] == [f"{1000 - MOST} more warnings are in the log"]


def test_a_run_that_another_clock_timed_is_no_number(run, plain):
    record = run(step_ms=10.0, trouble="slows_the_clock")
    assert record["status"] == "invalid"
    assert record["reason"].endswith("the clock of the measured process is not the machine's")
    assert plain["timing"]["outside_turns"] == 0


def test_work_that_was_left_behind_the_fences_is_no_number(run):
    record = run(late_ms=[5.0])
    assert record["status"] == "invalid"
    assert record["reason"].endswith("the clock stopped before the work did")
    assert run(step_ms=10.0, late_ms=[5.0])["status"] == "invalid"  # a part of a block, too
    # A run held up once in a while does not lack a fence.
    assert run(late_ms=[5.0, 0.0, 0.0])["status"] == "ok"


def test_compilations_in_the_timed_window_are_recorded(run):
    record = run(compiling_steps=10**6)
    assert record["timing"]["compilations"]["during_timing"] > 0
    assert record["status"] == "invalid"
    assert record["reason"].endswith("compilations during the timing windows")
