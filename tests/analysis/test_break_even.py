"""When a framework with a slow start and a short step is ahead of one with a quick start."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from record_changes import stretch
from results_factory import Project, make_plan

from analysis.report.sections import breakdowns
from analysis.statistics.overtaking import steps_to_overtake
from analysis.topics.break_even.compute import break_even, break_evens, costs
from analysis.topics.break_even.figure import seconds
from analysis.topics.break_even.section import row_details
from analysis.writing.files import to_csv

JAX, TORCH, COMPILED = "keras3-jax", "keras3-torch", "pytorch-compiled"
ROWS = (("bert", "fit", 8, 32),)


def started(folder, columns, runs=3):
    """A column is its ms of a step and seconds before the first one, by what the compiler found
    (None: it keeps nothing); one warm-up step after the first, at the final speed.
    """
    project = Project(folder, make_plan(runs=runs, rows=ROWS, columns=tuple(columns)))
    for column, (step_ms, late_s, more) in columns.items():

        def change(record, step_ms=step_ms, late_s=late_s, more=more):
            caches = ("cold" if record["cell"]["run"] == 1 else "warm") if len(late_s) > 1 else None
            record["timing"].update(
                blocks=[{"steps": 10, "elapsed_ns": 10 * step_ms * 10**6}] * 10,
                first_step_s=late_s[caches] + step_ms / 1000,
                warmup_steps=2,
                warmup_s=step_ms / 1000,
                compile_cache=caches,
                **more,
            )

        project.change(change, column=column)
    return project


def two_columns(folder, runs=3):
    """JAX: 6 s before 10 ms steps. PyTorch: 1 s before 20 ms steps."""
    jax, torch = ({"import_s": seconds, "build_s": 0.0} for seconds in (3.0, 8.0))
    return started(folder, {JAX: (10, {None: 6.0}, jax), TORCH: (20, {None: 1.0}, torch)}, runs)


def cold_and_warm(folder, runs=3):
    """The compiled column: 10 ms steps after 30 s, and after 4 s where it was compiled before.
    Keras: 20 ms after 1 s, whenever.
    """
    compiled = (10, {"cold": 30.0, "warm": 4.0}, {})
    return started(folder, {TORCH: (20, {None: 1.0}, {}), COMPILED: compiled}, runs)


def found_in(project, counted_from="first step"):
    """Pairs in one of the readings."""
    return break_evens(project.data()).query("counted_from == @counted_from")


def cost_of(data, column, caches="none"):
    return next(costs(data).query("column == @column and caches == @caches").itertuples())


def lines_of(project):
    """Texts beside the only row of the appendix; none where the page needs no table."""
    return [line for detail in row_details(project.data()).values() for line in detail.grid.lines]


def test_break_even_by_hand_and_from_the_start_of_the_process_with_the_import(tmp_path):
    project = two_columns(tmp_path)
    found = found_in(project)
    assert found[["faster", "slower"]].to_numpy().tolist() == [[JAX, TORCH]]
    # 5 s behind, 10 ms gained with each step: level after 500, ahead after 501
    steps = found[["steps", "ci95_low_steps", "ci95_high_steps"]]
    assert steps.isin((500, 501)).all(axis=None)  # 5 / 0.01 is not exact
    assert list(found_in(project, "process start")["steps"]) == [1]  # 9 s before against 9 s
    jax = cost_of(project.data(), JAX)
    assert (jax.start_up_s, jax.whole_start_up_s) == pytest.approx((6.0, 9.0))
    assert seconds(jax, 100) == pytest.approx(7.0)


def test_the_first_step_is_never_cut_short():
    start = pd.Series({"first_step_s": 2.0, "start_up_s": -0.5, "step_s": 0.1})
    assert seconds(start, np.array([1, 100])).tolist() == [2.0, 9.5]


def test_starts_that_scatter_widen_the_interval_and_a_single_one_has_none(tmp_path):
    project = two_columns(tmp_path / "scattered")

    def scattered(record):
        record["timing"]["first_step_s"] += (-0.1, 0.0, 0.1)[record["cell"]["run"] - 1]

    project.change(scattered, column=JAX)
    (found,) = found_in(project).itertuples()
    # t of two degrees of freedom 4.303, standard error 0.1 s / sqrt(3): 5 s, give or take 0.248 s
    assert found.steps in (500, 501)
    assert (found.ci95_low_steps, found.ci95_high_steps) == pytest.approx((476, 525), abs=1)
    project = cold_and_warm(tmp_path / "cold")
    ends = found_in(project).set_index("caches")[["ci95_low_steps", "ci95_high_steps"]]
    assert ends.loc["cold"].isna().all() and ends.loc["warm"].isin((300, 301)).all()
    assert lines_of(project)[0][4] == "NA"


def test_noise_may_leave_it_open(tmp_path):
    project = two_columns(tmp_path)

    def noisy(record):
        stretch(record, {1: 0.5, 2: 1.0, 3: 2.5}[record["cell"]["run"]])

    project.change(noisy, column=TORCH)
    (found,) = found_in(project).itertuples()
    assert pd.isna(found.ci95_high_steps) and found.ci95_low_steps < found.steps


def test_a_cold_start_is_of_cold_runs_and_a_warm_one_of_warm_runs(tmp_path):
    project = cold_and_warm(tmp_path)
    found = found_in(project).set_index("caches")["steps"]
    # 29 s and 3 s behind, 10 ms gained with each step
    assert found["cold"] in (2900, 2901) and found["warm"] in (300, 301)
    data = project.data()
    assert cost_of(data, TORCH, "cold").start_up_s == cost_of(data, TORCH, "warm").start_up_s
    assert cost_of(data, COMPILED, "cold").first_step_s == pytest.approx(30.01)
    assert cost_of(data, COMPILED, "warm").first_step_s == pytest.approx(4.01)


def test_the_page_says_of_which_start_it_speaks(tmp_path):
    project = cold_and_warm(tmp_path / "three")
    assert [line[2] for line in lines_of(project)] == ["cold", "warm"]
    (broken_down,) = breakdowns(project.data()).values()
    starts = {line[0]: line[4] for line in broken_down.lines}
    assert starts["PyTorch (compiled), cold caches"] == "30.0"
    assert starts["PyTorch (compiled), warm caches"] == "4.01"
    cold, warm = lines_of(cold_and_warm(tmp_path / "one", runs=1))
    assert cold[3] in ("2,900", "2,901")
    assert set(warm[3:]) == {"not measured, needs a second run", "NA"}
    assert [line[2] for line in lines_of(two_columns(tmp_path / "none"))] == ["none kept"]


def test_the_import_of_tensorflow_is_told_and_a_row_in_which_nobody_is_behind_has_no_table(
    tmp_path,
):
    project = two_columns(tmp_path)
    (plain,) = breakdowns(project.data()).values()
    assert plain.header[:5] == ("Framework", "Runs", "Import, s", "Build", "First step")
    assert plain.caption.endswith("energy")
    project.change(lambda record: record["timing"].update(import_tensorflow_s=2.5), column=JAX)
    (told,) = breakdowns(project.data()).values()
    assert told.caption.endswith("took 2.50 s with Keras 3 (JAX)")
    project.change(lambda record: record["timing"].update(first_step_s=0.01), column=JAX)
    assert lines_of(project) == []
    # 15 ms behind, its first step counted; 10 ms gained with each
    project.change(lambda record: record["timing"].update(first_step_s=1.025), column=JAX)
    assert [line[3] for line in lines_of(project)] == ["2"]


def test_csv_of_both_readings(tmp_path):
    text = to_csv(break_even(two_columns(tmp_path).data())).splitlines()
    assert text[0] == (
        "model,task,batch_size,faster,slower,caches,counted_from,steps,ci95_low_steps,"
        "ci95_high_steps"
    )
    assert text[1].startswith(f"bert,fit,8,{JAX},{TORCH},NA,first step,50")
    assert text[2] == f"bert,fit,8,{JAX},{TORCH},NA,process start,1,1,1"
    single = to_csv(break_even(two_columns(tmp_path / "single", runs=1).data())).splitlines()
    assert single[1].split(",")[7] in ("500", "501") and single[1].endswith(",NA,NA")
    once = break_even(cold_and_warm(tmp_path / "once", runs=1).data())
    lines = zip(once["caches"], once["counted_from"], once["steps"].isna(), strict=True)
    assert list(lines)[:2] == [("cold", "first step", False), ("warm", "first step", True)]


def test_cells_without_a_time_are_left_out(tmp_path):
    project = two_columns(tmp_path)
    project.fail("oom", "killed", column=TORCH)
    assert found_in(project).empty and set(costs(project.data())["column"]) == {JAX}


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
    assert np.isnan(steps_to_overtake([1.0, -1.0, 1.0], 0.1, [1.0, 0.9, np.nan])).all()
