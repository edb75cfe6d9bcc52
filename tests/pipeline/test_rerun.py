"""Only what has changed is measured again."""

import json
import os
import re
import subprocess
from base64 import urlsafe_b64encode

from millistep.measure.protocol import MEASURE

from ..shared import put
from .conftest import COLUMNS, CONFIG, KERAS2, PYTORCH

ENVIRONMENTS = "envs/2026-11/cpu"
RECORD = "results/records/smoke/bert/predict-b8/pytorch-eager/run1.json"


def test_nothing_is_done_twice_although_all_was_moved_and_touched_and_keys_reordered(project):
    """The project is a copy in another folder."""
    for folder in ("workflow", "envs", "config"):
        for path in (project.folder / folder).rglob("*"):
            if path.is_file():
                os.utime(path)
    lines = CONFIG.splitlines(keepends=True)
    (project.folder / "config/config.yaml").write_text("".join(lines[-1:] + lines[:-1]))
    assert project.planned() == {}


def test_another_version_of_measuring_measures_everything_again(project):
    project.append("workflow/millistep/supervise/record.py")  # which puts the self-test together
    assert project.planned("--", "results/self_test.json") == {"self_test": 1}
    versions = (f"MEASURE = {MEASURE}", f"MEASURE = {MEASURE + 1}")
    project.edit("workflow/millistep/measure/protocol.py", *versions)
    said = project.dry_run()
    assert project.measured(said=said) == dict.fromkeys(COLUMNS, 2)  # fit and predict
    for rule in ("known_steps", "self_test", "time_again", "reference_cpu"):
        assert re.search(rf"^{rule} +\d+$", said, re.M), rule


def test_a_removed_record_is_measured_again_alone_and_by_its_path_nothing_else(project):
    before = project.records()
    (project.folder / RECORD).unlink()
    assert project.measured("--", "results/report.html") == {"pytorch-eager": 1}
    done = project.snakemake("--", RECORD)
    assert done.returncode == 0, done.stderr
    assert re.search(r"^total +1$", done.stdout + done.stderr, re.M)
    after = project.records()
    assert {name for name in after if after[name] != before[name]} == {RECORD}
    assert json.loads(after[RECORD])["timing"]["in_turns"] == 1


def test_snakemakes_own_options_work_on_cells(project):
    forced = project.planned("-R", "time_keras3_jax")
    assert {rule for rule in forced if rule.startswith("time_")} == {"time_keras3_jax"}
    assert "reference_cpu" in forced
    assert project.planned("-f", "--", RECORD) == {"time_pytorch_eager": 1}
    project.append(f"{ENVIRONMENTS}/pytorch.yaml")
    until = project.planned("--until", "time_pytorch_eager")
    assert {rule for rule in until if rule.startswith("time_")} == {"time_pytorch_eager"}
    said = project.snakemake("-n").stderr
    assert f"millistep: {2 * len(PYTORCH)} of {2 * len(COLUMNS)} runs to measure" in said
    for column in PYTORCH:
        assert re.search(rf"environment changed: .*bert fit b4 {column}", said)
    listed = project.snakemake("--list-changes", "params").stdout
    assert "results/records/smoke/bert/fit-b4/pytorch-eager/run1.json" in listed
    states = project.snakemake("--summary").stdout
    assert re.search(r"pytorch-eager/run1\.json\t.*\ttime_pytorch_eager\t.*update pending", states)


def test_a_whole_record_whose_job_snakemake_did_not_see_end_is_kept(project):
    marker = project.folder / ".snakemake/incomplete" / urlsafe_b64encode(RECORD.encode()).decode()
    put(marker, "{}")
    before = project.records()
    assert "already measured, keeping it" in project.made(RECORD).stderr
    assert project.records() == before


def test_a_change_in_a_clone_beside_its_results_measures_the_changed_cells(project, fresh):
    """Snakemake remembers nothing there; the cells and the reason are named."""
    subprocess.run(["cp", "-a", str(project.folder / "results"), str(fresh.folder)], check=True)
    fresh.append(f"{ENVIRONMENTS}/keras2-tensorflow.yaml")
    said = fresh.dry_run()
    assert fresh.measured(said=said) == dict.fromkeys(KERAS2, 2)
    changed, planned = 2 * len(KERAS2), 2 * len(COLUMNS)
    assert f"millistep: {changed} of {planned} runs to measure at smoke scale" in said
    assert "environment changed: bert fit b4 keras2-tensorflow, bert predict b8" in said


def test_a_real_rerun_replaces_the_changed_record_and_no_other(project):
    project.configure(models={"bert": {"predict": "default"}})
    before = project.records()
    project.append(f"{ENVIRONMENTS}/keras3-jax.yaml")
    project.measure()
    after = project.records()
    changed = {name for name in after if after[name] != before.get(name)}
    assert changed == {RECORD.replace("pytorch-eager", "keras3-jax")}
    (name,) = changed
    old, new = (json.loads(of[name])["session"]["id"] for of in (before, after))
    assert old != new  # new runs are not compared with kept ones
    assert project.planned("--", *project.planned_records()) == {}
