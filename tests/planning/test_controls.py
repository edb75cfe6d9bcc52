"""Groups, reference workload and self-test in the plan: order, processes, and outdated files."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from millistep.planning import changes
from millistep.planning.runs import chunk_of

from .records import write_record
from .test_config import plan

BERT = {"bert": {"fit": 4, "predict": [8, 16]}}
MANY = 100  # jobs at once


def planned(**options):
    return plan(**{"models": BERT, **options})


@settings(max_examples=20, deadline=None)
@given(runs=st.integers(1, 4), seed=st.integers(0, 2**31 - 1))
def test_a_group_is_a_workload_in_a_round_with_each_second_name_next_to_the_first(runs, seed):
    made = planned(runs=runs, seed=seed)
    assert len(made.groups) == len(made.rows) * runs
    records = [run.record for group in made.groups for run in group.runs]
    assert len(records) == len(set(records)) == len(made.runs) + runs
    own = [record for record in records if record in made.records]
    assert own == [run.record for run in made.runs]
    for group in made.groups:
        assert {(run.row, run.number) for run in group.runs} == {(group.row, group.number)}
    for run in made.controls.again:
        first = made.runs[run.position]
        assert abs(records.index(run.record) - records.index(first.record)) == 1

    files = sorted(made.priorities, key=made.priorities.__getitem__, reverse=True)
    done = [group.done for group in made.groups]
    assert files.index(made.controls.known_steps.path) == files.index(done[len(made.rows) - 1]) + 1
    assert [file for file in files if file in records] == records
    assert [file for file in files if file in done] == done
    for group in made.groups:
        reference, *measured = group.files
        assert measured == [run.record for run in group.runs]
        assert reference.endswith(f"/round{group.number}-cpu.json")


@pytest.mark.parametrize(
    ("asked", "room", "gib", "sizes"),
    [
        ("auto", MANY, 64, [7]),
        ("auto", MANY, 0, [1] * 7),
        ("auto", MANY, 4, [3, 2, 2]),
        ("auto", 6, 64, [4, 3]),  # snakemake --cores 1
        (3, MANY, 64, [3, 2, 2]),
        (1, MANY, 64, [1] * 7),
        (64, MANY, 64, [7]),
    ],
)
def test_a_group_is_divided_evenly_if_not_all_is_resident(asked, room, gib, sizes, monkeypatch):
    monkeypatch.setattr("millistep.supervise.machine.memory_limit_mib", lambda asked: gib * 1024)
    made = planned(models={"bert": {"fit": 4}}, resident=asked, room=room)
    (group,) = made.groups
    members = [run.record for run in group.runs]
    chunks = [chunk_of(path, members, made.resident(group)) for path in members]
    assert [len(chunk) for chunk in dict.fromkeys(map(tuple, chunks))] == sizes
    assert [path for chunk in dict.fromkeys(map(tuple, chunks)) for path in chunk] == members
    assert all(path in chunk for path, chunk in zip(members, chunks, strict=True))
    assert ("; use --cores 2" in (made.lacks_room or "")) == bool(made.lacks_room) == (room == 6)


def test_one_process_at_a_time_uses_a_gpu_by_default(gpus):
    gpus("NVIDIA A100-SXM4-40GB")
    made = planned(accelerator="cuda")
    assert made.most_resident == 1 and planned(accelerator="cuda", resident=2).most_resident == 2


def test_the_second_name_is_the_same_cell_but_for_its_probes():
    run = planned().controls.again[0]
    second = json.loads(run.identity)
    first = json.loads(planned().runs[run.position].identity)
    assert {key for key in second if second[key] != first.get(key)} == {"again", "extras", "probes"}
    # Predicting holds no gradients; the smaller batch comes first in the table.
    assert (run.row.task, run.row.batch_size, run.column.name) == ("predict", 8, "pytorch-eager")
    assert run.record == "results/self_test/smoke/bert/predict-b8/pytorch-eager/run1.json"


@pytest.mark.parametrize(
    ("columns", "reference", "same_cell"),
    [
        (["keras3-jax", "keras3-torch"], "keras3-torch", "keras3-jax"),
        (["keras2-tensorflow", "keras3-jax"], "keras2-tensorflow", "keras3-jax"),
        (["pytorch-compiled"], "pytorch-compiled", "pytorch-compiled"),
    ],
)
def test_every_choice_of_columns_has_a_reference_and_a_second_name(columns, reference, same_cell):
    checks = planned(columns=columns).controls
    assert checks.known_steps.column.name == reference
    assert {run.column.name for run in checks.again} == {same_cell}


def test_a_column_that_measures_the_same_again_is_the_second_name():
    jax = {"framework": "keras3-jax"}
    patch = {**jax, "overlay": {"keras": "3.15.0"}}
    checks = planned(columns=[jax, {**jax, "again": True}, patch]).controls
    assert checks.again == [] and len(checks.pairs) == 1
    first, second = checks.pairs[0]
    assert first.endswith("keras3-jax/run1.json") and second.endswith("keras3-jax+again/run1.json")
    checks = planned(columns=[jax, {**patch, "again": True}]).controls
    assert [run.column.name for run in checks.again] == ["keras3-jax"]
    # A column is no second name of itself.
    checks = planned(columns=[{**jax, "again": True}]).controls
    assert all(first != second for first, second in checks.pairs) and len(checks.again) == 1


def test_runs_under_either_name_are_measured_if_missing_another_or_without_environment(tmp_path):
    made = planned(runs=2)
    assert {*changes.reasons(made, tmp_path)} == {*made.timed}
    for path, run in made.timed.items():
        write_record(tmp_path / path, run.identity)
    assert changes.reasons(made, tmp_path) == {}
    another, untried = made.runs[1:3]
    missing, untried_again = made.controls.again
    identity = json.dumps({**json.loads(another.identity), "seed": 77})
    write_record(tmp_path / another.record, identity)
    (tmp_path / missing.record).unlink()
    why = {"not_deployed": "the package index does not have torch==9"}
    for run in (untried, untried_again):
        write_record(tmp_path / run.record, run.identity, not_tried=why)
    found = changes.reasons(made, tmp_path)
    assert {*found} == {each.record for each in (another, missing, untried, untried_again)}
    assert found[untried.record] == found[untried_again.record] == "could not begin"
    said = changes.summary(made, found)
    assert f"2 of {len(made.runs)} runs" in said and "seed 77 -> " in said


@pytest.mark.parametrize(
    ("text", "stale"),
    [
        ('{"identity": "a"}', False),
        ('{"identity": "b"}', True),
        ('{"identity": "a", "refused": "no processor"}', True),
        *((broken, True) for broken in ("{", "{}", "[]", "5", '{"not_tried": 5}', "[" * 10**5)),
    ],
)
def test_a_part_of_the_self_test_that_is_broken_or_another_is_made_again(tmp_path, text, stale):
    part = tmp_path / "known_steps.json"
    assert not changes.is_stale(part, "a")  # it is made because it is missing
    part.write_text(text)
    assert changes.is_stale(part, "a") == stale
