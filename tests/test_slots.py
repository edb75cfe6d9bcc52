"""Two blocks at once on one machine: each in a slot with processors of its own."""

import errno
import fcntl
import json
import re
from itertools import chain

import pytest

from supervise.slots import Slots, share
from tests.fake_project import fake_project

BLOCKS = [f"results/blocks/smoke/fake/fit-b{batch}/round1.json" for batch in (4, 8)]


@pytest.fixture
def project(tmp_path, every_processor):
    if len(every_processor) < 2:
        pytest.skip("two slots need two processors")
    project = fake_project(tmp_path / "project", "step_ms: 20.0")
    project.edit("config/config.yaml", "{fit: default}", "{fit: [4, 8]}")
    project.edit("config/config.yaml", "threads: 1", "threads: 1\nslots: 2")
    return project


def test_two_blocks_at_once_have_processors_of_their_own_and_see_each_other(project):
    project.made("results/sessions.json", cores=2)
    files = [project.folder / block for block in BLOCKS]
    (one,), (two,) = (json.loads(file.read_text())["sessions"] for file in files)
    assert {one["slot"], two["slot"]} == {0, 1} and one["node"] == two["node"]
    assert not {*one["affinity"]} & {*two["affinity"]}
    neighbours = []
    for session in (one, two):
        for path in session["runs"]:
            record = json.loads((project.folder / path).read_text())
            neighbours.append(record["session"]["neighbours"])
            assert {*record["threads"]["affinity"]} <= {*session["affinity"]}
    assert max(neighbours) == 1

    # A block measures again what is asked for, although nothing is missing.
    again = ("--quiet", "all", "-R", "time_fake", "--", "results/sessions.json")
    assert project.snakemake(*again, cores=2).returncode == 0
    assert [len(json.loads(file.read_text())["sessions"]) for file in files] == [2, 2]

    # Other code puts their sessions together again, and measures nothing.
    with (project.folder / "workflow/supervise/sessions.py").open("a") as source:
        source.write("\nCHANGED = True\n")
    said = project.dry_run("--", "results/sessions.json")
    assert re.findall(r"^(?:local)?rule (\w+):$", said, re.M) == ["sessions"]


def test_in_a_fresh_folder_blocks_make_all_that_there_is_after_their_data(project):
    models = {"fake": {"fit": [4, 8]}, "mnist_dense": {"fit": "default"}}
    project.configure(models=models, training={"data": "digits", "epochs": 1})
    jobs = re.split(r"^(?:local)?rule (\w+):$", project.dry_run("--", "all", "archive"), flags=re.M)
    jobs = list(zip(jobs[1::2], jobs[2::2], strict=True))
    rules = [rule for rule, _ in jobs]
    assert rules.count("block") == 3 and rules.count("self_test") == 1
    assert all("results/data/digits.json" in job for rule, job in jobs if rule == "block")
    # Nothing is drawn beside something that is timed.
    assert all("machine_percent=" in job for rule, job in jobs if rule != "all")
    asked = re.compile(r"machine_percent=(\d+)")
    share = {rule: int(asked.search(job)[1]) for rule, job in jobs if rule != "all"}
    assert all(share["block"] + share[rule] > 100 for rule in share if rule != "block")


def test_without_locks_there_is_one_slot_and_several_are_refused(tmp_path, monkeypatch):
    def refused(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refused)
    with Slots(tmp_path, "node", 1).taken() as slot:
        assert slot == 0
    with pytest.raises(OSError, match="No locks") as problem, Slots(tmp_path, "node", 2).taken():
        pass
    assert problem.value.filename == str(tmp_path / "node-0")


@pytest.mark.parametrize("slots", [1, 2, 3])
def test_slots_share_whole_cores_and_leave_none_out(slots):
    cores = [[0, 8], [1, 9], [2, 10], [3, 11], [4, 12]]
    shares = [share(cores, slot, slots) for slot in range(slots)]
    assert sorted(chain(*shares)) == sorted(chain(*cores))
    assert all(
        not set(core) & set(own) or set(core) <= set(own) for core in cores for own in shares
    )
