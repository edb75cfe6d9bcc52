"""Canaries and self-test in the plan: where in the order, and what makes them run again."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planning import changes, sources
from planning.identity import CORE, WORKFLOW

from .test_config import plan

BERT = {"bert": {"fit": 4, "predict": [8, 16]}}


def planned(**options):
    return plan(**{"models": BERT, **options})


@settings(max_examples=20, deadline=None)
@given(runs=st.integers(1, 4), seed=st.integers(0, 2**31 - 1))
def test_canaries_lie_between_the_rounds_and_each_name_beside_the_other(runs, seed):
    made = planned(runs=runs, seed=seed)
    files = made.controls.order
    assert len(files) == len(set(files)) == len(made.runs) + 2 * runs + 2

    canaries = [files.index(canary.path) for canary in made.controls.canaries["cpu"]]
    assert canaries == sorted(canaries) and canaries[0] == 0
    assert files.index(made.controls.known_steps.path) == canaries[1] + 1
    for run in made.runs:
        assert canaries[run.number - 1] < files.index(run.record) < canaries[run.number]
    for run in made.controls.again:
        first = made.runs[run.position]
        assert abs(files.index(run.record) - files.index(first.record)) == 1

    records = [file for file in files if file in made.by_record]
    assert records == [run.record for run in made.runs]
    priorities = [made.priority(file) for file in files]
    assert priorities == sorted(set(priorities), reverse=True)


def test_an_environment_is_deployed_just_before_the_first_file_that_needs_it():
    made = planned(runs=2)
    places = {path: made.priority(path) for path in made.controls.order}
    ways = {**places, **{e: made.priority_of_deployment(e) for e in made.environments}}
    seen = set()
    for way in sorted(ways, key=ways.get, reverse=True):
        if way in places:
            assert made.controls.environments[way] in seen
            waiting = None
        else:
            assert not seen or waiting is None, "two are deployed before one is needed"
            seen.add(way)
            waiting = way
    assert len(set(ways.values())) == len(ways)
    assert set(made.deployments) == set(made.environments)
    first = [made.priority(run.record) for run in made.runs if run.number == 1][:6]
    assert min(first) > made.priority_of_analysis > made.priority(made.runs[6].record)
    alone = planned(columns=["keras3-jax"])
    assert alone.priority(alone.runs[0].record) > alone.priority_of_analysis
    assert made.deployments[0] == made.controls.environment("cpu")


def test_a_control_can_be_measured_in_the_environments_of_the_others():
    controls = planned().controls
    canary = controls.canaries["cpu"][1].path
    for path in (canary, controls.known_steps.path):
        others = controls.instead(path)
        names = [environment.name for _, environment in others]
        assert sorted(names) == sorted(
            e.name for e in planned().environments if e.name != "pytorch"
        )
        assert {control.path for control, _ in others} == {path}
        libraries = [json.loads(control.identity)["library"] for control, _ in others]
        assert libraries == sorted(libraries, key=("torch", "tensorflow", "jax").index)


def test_either_name_may_come_first_and_the_seed_says_which():
    def first_is_before(seed):
        made = planned(seed=seed)
        run = made.controls.again[0]
        return made.priority(made.runs[run.position].record) > made.priority(run.record)

    orders = [first_is_before(seed) for seed in range(20)]
    assert set(orders) == {True, False}
    assert orders == [first_is_before(seed) for seed in range(20)]


def test_the_second_name_is_the_same_cell_but_for_its_probes():
    run = planned().controls.again[0]
    second = json.loads(run.identity)
    first = json.loads(planned().runs[run.position].identity)
    assert {key for key in second if second[key] != first.get(key)} == {"again", "extras", "probes"}
    # Predicting holds no gradients; the smaller batch comes first in the table.
    assert (run.row.task, run.row.batch_size, run.column.name) == ("predict", 8, "pytorch-eager")
    assert run.record == "results/self_test/smoke/bert/predict-b8/pytorch-eager/run1.json"


@pytest.mark.parametrize(
    ("columns", "canary", "same_cell"),
    [
        (["keras3-jax", "keras3-torch"], "keras3-torch", "keras3-jax"),
        (["keras2-tensorflow", "keras3-jax"], "keras2-tensorflow", "keras3-jax"),
        (["pytorch-compiled"], "pytorch-compiled", "pytorch-compiled"),
    ],
)
def test_every_choice_of_columns_has_a_canary_and_a_second_name(columns, canary, same_cell):
    checks = planned(columns=columns).controls
    assert checks.column.name == canary
    assert {run.column.name for run in checks.again} == {same_cell}


def test_a_plan_in_which_nothing_is_supported_has_no_second_name():
    reason = {"model": "bert", "column": "keras3-jax", "reason": "because"}
    made = planned(columns=["keras3-jax"], unsupported=[reason])
    assert made.controls.again == []
    canaries = [canary.path for canary in made.controls.canaries["cpu"]]
    assert made.controls.order == [*canaries, made.controls.known_steps.path]


def test_one_more_run_leaves_the_canaries_before_it_as_they_were():
    fewer, more = planned(runs=2).controls, planned(runs=3).controls
    assert more.canaries["cpu"][:3] == fewer.canaries["cpu"]
    assert more.known_steps == fewer.known_steps


def test_runs_depend_on_the_sampler_beside_them_and_not_on_the_canary():
    used = {file.relative_to(WORKFLOW).as_posix() for file in sources.closure(WORKFLOW, CORE)}
    assert "supervise/sampler.py" in used
    controls = {"measure/controls/canary.py", "measure/controls/matmul/torch.py"}
    assert not used & controls


def test_stale_and_broken_checks_are_measured_again_and_missing_ones_are_only_missing(tmp_path):
    made = planned()
    assert changes.stale_controls(made, tmp_path) == set()
    for path, identity in made.controls.identities.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(json.dumps({"identity": identity}))
    assert changes.stale_controls(made, tmp_path) == set()
    stale, broken = (canary.path for canary in made.controls.canaries["cpu"])
    (tmp_path / stale).write_text('{"identity": "of another day"}')
    (tmp_path / broken).write_text("{")
    assert changes.stale_controls(made, tmp_path) == {stale, broken}
