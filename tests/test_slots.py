"""Two blocks at once on one machine: each in a slot with processors of its own."""

import errno
import fcntl
import json

import pytest

from supervise.slots import Slots
from tests.fake_project import fake_project

BLOCKS = [f"results/blocks/smoke/fake/fit-b{batch}/round1.json" for batch in (4, 8)]


@pytest.fixture
def project(tmp_path):
    project = fake_project(tmp_path / "project", "step_ms: 20.0")
    project.edit("config/config.yaml", "{fit: default}", "{fit: [4, 8]}")
    project.edit("config/config.yaml", "threads: 1", "threads: 1\nslots: 2")
    return project


def test_two_blocks_at_once_have_processors_of_their_own_and_see_each_other(
    project, every_processor
):
    if len(every_processor) < 2:
        pytest.skip("two slots need two processors")
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


def test_without_locks_there_is_one_slot_and_several_are_refused(tmp_path, monkeypatch):
    def refused(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refused)
    with Slots(tmp_path, "node", 1).taken() as slot:
        assert slot == 0
    with pytest.raises(OSError, match="No locks") as problem, Slots(tmp_path, "node", 2).taken():
        pass
    assert problem.value.filename == str(tmp_path / "node-0")
