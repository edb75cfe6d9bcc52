"""The supervisor and its child, with real processes and faults injected for real."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import jsonschema
import pytest

from measure import parent, progress
from measure.ending import Ending, status

from .conftest import PLUGINS, identity

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "workflow/schemas/record.schema.json").read_text())


def step_ms(record):
    blocks = record["timing"]["blocks"]
    return sum(b["elapsed_ns"] for b in blocks) / sum(b["steps"] for b in blocks) / 1e6


def test_a_step_of_20_ms_is_reported_as_20_ms(run):
    record = run(step_ms=20.0)
    assert record["status"] == "ok"
    # The benchmark holds this to 0.5 %; here the machine may be busy with other tests.
    assert 19.9 < step_ms(record) < 24
    jsonschema.validate(record, SCHEMA)


def test_a_record_accounts_for_all_seconds_and_holds_what_was_asked(run):
    record = run(step_ms=1.0, warns_at=3)
    timing = record["timing"]
    parts = ("import_s", "build_s", "first_step_s", "warmup_s", "timed_s", "other_s")
    assert sum(timing[part] for part in parts) == pytest.approx(record["total_s"])
    assert record["identity"] == identity(step_ms=1.0, warns_at=3)
    assert record["warnings"] == ["UserWarning: fake warning", "fake.py:12: [0/8] recompiled"]
    assert [probe["batch_size"] for probe in record["probes"]] == [1, 8]
    assert all(probe["steps"] > 0 and probe["failed"] is None for probe in record["probes"])
    assert record["memory"]["peak_rss_mib"] > 5
    assert record["log_tail"] == []
    assert record["load"]["foreign_cpu_share"] >= 0


def test_one_thread_policy_and_nothing_leaks_into_the_child(run):
    parity = run()["parity"]
    assert parity["omp_num_threads"] == "1"
    assert len(json.loads(parity["affinity"])) == 1
    assert parity["user_site"] == "none"


def test_the_profile_gives_the_share_in_which_nothing_computes_and_may_fail(run):
    overhead = run()["host_overhead"]
    assert overhead["share"] == pytest.approx(0.5, abs=0.1)
    assert overhead["method"].startswith("a list of intervals; under the profiler")
    record = run(profiler_fails=True)
    assert (record["status"], record["host_overhead"]) == ("ok", None)


def test_a_precision_that_is_asked_for_is_forced_and_verified(run):
    record = run(changes={"precision": "tf32"})
    assert (record["status"], record["parity"]["matmul_precision"]) == ("ok", "tf32")
    record = run(changes={"precision": "tf32"}, computes_in="float32")
    assert record["status"] == "error"
    assert "tf32 was asked for, matmul_precision is float32" in record["reason"]


@pytest.mark.parametrize(
    ("trouble", "expected", "reason"),
    [
        ("crash", "error", "the process crashed with SIGSEGV"),
        ("killed", "killed", "ended from outside by SIGKILL"),
        ("raises", "error", "ValueError: shapes do not match: (2, 3) and (4, 5)"),
        ("out_of_memory", "oom", "MemoryError"),
        ("device_out_of_memory", "oom", "RuntimeError: RESOURCE_EXHAUSTED"),
        ("exits", "error", "the process ended with exit code 3 and said nothing"),
    ],
)
def test_every_end_becomes_a_status_with_a_reason(run, trouble, expected, reason):
    record = run(trouble=trouble)
    assert record["status"] == expected
    assert record["reason"].startswith(reason)
    assert "\n" not in record["reason"]
    jsonschema.validate(record, SCHEMA)


def test_a_missing_package_is_named(run):
    record = run(missing_package=True)
    assert record["status"] == "error"
    assert record["reason"].startswith("missing package")
    assert "no_such_package" in record["reason"]
    assert any("no_such_package" in line for line in record["log_tail"])


def test_the_time_limit_ends_a_hanging_run(run):
    began = time.monotonic()
    record = run(trouble="hangs", time_limit_s=1.5)
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
    assert status(Ending(**ended, kernel_killed_for_memory=True))[0] == "oom"
    assert status(Ending(**ended))[0] == "killed"


def test_a_probe_that_fails_costs_neither_the_run_nor_the_next_probe(run):
    record = run(fails_at=[1])
    assert (record["status"], record["reason"]) == ("ok", "")
    assert [bool(probe["failed"]) for probe in record["probes"]] == [True, False]
    assert "CUDA out of memory" in record["probes"][0]["failed"]
    jsonschema.validate(record, SCHEMA)


def test_a_framework_that_is_not_probed_has_no_probes(run):
    assert run(probeable=False)["probes"] == []


def test_a_probe_that_kills_the_process_does_not_cost_the_run(run):
    record = run(dies_at=[1])
    assert (record["status"], record["reason"]) == ("ok", "")
    assert ["SIGKILL" in probe["failed"] for probe in record["probes"]] == [True, True]
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


def test_compilations_in_the_timed_window_are_recorded(run):
    assert run(compiling_steps=2)["timing"]["compilations"]["during_timing"] == 0
    record = run(compiling_steps=10**6)
    assert record["timing"]["compilations"]["during_timing"] > 0
    assert record["status"] == "invalid"
    assert record["reason"].endswith("compilations fell into the timed window")
    assert record["restarted"].endswith("compilations fell into the timed window")


def test_a_compilation_in_the_timed_window_is_given_a_second_chance(run, tmp_path):
    record = run(compiles_late_once=str(tmp_path / "compiled"))
    assert (record["status"], record["reason"]) == ("ok", "")
    assert record["restarted"] == "a compilation fell into the timed window"
    assert run()["restarted"] is None


def test_steps_that_are_not_steady_are_timed_as_long_again(run):
    unsteady = run(scale="laptop", step_ms=5.0, slow_until=80)["timing"]
    steady = run(scale="laptop", step_ms=5.0)["timing"]
    assert (unsteady["extended"], steady["extended"]) == (True, False)
    assert sum(block["steps"] for block in unsteady["blocks"]) == 200


def test_another_definition_than_planned_is_refused(run, environment):
    environment["definition_sha256"] = "1" * 64
    with pytest.raises(parent.Refused, match="another definition than the one planned"):
        run()


def test_a_conda_environment_measured_from_outside_of_it_is_refused(run, environment):
    environment.update(method="conda", prefix="/somewhere/else")
    with pytest.raises(parent.Refused, match="deployed by conda in /somewhere/else"):
        run()


def test_a_deployed_environment_that_was_changed_is_refused(run, environment, tmp_path):
    environment.update(method="venv", packages={"numpy": "0.0.1"})
    with pytest.raises(parent.Refused, match=r"packages differ"):
        run()
    assert not (tmp_path / "records" / "run1.json").exists()


def test_the_users_own_interpreter_is_recorded_with_what_is_in_it(run):
    record = run()
    assert record["environment"]["method"] == "interpreter"
    assert "pytest" in record["environment"]["packages"]


def command(tmp_path, environment, attempt=1, **architecture):
    marker = tmp_path / "marker.json"
    marker.write_text(json.dumps(environment))
    return [
        sys.executable,
        "-s",
        str(ROOT / "workflow/run_cell.py"),
        *("--identity", identity(**architecture)),
        *("--plan", str(tmp_path / "plan.json")),
        *("--deployment", "interpreter"),
        *("--definition", str(tmp_path / "fake.yaml")),
        *("--environment", str(marker)),
        *("--record", str(tmp_path / "run1.json")),
        *("--log", str(tmp_path / "run1.log")),
        *("--time-limit-s", "60"),
        *("--memory-limit-mib", "20000"),
        *("--attempt", str(attempt)),
        *("--folder", PLUGINS),
    ]


def wait_for(path, seconds=20):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if path.exists() and path.read_text():
            return path.read_text()
        time.sleep(0.05)
    raise AssertionError(f"{path} did not appear")


def gone(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return Path(f"/proc/{pid}/stat").read_text().split()[2] == "Z"


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_leaves_no_process_and_no_record(tmp_path, environment, how):
    pids = tmp_path / "pids"
    process = subprocess.Popen(
        command(tmp_path, environment, trouble="leaves_a_grandchild", pids=str(pids))
    )
    children = [int(pid) for pid in wait_for(pids).split()]
    process.send_signal(how)
    assert process.wait(timeout=20) == 130
    time.sleep(0.2)
    assert all(gone(pid) for pid in children)
    assert sorted(path.name for path in tmp_path.glob(".run1*")) == []
    assert not (tmp_path / "run1.json").exists()


def test_a_killed_supervisor_leaves_no_child_and_its_retry_says_killed(tmp_path, environment):
    pids = tmp_path / "pids"
    process = subprocess.Popen(
        command(tmp_path, environment, trouble="leaves_a_grandchild", pids=str(pids))
    )
    child = int(wait_for(pids).split()[0])
    process.kill()
    process.wait()
    time.sleep(0.5)
    assert gone(child)
    os.kill(int(pids.read_text().split()[1]), signal.SIGKILL)

    again = subprocess.run(command(tmp_path, environment, attempt=2), timeout=60)
    assert again.returncode == 0
    record = json.loads((tmp_path / "run1.json").read_text())
    assert record["status"] == "killed"
    jsonschema.validate(record, SCHEMA)


def test_a_refused_run_ends_with_one_line(tmp_path, environment):
    environment["packages"] = {"numpy": "0.0.1"}
    environment["method"] = "venv"
    line = command(tmp_path, environment)
    line[line.index("--deployment") + 1] = "venv"
    done = subprocess.run(line, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    refusals = [text for text in done.stderr.splitlines() if text.startswith("millistep: ")]
    assert len(refusals) == 1
    assert "packages differ" in refusals[0]
    assert not (tmp_path / "run1.json").exists()


def test_progress_counts_runs_as_planned_and_estimates_the_rest(tmp_path):
    runs = [{"record": f"run{n}.json", "identity": identity(number=n)} for n in range(4)]
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps({"cells": [{"runs": runs[:2]}, {"runs": runs[2:]}]}))
    for n in (0, 1):
        content = {"identity": runs[n]["identity"], "total_s": 10.0 + n}
        (tmp_path / f"run{n}.json").write_text(json.dumps(content))
    (tmp_path / "run2.json").write_text(json.dumps({"identity": "older", "total_s": 1000}))
    line = progress.line(plan, identity(number=2), tmp_path)
    assert line == "[3/4] fake fit, batch 4, fake, run 1; about 21 s left"
    again = progress.line(plan, identity(changes={"again": True}), tmp_path)
    assert again == "fake fit, batch 4, fake, run 1, once more for the self-test"
