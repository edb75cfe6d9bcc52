"""A bundle of fake cells: measured in turns without Snakemake, and interrupted."""

import json
import os
import signal
import subprocess
import sys
import zipfile

import pytest

from millistep.bundle import run_bundle
from tests.fake_project import fake_project
from tests.shared import put, until

IDENTITY = "{}"
RECORD = "results/records/smoke/fake/fit-b4/{}/run1.json"
COLUMNS = ("fake", "other")


@pytest.mark.parametrize(
    ("found", "done"),
    [
        ({"identity": IDENTITY, "status": "ok"}, True),
        ({"identity": IDENTITY, "status": "error", "refused": None}, True),
        ({"identity": "{1}", "status": "ok"}, False),
        ({"identity": IDENTITY, "status": "refused"}, False),
        ({"identity": IDENTITY, "status": "error", "refused": "no GPU"}, False),
    ],
)
def test_what_could_not_begin_is_tried_again(found, done, tmp_path):
    path = put(tmp_path / "run1.json", json.dumps(found))
    assert run_bundle.is_done({"output": str(path)}, {"identity": IDENTITY}) is done


def test_files_of_a_machine_without_a_clock_are_packed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.utime(put(tmp_path / "results/run1.json", "{}"), ns=(0, 0))
    test = {"known_steps": "results/none.json"}
    assert run_bundle.pack({"results": "results", "scale": "smoke", "self_test": test}) == 1
    assert "results/run1.json" in zipfile.ZipFile("records.zip").namelist()


def test_a_bundle_is_measured_in_turns_and_goes_on_after_an_interrupt(tmp_path):
    hangs = f"step_ms: 1.0, trouble: hangs_once, hung: '{tmp_path}/hung'"
    project = fake_project(tmp_path / "project", hangs, other=True)
    project.configure(columns=[*COLUMNS], interpreters={})
    project.made("bundle")
    kit = tmp_path / "kit"
    (path,) = project.folder.glob("results/millistep-bundle-*.zip")
    zipfile.ZipFile(path).extractall(kit)
    given = [f"--interpreter={name}={sys.executable}" for name in COLUMNS]
    command = [sys.executable, "run_bundle.py", *given]
    first = subprocess.Popen(command, cwd=kit)
    until(lambda: os.path.exists(tmp_path / "hung"), 60)
    first.send_signal(signal.SIGINT)
    assert first.wait(120) == 130
    put(kit / RECORD.format(next(iter(COLUMNS))), "null")  # valid JSON, and no record
    subprocess.run(command, cwd=kit, check=True, timeout=200)
    records = [json.loads((kit / RECORD.format(name)).read_text()) for name in COLUMNS]
    assert [record["status"] for record in records] == ["ok", "ok"]
    assert {record["timing"]["in_turns"] for record in records} == {3}  # with the second name
    assert len({record["session"]["id"] for record in records}) == 1
