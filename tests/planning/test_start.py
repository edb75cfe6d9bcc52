"""A start of Snakemake: what it finds out, says and refuses before its first job."""

import gc
import io
import json
import os
import signal
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from millistep.planning import this_machine
from millistep.planning.commands import Commands
from millistep.planning.jobs import Handlers, Jobs
from millistep.planning.start import ON_NODE, Start

from ..shared import ROOT, put
from .records import write_record
from .test_config import BERT, plan, refused

RECORD = "results/records/smoke/bert/fit-b4/keras3-jax/run1.json"


def asked(**facts):
    """What -R, -F and -f ask for: nothing, but for these facts."""
    found = {"forcerun": set(), "forceall": False, "forcetargets": False, "targets": set()}
    return SimpleNamespace(**{**found, **facts})


def workflow(**facts):
    """Snakemake's workflow, as far as a start asks it."""
    found = {
        "is_main_process": True,
        "remote_exec": False,
        "resource_settings": SimpleNamespace(nodes=None, cores=1),
        "output_settings": SimpleNamespace(quiet=set(), dryrun=False),
        "deployment_settings": SimpleNamespace(deployment_method=set(), conda_prefix=None),
        "dag_settings": asked(),
        "global_resources": {"machine_percent": 100},
        "main_snakefile": "workflow/Snakefile",
        "dag": SimpleNamespace(forcefiles=set()),
    }
    return SimpleNamespace(**{**found, **facts})


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """The folder of the start; what it changes of the whole process is put back."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(ON_NODE, raising=False)
    handler = signal.getsignal(signal.SIGINT)
    yield tmp_path
    signal.signal(signal.SIGINT, handler)


def config(**facts):
    cell = {"models": {"bert": {"fit": 4}}, "columns": ["keras3-jax"]}
    return {"scale": "smoke", "accelerator": "cpu", "threads": 1, **cell, **facts}


def test_a_lock_of_another_start_is_told_and_no_refusal(capsys):
    put(Path(".snakemake/locks/0.output.lock"), RECORD)
    Start(workflow(), config(), ROOT)
    told = "another snakemake runs in this folder; this one continues unless both need the same"
    assert told in capsys.readouterr().err


def test_what_is_to_be_measured_is_said_once_with_the_first_job_that_measures(capsys, monkeypatch):
    start = Start(workflow(), config(), ROOT)
    assert {*start.to_measure} >= {RECORD} and start.plan.here and not start.on_nodes
    jobs = Jobs(start)
    assert capsys.readouterr().err == ""  # a page of archives, say, measures nothing
    for _ in range(2):
        jobs.begin_timing()
    said = capsys.readouterr().err
    assert said.count("millistep: 1 of 1 runs to measure at smoke scale") == 1
    # A job on a node and the Snakemake that it starts print nothing.
    assert Start(workflow(is_main_process=False), config(), ROOT).to_measure == {}
    monkeypatch.setenv(ON_NODE, "1")
    start = Start(workflow(), config(), ROOT)
    Jobs(start).begin_timing()
    assert RECORD in start.to_measure and capsys.readouterr().err == ""


def test_a_start_writes_no_file_and_changes_no_variable_of_its_process(folder):
    before = {**os.environ, "threshold": gc.get_threshold()}
    with_conda = SimpleNamespace(deployment_method={"conda"}, conda_prefix=None)
    start = Start(workflow(deployment_settings=with_conda), config(), ROOT)
    jobs, commands = Jobs(start), Commands(start)
    jobs.begin_timing()
    commands.timed(start.plan.environments[0], of_job=jobs.in_turns("{file}"))
    after = {**os.environ, "threshold": gc.get_threshold()}
    assert {name for name in {**before, **after} if before.get(name) != after.get(name)} == set()
    assert [*folder.iterdir()] == []


class Wildcards(dict):
    """Snakemake's wildcards, which yield their values."""

    def __iter__(self):
        return iter(self.values())


def test_the_options_of_all_runs_need_one_look_at_all_jobs():
    looks = []
    dag = SimpleNamespace(forcefiles=set(), needrun_jobs=lambda: looks.append(1) or needed)
    start = Start(workflow(dag=dag), config(models={"bert": {"fit": [4, 8]}}, runs=9), ROOT)
    needed = [SimpleNamespace(output=[path]) for path in start.plan.timed]
    pattern = "results/records/smoke/bert/fit-b{batch}/keras3-jax/run{run}.json"
    options = Jobs(start).in_turns(pattern)
    wildcards = [Wildcards(batch=b, run=k) for k in range(1, 10) for b in (4, 8)]
    assert len({options(each) for each in wildcards}) == 18
    assert looks == [1]


def test_runs_of_the_first_round_are_twice_the_work_of_others():
    records = [RECORD.replace("run1", f"run{number}") for number in (1, 2, 3)]
    jobs = [SimpleNamespace(output=[record]) for record in records]
    dag = SimpleNamespace(forcefiles=set(), needrun_jobs=lambda: jobs)
    start = Start(workflow(dag=dag), config(runs=3), ROOT)
    assert [start.work_done[path] for path in records] == [0.5, 0.75, 1.0]


def test_that_all_is_measured_is_said_and_where_the_report_is(folder, capsys):
    measure_all()
    tell_results()
    put(folder / "results/report.html", "")
    tell_results()
    said = "millistep: all 1 runs are measured"
    assert capsys.readouterr().err == f"{said}\n{said}; report: results/report.html\n"


def test_results_are_shown_on_a_terminal_that_lacks_their_signs(monkeypatch):
    handlers = Handlers(Start(workflow(), config(), ROOT))
    summary = {"sentences": ["2.0× faster"], "workloads": []}
    for name, text in (("report.html", ""), ("table.md", "1.2×\n"), ("summary.json", summary)):
        put(Path("results", name), text if isinstance(text, str) else json.dumps(text))
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), "ascii"))
    handlers.end(complete=True)
    shown = sys.stdout.buffer.getvalue().decode()
    assert shown == "1.2×\n\n2.0× faster\n\nReport: results/report.html\n"


def measure_all():
    for path, run in Start(workflow(), config(), ROOT).plan.timed.items():
        write_record(Path(path), run.identity)


def tell_results(**facts):
    """Ask for results with these options; the start."""
    start = Start(workflow(dag_settings=asked(**facts)), config(), ROOT)
    assert Jobs(start).all_measured(None) == []
    return start


@pytest.mark.parametrize(
    ("facts", "of_nodes"),
    [
        ({"forcerun": {"time_keras3_jax"}}, True),
        ({"forceall": True}, True),
        ({"forcetargets": True, "targets": {RECORD}}, False),  # a job of its own measures it
    ],
)
def test_what_is_asked_for_is_measured_as_if_it_had_to_be(facts, of_nodes, capsys):
    measure_all()
    start = tell_results(**facts)
    assert capsys.readouterr().err == ""  # not that all is measured
    Jobs(start).begin_timing()
    first, then = "1 of 1 runs to measure at smoke", "requested with -R, -F or -f: bert fit b4"
    said = f"{first} scale\n  {then} keras3-jax\n"
    assert said in capsys.readouterr().err
    # Snakemake does not pass the options on to a job on a node.
    put(start.asked, json.dumps(start.asked_of_nodes))
    on_node = Start(workflow(is_main_process=False, remote_exec=True), config(), ROOT)
    assert on_node.now == {} and (RECORD in on_node.asked_of_nodes) == of_nodes


def test_second_runs_of_the_self_test_are_asked_for_by_the_rule_that_makes_them(capsys):
    measure_all()
    again = {run.record for run in Start(workflow(), config(), ROOT).plan.controls.again}
    for rule, asked_for in {"time_again": again, "time_keras3_jax": {RECORD}}.items():
        assert {*tell_results(forcerun={rule}).now} == asked_for


ALONE = {"global_resources": {}}
REFUSED = [
    (".", {"scale": "smal"}, {}, "configuration: scale: 'smal' is not allowed"),
    (".", {}, ALONE, "two runs could be timed at the same time: copy"),
    # The profile is in its place there.
    (ROOT, {}, ALONE, "two runs could be timed at the same time: leave --workflow-profile out"),
    ("my {project}", {"scale": "unheard of"}, {}, "a brace in its path"),  # before all else
]


@pytest.mark.parametrize(("place", "config_facts", "workflow_facts", "words"), REFUSED)
def test_what_cannot_be_done_is_one_line(place, config_facts, workflow_facts, words, monkeypatch):
    Path(place).mkdir(exist_ok=True)
    monkeypatch.chdir(place)
    with pytest.raises(SystemExit) as end:
        Jobs(Start(workflow(**workflow_facts), config(**config_facts), ROOT)).begin_timing()
    assert str(end.value).startswith("millistep: ") and words in str(end.value)
    assert "\n" not in str(end.value)


def test_a_lost_environment_of_the_analysis_is_made_again(folder, monkeypatch):
    monkeypatch.setenv("MILLISTEP_CACHE", str(folder))
    start = Start(workflow(), config(), ROOT)
    commands, forced = Commands(start), start.workflow.dag.forcefiles
    assert commands.lost_environment(None) == [] and forced == set()  # it was never made
    marker = Path(commands.environment.marker)
    marker.parent.mkdir(parents=True)
    marker.touch()
    assert commands.lost_environment(None) == [] and forced == {str(marker)}


def test_a_device_without_effect_is_named():
    assert plan(models=BERT).notices == []
    [line] = plan(models=BERT, device=3).notices
    assert line.startswith("device: 3 has no effect, because nothing is measured on a GPU")


def test_an_interpreter_that_is_not_here_is_said_before_anything_is_measured():
    named = {"interpreters": {"keras3-jax": "/no/such/python"}, "columns": ["keras3-jax"]}
    words = ["interpreter of keras3-jax: there is no interpreter '/no/such/python'"]
    refused(words, lambda: this_machine.check_interpreters(plan(models=BERT, **named)))


def test_nothing_is_installed_where_no_cell_can_be_measured():
    nothing = plan(models={"gemma": {"fit": "default"}}, columns=["keras2-tensorflow"])
    words = ["none of the cells can be measured", "requires Keras 3"]
    refused(words, lambda: this_machine.check_device(nothing))
    on_both = [{"framework": "keras2-tensorflow", "accelerator": kind} for kind in ("cpu", "cuda")]
    nothing = plan(models={"gemma": {"fit": "default"}}, columns=on_both)
    # The plan can be made, to say so.
    assert len(nothing.environments) == 2


def test_a_brace_in_the_path_of_the_sources_names_no_wildcard(folder):
    start = SimpleNamespace(sources=Path("/a {b} c"), results="results", use_conda=True)
    assert Commands(start).program("cell", "--record {output}") == (
        f"exec {sys.executable} -s '/a {{{{b}}}} c/workflow' cell --record {{output}}"
    )


ROWS = {"bert": {"fit": 8, "predict": 32}, "sam": {"predict": 4}}


@pytest.mark.parametrize(
    ("done", "pages"),
    [
        (0, {"first_workload": 1, "round1": 3}),  # the report follows the second round
        (2, {"first_workload": 1, "round1": 1}),
        (4, {"first_workload": 1}),
        (6, {}),
    ],
)
def test_pages_wait_for_the_records_that_this_start_measures(done, pages):
    made = plan(scale="laptop", models=ROWS, columns=["keras3-jax"], runs=2, threads=1)
    missing = [run.record for group in made.groups[done:] for run in group.runs]
    start = SimpleNamespace(plan=made, now=missing, on_nodes=False, elsewhere=False)
    found = Jobs(start).so_far
    workloads = {part: {path.split("/run")[0] for path in of} for part, of in found.items()}
    workloads = {p: {w for w in of if "/records/" in w} for p, of in workloads.items()}
    assert {part: len(of) for part, of in workloads.items()} == pages
    assert {path for of in found.values() for path in of} <= {*missing}
