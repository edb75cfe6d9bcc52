"""No run is faster than its machine, and what is said about it holds."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from quiet_table import JAX, PROPERTY
from results_factory import Project, make_plan

from analysis.caveats import collect
from analysis.formats.text import flops
from analysis.results.plausibility import TOLERANCE, peak_of

PEAKS = {"float32": 1e11, "tf32": 4e11, "bfloat16": 8e11}


def card(**entries):
    return {"dtype": "float32", "matmul_precision": "float32", **entries}


@pytest.mark.parametrize(
    ("parity", "peaks", "peak"),
    [
        (card(), PEAKS, 1e11),
        (card(matmul_precision="tf32"), PEAKS, 4e11),
        (card(convolution_precision="tf32"), PEAKS, 4e11),  # eager PyTorch on an accelerator
        (card(dtype="bfloat16"), PEAKS, 8e11),
        (card(dtype="float16", matmul_precision=None), PEAKS, 8e11),
        (card(dtype="float64"), PEAKS, 1e11),
        (card(dtype="int8"), PEAKS, None),
        (None, PEAKS, None),
        (card(dtype="bfloat16"), {"float32": 1e11, "bfloat16": 2e10}, 1e11),  # emulated
        (card(matmul_precision="tf32"), {"float32": 1e11}, None),  # no canary measured it
        (card(), {}, None),
    ],
)
def test_the_least_exact_arithmetic_sets_the_peak(parity, peaks, peak):
    assert peak_of(parity, peaks) == peak


def work(**entries):
    return lambda record: record["work"].update(entries)


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path, make_plan(rows=(("bert", "fit", 8, 32),)))


def cell_of(results):
    """That of the column that is changed."""
    return next(cell for cell in results.cells if cell.column.name == JAX)


def test_a_run_above_the_peak_is_invalid_with_its_numbers(project):
    # 1.2 GFLOP in 8.016 ms are 149.7 GFLOP/s; the canary's best is 100
    project.change(work(flops_per_step=1.2e9), column=JAX, run=2)
    results = project.load()
    cell = cell_of(results)
    assert [run.status for run in cell.runs] == ["ok", "invalid", "ok"]
    assert cell.runs[1].reason.startswith(
        "in the fastest block of steps, 1.20 GFLOP in 8.016 ms are 150 GFLOP/s, 50\u00a0% more "
        "than the 100 GFLOP/s of the best matrix product on this machine"
    )
    assert [sitting.round for sitting in cell.run_ms] == [1, 3]
    assert "failed_runs" in [caveat.id for caveat in collect(results)]


def test_one_block_is_enough_and_the_peak_is_that_of_the_runs_own_machine(project):
    def unfenced(record):
        # As measured on JAX without its fence: the queue fills up, then the host has to wait.
        blocks = zip((2, 2, 2, 14), (0.56, 0.81, 19.0, 177.0), strict=True)
        record["timing"]["blocks"] = [
            {"steps": steps, "elapsed_ns": round(steps * step_ms * 1e6)}
            for steps, step_ms in blocks
        ]
        record["work"]["flops_per_step"] = 9e9  # 71 GFLOP/s by the mean, below the peak of 100

    project.change(unfenced, column=JAX, run=1)
    assert [run.status for run in cell_of(project.load()).runs] == ["invalid", "ok", "ok"]
    project.change(work(flops_per_step=1.2e9), column=JAX)
    project.change(lambda r: r["machine"].update(id="m2"), column=JAX)
    cell = cell_of(project.load())
    assert [run.status for run in cell.runs] == ["ok"] * 3
    assert cell.runs[0].share_of_peak is None


def test_without_canaries_nothing_is_judged_and_a_caveat_reports_it(project):
    project.canaries = [None] * len(project.canaries)
    project.change(work(flops_per_step=1e15), column=JAX)
    project.change(work(flops_per_step=None), column="keras3-torch")
    caveats = {caveat.id: caveat for caveat in collect(project.load())}
    caveat = caveats["plausibility_not_tested"]
    assert len(caveat.cells) == 6
    assert caveat.evidence["without_flops"] == ["bert/fit-b8/keras3-torch"]
    assert "no canary measured" in caveat.sentence and "are not known" in caveat.sentence
    assert "overhead_bound" not in caveats


@pytest.mark.parametrize(
    ("shares", "statuses"),
    [
        ((0.4, 0.4, 0.4, 0.4), ["ok"] * 3),  # a slow canary would make a correct run invalid
        ((0.4, 0.05, 0.4, 0.4), ["ok", "invalid", "ok"]),  # one that was alone is enough
    ],
)
def test_canaries_that_were_disturbed_judge_nothing(project, shares, statuses):
    project.change(work(flops_per_step=1.2e9), column=JAX, run=2)
    for canary, share in zip(project.canaries, shares, strict=True):
        canary["foreign_cpu_share"] = share
    results = project.load()
    assert [run.status for run in cell_of(results).runs] == statuses
    untested = "plausibility_not_tested" in [caveat.id for caveat in collect(results)]
    assert untested == (statuses == ["ok"] * 3)


def test_low_use_by_hand(project):
    # 30 MFLOP in 8.016 ms: 3.74 GFLOP/s of 100
    project.change(work(flops_per_step=3e7), column=JAX)
    (caveat,) = (found for found in collect(project.load()) if found.id == "overhead_bound")
    (reading,) = caveat.evidence["readings"]
    assert reading["value"] == pytest.approx(0.03743, rel=1e-3)
    assert "Keras 3 (JAX) 3.7\u00a0%" in caveat.sentence


@settings(PROPERTY, max_examples=50)
@given(
    share=st.floats(0.001, 6),
    kind=st.sampled_from(["cpu", "cuda"]),
    convolves=st.sampled_from([None, "float32"]),
)
@example(share=4, kind="cuda", convolves="float32")  # fewer multiplications than are counted
@example(share=4, kind="cpu", convolves="float32")
def test_every_share_is_either_low_fair_or_impossible(tmp_path, share, kind, convolves):
    plan = make_plan(rows=(("bert", "fit", 8, 32),), columns=(JAX,), accelerator=kind)
    project = Project(tmp_path, plan)
    for record in project.records.values():
        block = record["timing"]["blocks"][0]
        seconds = block["elapsed_ns"] / block["steps"] / 1e9
        record["work"]["flops_per_step"] = share * 1e11 * seconds
        record["parity"]["convolution_precision"] = convolves
    results = project.load()
    (cell,) = results.cells
    low = "overhead_bound" in [caveat.id for caveat in collect(results)]
    most = (1 + TOLERANCE[kind]) * (4 if (kind, convolves) == ("cuda", "float32") else 1)
    if abs(share - 0.05) > 1e-9 and abs(share - most) > 1e-9:
        assert (cell.status, low) == ("invalid" if share > most else "ok", share < 0.05)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.5, "0.50 FLOP"),
        (999, "999 FLOP"),
        (1.5e9, "1.50 GFLOP"),
        (4.52e13, "45.2 TFLOP"),
        (3.1e19, "31000 PFLOP"),
    ],
)
def test_amounts_of_arithmetic(value, text):
    assert flops(value) == text
