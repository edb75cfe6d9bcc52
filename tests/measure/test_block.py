"""A block of runs of the fake framework: one session, resumable, and what a kill leaves behind."""

import dataclasses
import json
import signal
import subprocess
import sys
import time
from itertools import chain
from pathlib import Path

import jsonschema
import pytest

from supervise import planned
from supervise.block import Job, contents
from supervise.slots import Slots, share

from .conftest import ENVIRONMENT, PLUGINS, identity

ROOT = Path(__file__).parents[2]
RECORDS = "results/records/smoke/fake/fit-b4"
FILE = Path("results/blocks/smoke/fake/fit-b4/round1.json")
# Measures as its test would, in a process that can be killed.
PROGRAM = """
import sys
sys.path[:0] = sys.argv[2:]
from supervise.block import Job
from supervise.interrupts import end_with_snakemake, exit_status
from tests.measure.test_block import block, SETTINGS

end_with_snakemake()
try:
    sys.exit(0 if Job(block({trouble}), SETTINGS, int(sys.argv[1])).measure() else 1)
except KeyboardInterrupt as end:
    sys.exit(exit_status(end))
"""
SETTINGS = planned.Settings(
    results=Path("results"),
    plan=Path("results/plan.json"),
    time_limit_s=60.0,
    memory_gib="16",
    folders=(PLUGINS,),
    accelerators=("cpu",),
    device="auto",
    monitor_interpreter=None,
)


def block(**architectures) -> planned.Block:
    """One run of each of these columns, three of them unless they are named."""
    architectures = architectures or {"one": {}, "two": {}, "three": {}}
    where = planned.Environment("fake.json", "interpreter", "fake.yaml")

    def of(column, architecture):
        text = identity(changes={"column": column, "probes": [], "extras": []}, **architecture)
        return planned.Run(text, where, f"{RECORDS}/{column}/run1.json")

    canary = json.loads(identity()) | {"part_s": 0.01}
    return planned.Block(
        path=FILE,
        log=Path("results/logs/blocks/round1.log"),
        row={"model": "fake", "task": "fit", "batch_size": 4},
        scale="smoke",
        round=1,
        runs=tuple(of(*column) for column in architectures.items()),
        canaries={"cpu": (planned.Timed(json.dumps(canary), where),)},
    )


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Where the paths start from."""
    (tmp_path / "fake.json").write_text(json.dumps(ENVIRONMENT))
    monkeypatch.chdir(tmp_path)


def sessions() -> list[dict]:
    found = json.loads(FILE.read_text())
    jsonschema.validate(
        found, json.loads((ROOT / "workflow/schemas/block.schema.json").read_text())
    )
    return found["sessions"]


def record(column: str) -> dict:
    found = json.loads(Path(RECORDS, column, "run1.json").read_text())
    schema = json.loads((ROOT / "workflow/schemas/record.schema.json").read_text())
    jsonschema.validate(found, schema)
    return found


def columns(session: dict) -> list[str]:
    return [path.split("/")[-2] for path in session["runs"]]


def test_a_block_is_one_session_and_what_is_there_is_not_measured_again():
    assert Job(block(), SETTINGS).measure()
    (first,) = sessions()
    assert (first["ended"], columns(first)) == ("done", ["one", "two", "three"])
    for column in columns(first):
        found = record(column)
        assert found["status"] == "ok"
        assert found["session"] == {
            **{name: first[name] for name in ("id", "node", "device", "slot", "slots", "attempt")},
            "neighbours": 0,
        }
    assert first["canaries"]["cpu"]["before"]["finished_at"] <= record("one")["started_at"]
    assert first["canaries"]["cpu"]["after"]["started_at"] >= record("three")["finished_at"]
    assert Path(f"results/machines/{first['node']}.json").exists()
    assert Path("results/.salt").stat().st_mode & 0o077 == 0

    before, content = record("one"), contents(block())
    assert Job(block(), SETTINGS).measure()
    assert len(sessions()) == 1 and contents(block()) == content

    Path(RECORDS, "two/run1.json").unlink()
    changed = block(one={}, two={}, three={"step_ms": 2.0})
    assert Job(changed, SETTINGS).measure()
    assert columns(sessions()[1]) == ["two", "three"]
    assert record("one") == before
    assert record("two")["session"]["id"] == sessions()[1]["id"] != sessions()[0]["id"]
    assert contents(changed) != content


def start(attempt: int, pids: str = "") -> subprocess.Popen:
    """The block whose second run would not end, where ``pids`` is named."""
    two = {"trouble": "leaves_a_grandchild", "pids": pids} if pids else {}
    program = PROGRAM.replace("{trouble}", f"one={{}}, two={two!r}, three={{}}")
    paths = [str(ROOT), str(ROOT / "workflow")]
    return subprocess.Popen([sys.executable, "-c", program, str(attempt), *paths])


def hanging(attempt: int = 1) -> subprocess.Popen:
    """The same, once the second run goes on."""
    pids = Path("pids")
    pids.unlink(missing_ok=True)
    process = start(attempt, str(pids))
    for _ in range(600):
        if pids.exists() and pids.read_text():
            return process
        time.sleep(0.05)
    raise AssertionError("the second run was not started")


def test_what_ends_with_the_whole_job_is_killed_in_its_second_attempt_and_the_rest_goes_on():
    process = hanging()
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == 143
    assert [session["ended"] for session in sessions()] == ["killed"]
    assert not Path(RECORDS, "two/run1.json").exists()
    again = start(2, "pids")
    assert again.wait(60) == 0
    assert [record(column)["status"] for column in ("one", "two", "three")] == [
        "ok",
        "killed",
        "ok",
    ]
    assert columns(sessions()[1]) == ["two", "three"]
    assert sessions()[1]["attempt"] == 2


def test_an_interrupt_costs_the_run_in_flight_and_the_next_start_goes_on():
    for how, status in ((signal.SIGINT, 130), (signal.SIGKILL, -9)):
        process = hanging()
        process.send_signal(how)
        assert process.wait(30) == status
    assert [session["ended"] for session in sessions()] == ["interrupted", None]
    assert start(1).wait(60) == 0
    assert [session["ended"] for session in sessions()] == ["interrupted", "killed", "done"]
    assert record("two")["status"] == record("three")["status"] == "ok"
    assert not list(FILE.parent.glob(".*"))


def test_a_refused_run_costs_no_other_and_is_said_once(capfd):
    lost = dataclasses.replace(
        block().runs[0], identity=identity(threads=10_000), record=f"{RECORDS}/lost/run1.json"
    )
    asked = dataclasses.replace(block(), runs=(lost, *block().runs))
    job = Job(asked, SETTINGS)
    assert not job.measure()
    assert job.refused == 1 and record("three")["status"] == "ok"
    assert "lost/run1.json: planned for 10000 threads" in capfd.readouterr().err
    assert not Job(asked, SETTINGS, attempt=2).measure()
    assert capfd.readouterr().err == ""


def test_a_slot_is_taken_by_one_and_seen_by_the_others(tmp_path):
    one, two = Slots(tmp_path, "n", 2), Slots(tmp_path, "n", 2)
    with one.taken() as first:
        with two.taken() as second, two.watched(second) as most:
            assert (first, second) == (0, 1)
            assert (one.busy(first), most) == (1, [1])
        assert one.busy(first) == 0


@pytest.mark.parametrize("slots", [1, 2, 3])
def test_slots_share_whole_cores_and_leave_none_out(slots):
    cores = [[0, 8], [1, 9], [2, 10], [3, 11], [4, 12]]
    shares = [share(cores, slot, slots) for slot in range(slots)]
    assert sorted(chain(*shares)) == sorted(chain(*cores))
    assert all(
        not set(core) & set(own) or set(core) <= set(own) for core in cores for own in shares
    )
