"""Processes of one workload and round, timed in turns: order, deaths, and who holds the machine."""

import contextlib
import fcntl
import itertools
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from millistep.supervise import device, jobs
from millistep.supervise.monitor import MARK
from millistep.supervise.turns import CPU, Member, folder, member_of, opened, try_lock

from ..shared import ROOT, gone, put, valid, wait_for
from . import nvml
from .conftest import ENVIRONMENT, cell_options, identity, wanted

RECORD = "results/records/smoke/fake/fit-b4/{}/run1.json"


class Round:
    """The jobs of one workload and round: real supervisors with fake cells."""

    def __init__(self, folder: Path, **cells: dict):
        self.folder, self.locks, self.cells = folder, folder / "tmp", cells
        self.records = [RECORD.format(name) for name in cells]
        put(folder / "fake.json", json.dumps(ENVIRONMENT))

    def start(
        self, name: str, extras: tuple = (), method="interpreter", within: tuple = (), **options
    ) -> subprocess.Popen:
        """Start a job. within: a command that runs the job's."""
        changes = {"column": name, "probes": [], "extras": extras}
        own = {
            "record": RECORD.format(name),
            "identity": identity(changes=changes, **self.cells[name]),
            "members": json.dumps(self.records),
            "results": "results",
            "environment": wanted("fake.json", method),
            "log": f"{name}.log",
            "start": "one",
        }
        command = [*within, sys.executable, "-s", str(ROOT / "workflow"), "cell"]
        command += cell_options(**own | options)
        environ = {**os.environ, "MILLISTEP_LOCKS": str(self.locks)}
        return subprocess.Popen(command, cwd=self.folder, env=environ, stderr=subprocess.PIPE)

    def run(self, **options) -> dict[str, dict]:
        """Measure all cells at once; return their records by name."""
        jobs = [self.start(name, **options) for name in self.cells]
        for job in jobs:
            job.communicate(timeout=60)
        return {name: self.record(name) for name in self.cells}

    def record(self, name: str) -> dict:
        return valid(json.loads((self.folder / RECORD.format(name)).read_text()), "record")


def spans(record: dict) -> list[tuple[int, int]]:
    windows = record["timing"]["windows"]
    return [(each["start_ns"], each["start_ns"] + each["elapsed_ns"]) for each in windows]


def overlaps(records: dict[str, dict]) -> list:
    every = sorted(span for record in records.values() for span in spans(record))
    return [(a, b) for a, b in itertools.pairwise(every) if a[1] > b[0]]


def test_windows_alternate_and_never_overlap(tmp_path):
    records = Round(tmp_path, a={}, b={}, c={}).run()
    assert {record["status"] for record in records.values()} == {"ok"}
    assert {record["timing"]["in_turns"] for record in records.values()} == {3}
    assert len({record["session"]["id"] for record in records.values()}) == 1
    assert not overlaps(records)
    order = sorted((start, name) for name in records for start, _ in spans(records[name]))
    names = "".join(name for _, name in order)
    assert names == "abccba" * (len(names) // 6)
    assert {record["timing"]["start_alone"] for record in records.values()} == {False}


def test_a_first_round_measures_each_start_alone(tmp_path):
    records = Round(tmp_path, a={}, b={}).run(extras=["profile"])
    assert {record["timing"]["start_alone"] for record in records.values()} == {True}


def test_as_many_members_as_processors_prepare_side_by_side(tmp_path, monkeypatch):
    monkeypatch.setattr("millistep.supervise.turns.folder", lambda name: tmp_path)
    monkeypatch.setattr("os.sched_getaffinity", lambda pid: {0, 1})
    names = ["a", "b", "c"]
    with contextlib.ExitStack() as stack:
        one, two, three = (Member("cpu", "one", names, name) for name in names)
        assert stack.enter_context(one.preparing(alone=False)) is False
        with two.preparing(alone=False):
            waits = threading.Thread(target=lambda: stack.enter_context(three.preparing(False)))
            waits.start()
            waits.join(0.3)
            assert waits.is_alive()
            machine = opened(tmp_path / "lock")
            assert not try_lock(machine, fcntl.LOCK_EX) and try_lock(machine, fcntl.LOCK_SH)
            os.close(machine)
        waits.join(10)
        assert not waits.is_alive()


def test_known_steps_hold_the_gpus_whose_runs_need_the_same_processors(gpus):
    gpus(nvml.A100)
    own = Member(CPU, "one", ["own"], "own")
    with own as member, jobs.nothing_timed(gpus_only=True), member.computing():
        for gpu in device.gpus():
            descriptor = opened(folder(gpu.uuid) / "lock")
            assert not try_lock(descriptor, fcntl.LOCK_SH)
            os.close(descriptor)


def test_a_machine_without_nvml_has_no_gpu_to_hold(monkeypatch):
    monkeypatch.setitem(sys.modules, "pynvml", None)
    monkeypatch.setattr(device, "gpus", device.gpus.__wrapped__)
    with jobs.nothing_timed(gpus_only=True):
        pass


def test_a_lock_that_is_used_is_not_old(tmp_path):
    """Systems remove files below /tmp that were not used for ten days."""
    os.close(opened(tmp_path / "lock"))
    os.utime(tmp_path / "lock", ns=(0, 0))
    os.close(opened(tmp_path / "lock"))
    assert (tmp_path / "lock").stat().st_mtime_ns > 0


def test_two_starts_in_different_folders_do_not_compute_at_once(tmp_path):
    rounds = [Round(tmp_path / name, a={}) for name in ("one", "two")]
    for each in rounds:
        each.locks = tmp_path
    jobs = [each.start("a", start=str(number)) for number, each in enumerate(rounds)]
    for job in jobs:
        job.communicate(timeout=60)
    assert not overlaps({str(number): each.record("a") for number, each in enumerate(rounds)})


def test_the_lock_is_the_same_whatever_tmpdir_is(tmp_path, monkeypatch):
    monkeypatch.delenv("MILLISTEP_LOCKS")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert folder(CPU) == Path("/tmp/millistep", CPU)
    monkeypatch.setenv("MILLISTEP_LOCKS", str(tmp_path / "new"))
    assert folder(CPU) == tmp_path / "new" / "millistep" / CPU
    assert folder(CPU).is_dir()


@pytest.mark.parametrize(
    ("trouble", "status"), [("raises", "error"), ("killed", "killed"), ("hangs", "timeout")]
)
def test_a_member_that_fails_costs_itself_alone(tmp_path, trouble, status):
    round_ = Round(tmp_path, a={}, b={"trouble": trouble}, c={})
    jobs = [round_.start(name, time_limit_s=4 if name == "b" else 60) for name in "abc"]
    for job in jobs:
        job.communicate(timeout=60)
    assert [round_.record(name)["status"] for name in "abc"] == ["ok", status, "ok"]
    assert round_.record("a")["timing"]["in_turns"] == 2


def test_random_kills_of_supervisors_cost_only_their_own_runs(tmp_path):
    rng = random.Random(1)
    for wait_s in (1.2, 1.8, 2.4, 3.0):
        round_ = Round(tmp_path / str(wait_s), a={}, b={}, c={})
        jobs = {name: round_.start(name) for name in "abc"}
        time.sleep(wait_s)
        victim = rng.choice("abc")
        children = [child.pid for child in psutil.Process(jobs[victim].pid).children()]
        jobs[victim].kill()
        for job in jobs.values():
            job.communicate(timeout=60)
        left = [name for name in "abc" if name != victim]
        assert [round_.record(name)["status"] for name in left] == ["ok", "ok"]
        assert all(gone(child) for child in children)


def test_a_run_by_itself_is_timed_alone_and_its_second_attempt_keeps_it_or_records_a_kill(tmp_path):
    one = Round(tmp_path, a={})
    record = tmp_path / one.records[0]
    one.start("a", attempt=2).communicate(timeout=30)
    assert one.record("a")["status"] == "killed"
    record.unlink()
    _, said = one.start("a").communicate(timeout=60)
    assert one.record("a")["timing"]["in_turns"] == 1
    assert b"timed alone" in said
    before = record.read_bytes()
    _, said = one.start("a", attempt=2).communicate(timeout=30)
    assert b"already measured" in said
    assert record.read_bytes() == before


def test_the_second_attempt_records_that_the_first_had_no_room_for_its_record(tmp_path):
    one = Round(tmp_path, a={})
    full = ("sh", "-c", 'ulimit -f 0; exec "$@"', "-")
    _, said = one.start("a", within=full).communicate(timeout=30)
    assert b"cannot write the record: File too large" in said
    one.start("a", attempt=2).communicate(timeout=30)
    found = one.record("a")
    assert found["status"] == "refused"
    assert found["reason"] == "the first attempt could not write: No space left on device"
    assert one.run()["a"]["status"] == "ok"
    assert [path.name for path in (tmp_path / one.records[0]).parent.iterdir()] == ["run1.json"]


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_all_processes_and_writes_no_record(tmp_path, how):
    round_ = Round(tmp_path, a={"trouble": "leaves_a_grandchild", "pids": "pids"}, b={})
    jobs = [round_.start(name) for name in "ab"]
    pids = [*map(int, wait_for(tmp_path / "pids").split())]
    for job in jobs:
        job.send_signal(how)
    assert [job.wait(30) for job in jobs] == [128 + how] * 2
    assert all(gone(pid) for pid in pids)
    assert not [path for path in round_.records if (tmp_path / path).exists()]


def test_what_must_not_be_measured_is_a_record_with_the_reason(tmp_path):
    one = Round(tmp_path, a={})
    other = {**ENVIRONMENT, "method": "venv", "packages": {"numpy": "0.1"}}
    put(tmp_path / "fake.json", json.dumps(other))
    job = one.start("a", method="venv")
    job.communicate(timeout=60)
    assert job.returncode == 0
    found = one.record("a")
    assert found["status"] == "refused" and "packages differ" in found["reason"]


def test_a_member_that_never_starts_is_left_out(tmp_path, monkeypatch):
    monkeypatch.setattr("millistep.supervise.turns.NEVER_CAME_S", 0.2)
    monkeypatch.setattr("millistep.supervise.turns.folder", lambda name: tmp_path)
    with Member("cpu", "one", ["a", "b"], "a") as member:
        turns = member.turns(0, lambda: member.in_turns == 1 and seen)
        seen = False
        next(turns)
        seen = True
        assert list(turns) == []


@given(st.integers(1, 8), st.integers(1, 6))
def test_each_pair_of_passes_is_balanced(members, passes):
    places = dict.fromkeys(range(members), 0)
    for turn in range(2 * passes * members):
        places[member_of(turn, members)] += turn % (2 * members)
    assert len(set(places.values())) == 1


def test_stopped_processes_of_a_killed_group_are_ended(tmp_path, monkeypatch):
    monkeypatch.setattr("millistep.supervise.turns.folder", lambda name: tmp_path)
    environ = {**os.environ, MARK: "scratch"}
    stopped, users = (
        subprocess.Popen(["sleep", "60"], start_new_session=True, env=each)
        for each in (environ, os.environ)
    )
    for number, process in enumerate((stopped, users)):
        process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, process.pid, os.WSTOPPED)
        (tmp_path / "earlier").mkdir(exist_ok=True)
        (tmp_path / f"earlier/{number}").write_text(f"ready {process.pid}")
    with contextlib.ExitStack() as stack:
        stack.enter_context(Member("cpu", "two", ["a"], "a"))
        assert stopped.wait(5) == -signal.SIGKILL
    assert not (tmp_path / "earlier").exists()
    assert users.poll() is None  # its number was that of a measured process
    users.kill()


def test_a_group_waits_for_a_member_whose_place_another_job_holds(tmp_path):
    round_of_three = Round(tmp_path, a={}, b={}, c={})
    first = [round_of_three.start(name) for name in ("a", "b")]
    time.sleep(3)
    # Another group, such as the reference workload, has its turn before the third member starts.
    other = round_of_three.start("c", start="another", members="[]")
    other.communicate(timeout=40)
    assert round_of_three.record("c")["timing"]["in_turns"] == 1
    last = round_of_three.start("c")
    for job in (*first, last):
        job.communicate(timeout=60)
    records = {name: round_of_three.record(name) for name in "abc"}
    assert {record["timing"]["in_turns"] for record in records.values()} == {3}
