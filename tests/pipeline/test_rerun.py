"""Exactly what changed is measured again, and nothing else."""

import json
import os
import re
import shutil
import subprocess
from base64 import urlsafe_b64encode

import pytest

from .conftest import COLUMNS, CONFIG, KERAS2, KERAS3, PYTORCH, columns_with, counted

BERT = "workflow/measure/models/bert"


def append(line):
    def change(project, path):
        file = project.folder / path
        file.write_text(file.read_text() + line)

    return change


def test_nothing_is_done_twice(project):
    assert project.planned() == {}


@pytest.mark.parametrize("target", ["results/report.html", "all"])
def test_a_removed_record_is_measured_again(project, target):
    (project.folder / "results/records/smoke/bert/fit-b4/keras3-jax/run1.json").unlink()
    assert project.measured("--", target) == {"keras3-jax": 1}


@pytest.mark.parametrize(
    ("path", "rules"),
    [
        ("workflow/measure/controls/canary.py", set()),
        ("workflow/measure/controls/monitor_pair.py", {"known_steps", "self_test"}),
        ("workflow/measure/controls/matmul/torch.py", {"known_steps", "self_test"}),
        (
            "workflow/measure/controls/known_step/frameworks/known_step.py",
            {"known_steps", "self_test"},
        ),
        ("workflow/machine_card/host.py", set()),
        ("workflow/supervise/canary.py", set()),
        ("workflow/supervise/known_steps.py", set()),
    ],
)
def test_a_changed_check_is_made_again_and_no_cell_is(project, path, rules):
    append("\n")(project, path)
    planned = project.planned()
    timed = {rule for rule in planned if rule.startswith(("time_", "canary_"))}
    assert {"known_steps", "self_test"} & {*planned} | timed == rules


def test_a_changed_timer_makes_the_self_test_again_as_well(project):
    append("\n")(project, "workflow/measure/timer.py")
    assert {"known_steps", "self_test", "time_again", "canary_cpu"} <= {*project.planned()}


def test_an_environment_of_the_analysis_that_was_lost_is_made_again(project, tmp_path):
    said = project.snakemake("-n", "--quiet", "rules", MILLISTEP_CACHE=str(tmp_path)).stdout
    jobs = re.findall(r"^(\w+) +\d+$", said, re.M)
    assert "analysis_environment" in jobs
    assert not [job for job in jobs if job.startswith("time_")]


def test_what_says_how_a_block_was_measured_is_made_again_without_touching_a_cell(project):
    before = project.records()
    block = project.folder / "results/blocks/smoke/bert/fit-b4"
    sessions = (block / "round1.json").read_bytes()
    (block / "round1.json").unlink()
    done = project.snakemake("--quiet", "all", "--", "sessions")
    assert done.returncode == 0, done.stderr
    assert (block / "round1.json").read_bytes() == sessions
    # Where the canaries are lost, too, as those of earlier versions: what there is counts.
    shutil.rmtree(block / "round1")
    assert {*project.planned()} & {"canary_cpu", "time_again"} == set()
    assert project.measured() == {} and project.records() == before


def test_a_whole_record_whose_job_snakemake_did_not_see_the_end_of_stays(project):
    path = "results/records/smoke/bert/fit-b4/keras3-jax/run1.json"
    marker = project.folder / ".snakemake/incomplete" / urlsafe_b64encode(path.encode()).decode()
    marker.parent.mkdir(exist_ok=True)
    marker.write_text("{}")
    assert project.measured() == {}


def test_one_record_is_measured_by_its_path_and_nothing_else(project):
    path = "results/records/smoke/bert/fit-b4/keras3-jax/run1.json"
    before = project.records()
    (project.folder / path).unlink()
    assert project.planned("--", path) == {"time_keras3_jax": 1}
    done = project.snakemake("--quiet", "all", "--", path)
    assert done.returncode == 0, done.stderr
    after = project.records()
    assert {name for name in after if after[name] != before[name]} == {path}
    assert json.loads(after[path])["session"]["node"]


def test_snakemakes_own_options_work_on_cells(project):
    assert project.measured("-R", "time_keras3_jax") == counted("keras3-jax")
    assert {"canary_cpu", "sessions"} <= {*project.planned("-R", "time_keras3_jax")}
    append("\n")(project, f"{BERT}/pytorch.py")
    assert project.measured() == counted(*PYTORCH)
    until = project.planned("--until", "time_pytorch_eager")
    assert {rule for rule in until if rule.startswith("time_")} == {"time_pytorch_eager"}
    said = project.snakemake("-n").stdout
    assert said.count("Params have changed since last execution") >= 2 * len(PYTORCH)
    listed = project.snakemake("--list-changes", "params").stdout
    assert "results/records/smoke/bert/fit-b4/pytorch-eager/run1.json" in listed
    states = project.snakemake("--summary").stdout
    assert re.search(r"pytorch-eager/run1\.json\t.*\ttime_pytorch_eager\t.*update pending", states)


def test_without_snakemakes_memory_a_changed_identity_is_seen_all_the_same(project):
    shutil.rmtree(project.folder / ".snakemake/metadata")
    assert project.measured() == {}
    append("\n")(project, f"{BERT}/keras2.py")
    assert project.measured() == counted(*KERAS2)


@pytest.mark.parametrize(
    ("path", "columns"),
    [
        (f"{BERT}/keras3.py", KERAS3),
        (f"{BERT}/keras2.py", KERAS2),
        (f"{BERT}/pytorch.py", PYTORCH),
        (
            "workflow/measure/frameworks/keras3_jax.py",
            columns_with(family="keras3", library="jax"),
        ),
        ("workflow/measure/timer.py", COLUMNS),
        (
            "envs/2026-11/cpu/keras3-jax.post-deploy.sh",
            columns_with(environment="keras3-jax"),
        ),
        ("envs/2026-11/cpu/pytorch.yaml", columns_with(environment="pytorch")),
        ("envs/2026-11/cuda/pytorch.yaml", ()),
        ("workflow/analysis/figures/style.py", ()),
        ("report/style.css", ()),
        ("report/report.html.j2", ()),
        ("reference/README.md", ()),
        ("workflow/supervise/cell.py", ()),
        ("README.md", ()),
    ],
)
def test_a_changed_line_measures_exactly_the_cells_that_use_it(project, path, columns):
    if not (project.folder / path).exists():
        pytest.fail(f"{path} is not part of the project any more")
    append("\n")(project, path)
    assert project.measured() == counted(*columns)


def test_a_changed_drawing_redraws_without_measuring(project):
    append("\n/* wider */\n")(project, "report/style.css")
    planned = project.planned()
    assert "report" in planned
    assert {*planned} == {"report", "all"}


def test_another_batch_size_measures_its_row_alone(project):
    project.edit("config/config.yaml", "fit: default", "fit: 2")
    assert project.measured() == dict.fromkeys(COLUMNS, 1)


def test_a_column_less_measures_nothing(project):
    project.edit("config/config.yaml", "keras3-jax, ", "")
    assert project.measured() == {}


@pytest.mark.parametrize(
    ("column", "name"),
    [
        ("{framework: keras3-jax, precision: float32}", "keras3-jax+float32"),
        ("{framework: keras3-torch, overlay: {rich: '13.0.0'}}", "keras3-torch+rich-13.0.0"),
    ],
)
def test_a_column_more_measures_that_column_alone(project, column, name):
    project.edit("config/config.yaml", "columns: [", f"columns: [{column}, ")
    assert project.measured() == counted(name)


def test_the_command_at_the_end_measures_more_rounds_and_keeps_what_there_is(project, measured):
    said = measured.first.stdout
    assert "Nothing can be called best from one run" in said
    told = re.search(
        r"^`.*--config runs=(\d)\W.* measures (\d) more rounds of everything, ", said, re.M
    )
    assert project.measured("--config", f"runs={told[1]}") == counted(*COLUMNS * int(told[2]))


def test_one_more_run_measures_that_run_alone(project):
    append("runs: 2\n")(project, "config/config.yaml")
    assert project.measured() == counted(*COLUMNS)


def test_touching_measures_nothing(project):
    for folder in ("workflow", "envs", "config", "report", "reference"):
        for path in (project.folder / folder).rglob("*"):
            if path.is_file():
                os.utime(path)
    os.utime(project.folder / "workflow/Snakefile")
    assert project.planned() == {}


def test_reordered_keys_measure_nothing(project):
    lines = CONFIG.splitlines(keepends=True)
    (project.folder / "config/config.yaml").write_text("".join(lines[-1:] + lines[:-1]))
    assert project.planned() == {}


def test_a_moved_project_measures_nothing(project, tmp_path):
    moved = project.copy(tmp_path / "elsewhere" / "other name")
    assert moved.measured() == {}


def test_a_clone_beside_its_results_measures_nothing(project, fresh):
    subprocess.run(["cp", "-a", str(project.folder / "results"), str(fresh.folder)], check=True)
    assert not (fresh.folder / ".snakemake").exists()
    assert fresh.measured() == {}


def test_a_dry_run_says_which_cells_and_why(project):
    append("\n")(project, f"{BERT}/keras2.py")
    said = project.snakemake("-n").stderr
    changed, planned = 2 * len(KERAS2), 2 * len(COLUMNS)
    assert f"millistep: {changed} of {planned} runs to measure at smoke scale" in said
    assert "sources changed: bert fit b4 keras2-tensorflow, bert predict b8" in said


def test_a_real_rerun_replaces_the_changed_record_and_no_other(project):
    before = project.records()
    append("\n")(project, f"{BERT}/keras2.py")
    done = project.snakemake("--quiet", "all")
    assert done.returncode == 0, done.stderr
    after = project.records()
    changed = {name for name in after if after[name] != before.get(name)}
    assert len(changed) == 2 * len(KERAS2)
    assert {name.split("/")[-2] for name in changed} == {*KERAS2}
    block = "results/blocks/smoke/bert/fit-b4/round1.json"
    first, second = json.loads((project.folder / block).read_text())["sessions"]
    assert [path.split("/")[-2] for path in second["runs"]] == [*KERAS2]
    assert len(first["runs"]) == len(COLUMNS) and first["id"] != second["id"]
    assert all(second["canaries"]["cpu"].values())
    assert project.planned() == {}


def test_a_change_in_a_clone_beside_its_results_measures_the_changed_cells(project, fresh):
    subprocess.run(["cp", "-a", str(project.folder / "results"), str(fresh.folder)], check=True)
    append("\n")(fresh, f"{BERT}/keras2.py")
    assert fresh.measured() == counted(*KERAS2)


def test_stale_records_are_shown_as_stale_and_not_mixed_in(project):
    append("\n")(project, f"{BERT}/keras2.py")
    # As after an interrupted run: the plan is today's, the records of Keras 2 are not.
    rules = ("plan", "runs", "table", "caveats")
    targets = ("results/table.md", "results/caveats.json")
    done = project.snakemake("--quiet", "all", "--allowed-rules", *rules, "--", *targets)
    assert done.returncode == 0, done.stderr
    row = (project.folder / "results/table.md").read_text().splitlines()[2]
    assert row.count("stale") == len(KERAS2)
    assert "stale" in (project.folder / "results/caveats.json").read_text()
