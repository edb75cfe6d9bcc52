"""What lies in a record's place and is none: named in one line, set aside, and measured again."""

import json
import os

import pytest
import yaml

from deploy.environments import definition_sha256
from planning.changes import Unreadable, why
from planning.plan import Plan
from supervise.record import SCHEMA
from tests.fake_project import fake_project
from tests.planning.records import record_text

NEWER = SCHEMA.replace("/3", "/4")


def cut_off(path, text):
    path.write_text(text[: len(text) // 2])


def of_a_newer_version(path, text):
    path.write_text(text.replace(SCHEMA, NEWER))


def in_utf_16(path, text):
    path.write_text(text, encoding="utf-16")


def without_timing(path, text):
    found = json.loads(text)
    del found["timing"]
    path.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")


def a_pipe(path, text):
    os.mkfifo(path)


def nested(path, text):
    path.write_text("[" * 100_000 + "]" * 100_000)


SPOILT = {
    cut_off: "is no JSON (",
    of_a_newer_version: f"is no {SCHEMA}, it says '{NEWER}'",
    in_utf_16: "is not UTF-8",
    without_timing: "lacks timing",
    a_pipe: "is no file",
    nested: "is no JSON (maximum recursion depth exceeded",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A row for each of them; what is in the place of its record, but for the first one's."""
    project = fake_project(tmp_path_factory.mktemp("spoilt") / "project", "step_ms: 1.0")
    rows = list(range(1, len(SPOILT) + 2))
    project.edit("config/config.yaml", "{fit: default}", f"{{fit: {rows}}}")
    return project


def test_each_is_named_in_one_line_set_aside_and_measured_again(project, monkeypatch):
    monkeypatch.chdir(project.folder)
    config = yaml.safe_load((project.folder / "config/config.yaml").read_text())
    plan = Plan(config, definition_sha256, project.folder / "envs")
    whole, *runs = sorted(plan.runs, key=lambda run: run.row.batch_size)
    for run in plan.runs:
        (project.folder / run.record).parent.mkdir(parents=True, exist_ok=True)
    (project.folder / whole.record).write_text(record_text(whole.identity))
    for spoil, run in zip(SPOILT, runs, strict=True):
        spoil(project.folder / run.record, record_text(run.identity))
        assert isinstance(why(run, project.folder), Unreadable)

    said = project.snakemake("-n", timeout=60)
    assert said.returncode == 0, said.stderr
    for words, run in zip(SPOILT.values(), runs, strict=True):
        lines = [line for line in said.stderr.splitlines() if line.startswith("millistep: ")]
        (line,) = [line for line in lines if run.record in line]
        assert words in line and line.endswith("; it is set aside, and measured again")
    assert project.measured() == {"fake": len(SPOILT)}

    records = [run.record for run in plan.runs]
    done = project.snakemake("--quiet", "all", "--", *records, timeout=300)
    assert done.returncode == 0, done.stderr
    for run in runs:
        assert f"{run.record} is now {run.record}.unreadable" in done.stderr
        assert os.path.lexists(project.folder / f"{run.record}.unreadable")
        assert json.loads((project.folder / run.record).read_text())["status"] == "ok"
    kept = project.folder / f"{runs[0].record}.unreadable"
    assert kept.read_text() == record_text(runs[0].identity)[: kept.stat().st_size]
    assert (project.folder / whole.record).read_text() == record_text(whole.identity)
    assert project.measured() == {}
