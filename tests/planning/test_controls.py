"""Blocks, canaries and self-test in the plan: their order, and what makes them be run again."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planning import changes

from .records import write_record
from .test_config import plan

BERT = {"bert": {"fit": 4, "predict": [8, 16]}}


def planned(**options):
    return plan(**{"models": BERT, **options})


@settings(max_examples=20, deadline=None)
@given(runs=st.integers(1, 4), seed=st.integers(0, 2**31 - 1))
def test_a_block_is_a_row_in_a_round_with_each_second_name_beside_the_first(runs, seed):
    made = planned(runs=runs, seed=seed)
    assert len(made.blocks) == len(made.rows) * runs
    records = [run.record for block in made.blocks for run in block.runs]
    assert len(records) == len(set(records)) == len(made.runs) + runs
    assert [record for record in records if record in made.records] == [
        run.record for run in made.runs
    ]
    for block in made.blocks:
        assert {(run.row, run.number) for run in block.runs} == {(block.row, block.number)}
    for run in made.controls.again:
        first = made.runs[run.position]
        assert abs(records.index(run.record) - records.index(first.record)) == 1

    names = [name for name, _ in made.order.steps]
    assert names.index(made.controls.known_steps.path) == len(made.rows)
    files = [file for _, files in made.order.steps for file in files]
    canaries = 2 * len(made.blocks)
    assert len(files) == len(set(files)) == len(records) + canaries + 1
    assert [file for file in files if file in records] == records
    priorities = [made.order.priorities[file] for file in files]
    assert priorities == sorted(set(priorities), reverse=True)
    for block in made.blocks:
        before, *runs, after = block.files
        assert runs == [run.record for run in block.runs]
        assert before.endswith("/before-cpu.json") and after.endswith("/after-cpu.json")


def test_the_analysis_is_deployed_between_the_first_block_and_the_second():
    made = planned(runs=2)
    priorities = made.order.priorities
    last, following = priorities[made.blocks[0].files[-1]], priorities[made.blocks[1].files[0]]
    assert last > made.order.of_analysis > following


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


def test_runs_under_either_name_are_measured_again_where_they_are_missing_or_another(tmp_path):
    made = planned()
    assert {*changes.reasons(made, tmp_path)} == {*made.timed}
    for path, run in made.timed.items():
        write_record(tmp_path / path, run.identity)
    assert changes.reasons(made, tmp_path) == {}
    victim, again = made.runs[1], made.controls.again[0].record
    another = json.dumps({**json.loads(victim.identity), "seed": 77})
    write_record(tmp_path / victim.record, another)
    (tmp_path / again).unlink()
    found = changes.reasons(made, tmp_path)
    assert {*found} == {victim.record, again}
    said = changes.summary(made, found)
    assert f"1 of {len(made.runs)} runs" in said and "seed 77 -> " in said


@pytest.mark.parametrize(
    ("text", "stale"),
    [
        ('{"identity": "a"}', False),
        ('{"identity": "b"}', True),
        ('{"identity": "a", "not_tried": {"not_deployed": "no network"}}', True),
        ('{"identity": "a", "refused": "no processor"}', True),
        *((broken, True) for broken in ("{", "{}", "[]", "5", '{"not_tried": 5}')),
    ],
)
def test_a_part_of_the_self_test_that_is_broken_or_another_is_made_again(tmp_path, text, stale):
    part = tmp_path / "known_steps.json"
    assert not changes.is_stale(part, "a")  # it is made because it is missing
    part.write_text(text)
    assert changes.is_stale(part, "a") == stale
