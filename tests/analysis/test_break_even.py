"""When a framework with a slow start and a short step is ahead of one with a quick start."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from results_factory import Project, make_plan

from analysis.comparisons.break_even import Cost, break_evens, cost, steps_to_overtake
from analysis.report.break_even import break_even, import_of_tensorflow
from analysis.report.sections import time_breakdown
from analysis.tables.break_even import break_even_csv

JAX, TORCH, COMPILED = "keras3-jax", "keras3-torch", "pytorch-compiled"
ROWS = (("bert", "fit", 8, 32),)


def two_columns(folder, runs=3):
    """JAX: 6 s before 10 ms steps. PyTorch: 1 s before 20 ms steps. One warm-up step after the
    first, at the final speed.
    """
    project = Project(folder, make_plan(runs=runs, rows=ROWS, columns=(JAX, TORCH)))
    for column, step_ms, late_s, import_s in ((JAX, 10, 6.0, 3.0), (TORCH, 20, 1.0, 8.0)):

        def change(record, step_ms=step_ms, late_s=late_s, import_s=import_s):
            record["timing"].update(
                blocks=[{"steps": 10, "elapsed_ns": 10 * step_ms * 10**6}] * 10,
                first_step_s=late_s + step_ms / 1000,
                warmup_steps=2,
                warmup_s=step_ms / 1000,
                import_s=import_s,
                build_s=0.0,
            )

        project.change(change, column=column)
    return project


def test_break_even_by_hand(tmp_path):
    (row,) = two_columns(tmp_path).load().rows
    (found,) = break_evens(row)
    assert (found.faster.column.name, found.slower.column.name) == (JAX, TORCH)
    # 5 s behind, 10 ms gained with each step: level after 500, ahead after 501
    assert found.steps in (500, 501)  # 5 / 0.01 is not exact
    assert found.earliest in (500, 501) and found.latest in (500, 501) and found.shown


def test_from_the_start_of_the_process_import_counts(tmp_path):
    (row,) = two_columns(tmp_path).load().rows
    (found,) = break_evens(row, from_process_start=True)
    assert found.steps == 1  # 9 s before the steps against 9 s
    jax = cost(row.cells[0])
    assert jax.start_up_s == pytest.approx(6.0)
    assert jax.seconds(100) == pytest.approx(7.0)
    assert jax.seconds(100, from_process_start=True) == pytest.approx(10.0)


def test_the_first_step_is_never_cut_short():
    assert Cost(2.0, -0.5, 1.0, 0.1).seconds(1) == 2.0


def test_noise_may_leave_it_open(tmp_path):
    project = two_columns(tmp_path)

    def noisy(record):
        factor = {1: 0.5, 2: 1.0, 3: 2.5}[record["cell"]["run"]]
        for block in record["timing"]["blocks"]:
            block["elapsed_ns"] = int(block["elapsed_ns"] * factor)

    project.change(noisy, column=TORCH)
    (row,) = project.load().rows
    (found,) = break_evens(row)
    assert not found.shown and found.earliest < found.steps


def test_one_run_has_no_interval(tmp_path):
    (row,) = two_columns(tmp_path, runs=1).load().rows
    (found,) = break_evens(row)
    assert found.steps in (500, 501)
    assert (found.earliest, found.latest, found.shown) == (None, None, False)


def cold_and_warm(folder, runs=3):
    """The compiled column: 10 ms steps after 30 s, and after 4 s where it was compiled before.
    Keras: 20 ms after 1 s, whenever.
    """
    project = Project(folder, make_plan(runs=runs, rows=ROWS, columns=(TORCH, COMPILED)))
    for column, step_ms in ((TORCH, 20), (COMPILED, 10)):

        def change(record, column=column, step_ms=step_ms):
            caches = "cold" if record["cell"]["run"] == 1 else "warm"
            late_s = {TORCH: 1.0}.get(column, {"cold": 30.0, "warm": 4.0}[caches])
            record["timing"].update(
                blocks=[{"steps": 10, "elapsed_ns": 10 * step_ms * 10**6}] * 10,
                first_step_s=late_s + step_ms / 1000,
                warmup_steps=2,
                warmup_s=step_ms / 1000,
                compile_cache=caches if column == COMPILED else None,
            )

        project.change(change, column=column)
    return project


def test_a_cold_start_is_of_cold_runs_and_a_warm_one_of_warm_runs(tmp_path):
    (row,) = cold_and_warm(tmp_path).load().rows
    found = {entry.caches: entry.steps for entry in break_evens(row)}
    # 29 s and 3 s behind, 10 ms gained with each step
    assert found["cold"] in (2900, 2901) and found["warm"] in (300, 301)
    keras, compiled = row.cells
    assert cost(keras, "cold") == cost(keras, "warm")
    assert cost(compiled, "cold").first_step_s == pytest.approx(30.01)
    assert cost(compiled, "warm").first_step_s == pytest.approx(4.01)


def test_the_page_says_of_which_start_it_speaks(tmp_path):
    (row,) = cold_and_warm(tmp_path / "three").load().rows
    assert [line[2] for line in break_even(row).lines] == ["cold", "warm"]
    starts = {line[0]: line[4] for line in time_breakdown(row).lines}
    assert starts["PyTorch (compiled), cold caches"] == "30.0"
    assert starts["PyTorch (compiled), warm caches"] == "4.01"
    (row,) = cold_and_warm(tmp_path / "one", runs=1).load().rows
    cold, warm = break_even(row).lines
    assert cold[3] in ("2,900", "2,901")
    assert set(warm[3:]) == {"not measured, needs a second run", "NA"}
    (row,) = two_columns(tmp_path / "none").load().rows
    assert [line[2] for line in break_even(row).lines] == ["none kept"]


def test_csv_of_both_starts(tmp_path):
    single = break_even_csv(cold_and_warm(tmp_path, runs=1).load())
    lines = csv.DictReader(io.StringIO(single))
    assert [(line["caches"], line["counted_from"], line["steps"] == "NA") for line in lines] == [
        ("cold", "first step", False),
        ("warm", "first step", True),
        ("cold", "process start", False),
        ("warm", "process start", True),
    ]


def test_the_import_of_tensorflow_is_told_where_starts_are_compared(tmp_path):
    project = two_columns(tmp_path)
    (row,) = project.load().rows
    assert import_of_tensorflow(row) == "" and "TensorFlow" not in break_even(row).caption
    project.change(lambda record: record["timing"].update(import_tensorflow_s=2.5), column=JAX)
    (row,) = project.load().rows
    for grid in (break_even(row), time_breakdown(row)):
        assert grid.caption.endswith("took 2.50 s with Keras 3 (JAX)")


def test_csv_of_both_readings(tmp_path):
    project = two_columns(tmp_path)
    lines = list(csv.DictReader(io.StringIO(break_even_csv(project.load()))))
    names = ("faster", "slower", "caches", "counted_from")
    assert [tuple(line[name] for name in names) for line in lines] == [
        (JAX, TORCH, "NA", "first step"),
        (JAX, TORCH, "NA", "process start"),
    ]
    assert lines[0]["steps"] in ("500", "501") and lines[1]["steps"] == "1"
    single = two_columns(tmp_path / "single", runs=1).load()
    assert break_even_csv(single).splitlines()[1].endswith(",NA,NA")


def test_cells_without_a_time_are_left_out(tmp_path):
    project = two_columns(tmp_path)
    project.fail("oom", "killed", column=TORCH)
    (row,) = project.load().rows
    assert break_evens(row) == [] and cost(row.cells[1]) is None


@given(st.floats(-100, 100), st.floats(1e-4, 10), st.floats(1.0001, 100))
def test_the_step_is_the_first_that_is_ahead(late_s, step_s, ratio):
    steps = steps_to_overtake(late_s, step_s, ratio)
    assert steps >= 1

    def lead_s(number):
        return number * step_s * (ratio - 1) - late_s

    slack = 1e-6 * (1 + abs(late_s))
    assert lead_s(steps) > -slack
    assert steps == 1 or lead_s(steps - 1) <= slack


def test_nothing_gained_is_never():
    assert steps_to_overtake(1.0, 0.1, 1.0) is None
    assert steps_to_overtake(-1.0, 0.1, 0.9) is None
