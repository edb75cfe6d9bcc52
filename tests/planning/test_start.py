"""What a start of Snakemake knows, says and refuses before there is a job."""

import gc
import os
import signal
from pathlib import Path
from types import SimpleNamespace

import pytest
from snakemake.iocontainers import Wildcards

from deploy import failures
from planning.block_jobs import BlockJobs
from planning.commands import Commands
from planning.drawing import Drawing
from planning.jobs import Jobs
from planning.start import Start
from supervise import sitting

ROOT = Path(__file__).parents[2]
RECORD = "results/records/smoke/bert/fit-b4/keras3-jax/run1.json"
PATTERN = "results/blocks/{scale}/{model}/{task}-b{batch}/round{run}.done"
BLOCK = {"scale": "smoke", "model": "bert", "task": "fit", "batch": "4", "run": "1"}


def workflow(**facts):
    """Snakemake's, as far as it is asked."""
    found = {
        "is_main_process": True,
        "remote_exec": False,
        "resource_settings": SimpleNamespace(nodes=None, cores=1),
        "deployment_settings": SimpleNamespace(deployment_method=set(), conda_prefix=None),
        "dag_settings": SimpleNamespace(forcerun=set(), forceall=False),
        "global_resources": {"machine_percent": 100},
        "main_snakefile": "workflow/Snakefile",
        "dag": SimpleNamespace(forcefiles=set()),
    }
    return SimpleNamespace(**{**found, **facts})


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Where it is started; what it changes of the whole process is put back."""
    monkeypatch.chdir(tmp_path)
    for name in ("PATH", sitting.SITTING, failures.START):
        monkeypatch.setenv(name, os.environ.get(name, "1"))
    monkeypatch.delenv(sitting.SHARE, raising=False)
    handler, threshold = signal.getsignal(signal.SIGINT), gc.get_threshold()
    yield tmp_path
    signal.signal(signal.SIGINT, handler)
    gc.set_threshold(*threshold)
    gc.unfreeze()


def config(**facts):
    cell = {"models": {"bert": {"fit": 4}}, "columns": ["keras3-jax"]}
    return {"scale": "smoke", "accelerator": "cpu", "threads": 1, **cell, **facts}


def test_what_is_to_be_measured_is_said_once(capsys, monkeypatch):
    start = Start(workflow(), config(), ROOT)
    assert {*start.to_measure} >= {RECORD} and start.here and not start.beside
    assert "millistep: 1 of 1 runs to measure at smoke scale" in capsys.readouterr().err
    # The job of a block, and one on a node, were told what to do.
    assert Start(workflow(is_main_process=False), config(), ROOT).to_measure == {}
    monkeypatch.setenv(sitting.SHARE, "0 1 1")
    assert RECORD in Start(workflow(), config(), ROOT).to_measure
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    "config_facts, workflow_facts, words",
    [
        ({"scale": "smal"}, {}, "configuration: scale: 'smal' is not allowed"),
        ({"slots": 2}, {}, "slots: 2 blocks at once need --cores 2 or more"),
        ({}, {"global_resources": {}}, "two runs could be timed side by side: copy"),
    ],
)
def test_what_cannot_be_done_is_one_line(config_facts, workflow_facts, words, monkeypatch):
    monkeypatch.setattr("planning.this_machine.check_slots", lambda plan: None)
    with pytest.raises(SystemExit) as end:
        Start(workflow(**workflow_facts), config(**config_facts), ROOT)
    assert str(end.value).startswith("millistep: ") and words in str(end.value)
    assert "\n" not in str(end.value)


def test_a_brace_in_the_path_is_refused_before_anything_is_planned(folder, monkeypatch):
    (folder / "my {project}").mkdir()
    monkeypatch.chdir(folder / "my {project}")
    with pytest.raises(SystemExit, match="a brace in its path"):
        Start(workflow(), {"scale": "unheard of"}, ROOT)


def test_what_was_measured_elsewhere_is_drawn_as_far_as_it_goes(folder):
    (folder / "results").mkdir()
    (folder / "results/elsewhere.json").write_text("{}")
    start = Start(workflow(), config(), ROOT)
    assert start.elsewhere and not start.here
    (folder / "results/there").touch()
    assert start.to_draw(["results/there", "results/not"]) == ["results/there"]
    drawing = Drawing(start, ["reference"])
    before = drawing.drawn_by("figures")
    (folder / "results/elsewhere.json").write_text('{"another": 1}')
    assert drawing.drawn_by("figures") != before != drawing.drawn_by("tables")


def test_a_lost_environment_of_the_analysis_is_made_again_unless_conda_keeps_it(
    folder, monkeypatch
):
    monkeypatch.setenv("MILLISTEP_CACHE", str(folder))
    start = Start(workflow(), config(), ROOT)
    drawing, forced = Drawing(start, []), start.workflow.dag.forcefiles
    assert drawing.lost_environment(None) == [] and forced == set()  # it was never made
    Path(drawing.environment).parent.mkdir(parents=True)
    Path(drawing.environment).touch()
    assert drawing.lost_environment(None) == [] and forced == {drawing.environment}
    settings = SimpleNamespace(deployment_method={"conda"}, conda_prefix=None)
    start = Start(workflow(deployment_settings=settings), config(), ROOT)
    assert Drawing(start, []).python == "python3"
    assert Drawing(start, []).lost_environment(None) == []
    assert start.workflow.dag.forcefiles == set()


def test_a_block_is_told_its_own_files_and_how_it_is_deployed():
    settings = SimpleNamespace(deployment_method={"conda"}, conda_prefix="/my envs")
    start = Start(workflow(deployment_settings=settings), config(slots=1), ROOT)
    jobs = BlockJobs(start, Jobs(start))
    command = jobs.snakemake(PATTERN)(Wildcards(fromdict=BLOCK))
    assert "--configfile results/.planned.json --use-conda --conda-prefix '/my envs' --" in command
    files = command.rpartition(" -- ")[2].split()
    assert files[0].endswith("round1/before-cpu.json") and files[-1].endswith("after-cpu.json")
    assert RECORD in files
    assert "keras3-jax" in jobs.columns(PATTERN)(Wildcards(fromdict=BLOCK))
    with pytest.raises(ValueError, match="is not in the plan"):
        jobs.columns(PATTERN)(Wildcards(fromdict=BLOCK | {"batch": "5"}))


def test_a_brace_in_the_path_of_the_sources_names_no_wildcard(folder):
    start = SimpleNamespace(sources=Path("/a {b} c"))
    assert Commands(start).program("supervise cell", "--record {output}") == (
        "exec python3 -s '/a {{b}} c/workflow'/supervise cell --record {output}"
    )


@pytest.mark.parametrize(("accelerator", "gpu"), [("cpu", None), ("cuda", 1)])
def test_a_job_that_times_on_a_gpu_asks_for_one(accelerator, gpu, monkeypatch):
    start = Start(workflow(), config(accelerator=accelerator), ROOT)
    resources = Commands(start).timed(start.plan.environments[0])
    assert resources.get("gpu") == gpu
