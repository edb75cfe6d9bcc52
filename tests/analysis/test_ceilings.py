"""What a faster host language could bring."""

import pandas as pd
import pytest
from quiet_table import JAX, TORCH
from record_changes import profile
from results_factory import BERT_ROWS, Project, make_plan
from time_changes import slowed, takes

from analysis.topics.why.ceilings import ceilings, withheld
from analysis.topics.why.section import ceiling_grid, ceiling_summary
from analysis.writing.files import to_csv


@pytest.fixture
def pair(tmp_path):
    """Steps of 8 and 30 ms, of which a tenth and half compute nothing; the profiler makes them a
    quarter longer.
    """
    project = Project(tmp_path, make_plan(columns=(JAX, TORCH), rows=BERT_ROWS[:1], runs=3))
    for column, step_ms, idle in ((JAX, 8.0, 0.1), (TORCH, 30.0, 0.5)):

        def change(record, step_ms=step_ms, idle=idle):
            takes(record, step_ms)
            record["host_overhead"] = profile(step_ms, idle, 1.25, {"aten::mm": (0.4, 3)})

        project.change(change, column)
    return project


def found_in(project):
    """The ceilings as they are named tuples."""
    return list(ceilings(project.data()).itertuples())


def test_by_hand(pair):
    jax, torch = found_in(pair)
    assert (jax.share, jax.ceiling) == (pytest.approx(0.1), pytest.approx(1 / 0.9))
    assert jax.profiler_slowdown == pytest.approx(1.25) and jax.runs == 3
    # 10 ms under the profiler, 1 of nothing, 2 its own: none of 8 is left, or all 1.
    assert (jax.ci95_low, jax.ci95_high) == (0.0, pytest.approx(1 / 8))
    # 37.5 ms, 18.75 of nothing, 7.5 its own: 11.25 of 30 ms to 18.75 of them.
    assert (torch.ci95_low, torch.ci95_high) == pytest.approx((11.25 / 30, 18.75 / 30))
    assert (torch.ceiling_low, torch.ceiling) == pytest.approx((1.6, 2.0))


def test_on_a_gpu_nothing_of_the_profiler_lies_within_kernels(pair):
    pair.change(lambda r: r["cell"].update(accelerator="cuda"))
    _, torch = found_in(pair)
    assert (torch.share, torch.ci95_high) == pytest.approx((11.25 / 30, 11.25 / 30))


def test_the_summary_names_the_highest_and_what_the_profiler_cost(pair):
    data = pair.data()
    assert ceiling_summary(data) == (
        "Over 2 profiled cells the median ceiling is estimated as 1.56× and the highest as 2.00× "
        "[1.60×, 2.67×] (BERT fit on Keras 3 (PyTorch)). Under the profiler steps take 1.25× as "
        "long (geometric mean over 2 cells; 1.25× by cell)."
    )
    assert ceiling_grid(data).lines[1] == (
        *("BERT fit on Keras 3 (PyTorch)", "50\u00a0%", "2.00× [1.60×, 2.67×]"),
        "1.25× [1.25×, 1.25×]",
    )


@pytest.mark.parametrize(
    ("profiled_ms", "slowdown_low", "interval", "said"),
    [
        # as long with it as without: the runs' own scatter is left
        ([[9.0], [11.5], [9.6]], (0, 1), (0.5, 0.5), "1.00×"),
        # 16/15 by the mean, however uncertain that is
        ([[9.0], [11.5], [11.726]], (0, 1), (0.4667, 0.5333), "1.07×"),
        ([[10.02, 10.021, 10.022]] * 3, (1, 2), (0.499, 0.501), "1.00×"),
        ([[10.24], [10.4], [10.56]], (1, 1.005), (0.48, 0.52), "1.04×"),
        ([[10.3], [10.4], [10.5]], (1.01, 1.02), (0.48, 0.52), "1.04×"),
    ],
)
def test_what_the_profiler_costs_widens_by_its_mean_which_is_said_however_uncertain(
    pair, profiled_ms, slowdown_low, interval, said
):
    def change(record):
        times = profiled_ms[record["cell"]["run"] - 1]
        record["host_overhead"]["pairs"] = [{"plain_ms": 10.0, "profiled_ms": ms} for ms in times]

    pair.change(change)
    jax, torch = found_in(pair)
    least, most = slowdown_low
    assert least < jax.slowdown_low < most and least < torch.slowdown_low < most
    assert (torch.ci95_low, torch.ci95_high) == pytest.approx(interval, abs=1e-4)
    told = f"take {said} as long (geometric mean over 2 cells; {said} by cell)"
    assert told in ceiling_summary(pair.data())


def test_what_the_profiler_costs_is_said_from_the_least_to_the_most(pair):
    pair.change(lambda r: r["host_overhead"]["pairs"][0].update(profiled_ms=8.0, plain_ms=8.0), JAX)
    told = "take 1.12× as long (geometric mean over 2 cells; 1.00× to 1.25× by cell)"
    assert told in ceiling_summary(pair.data())


def test_a_compiled_graph_computes_as_a_whole_where_none_of_its_kernels_is_named(pair):
    """As it does not where they are: 'cpp_fused_...'."""

    def compiled(*names):
        def change(record):
            operations = {name: (0.2, 1) for name in names}
            record["host_overhead"] = profile(30.0, 0.5, 1.25, operations)

        pair.change(change, TORCH)
        return ceiling_summary(pair.data())

    assert "compiled graph" not in compiled("cpp_fused_gelu", "aten::mm")
    said = "In 1 cell the profiler saw compiled graphs as one operation each, which counts as"
    assert said in compiled("CompiledFxGraph", "CompiledFunctionBackward")


def busy(project):
    project.change(lambda r: r["load"].update(foreign_cpu_share=0.5), TORCH)


@pytest.mark.parametrize("spoil", [busy, slowed])  # Keras 3 on PyTorch
def test_of_cells_that_were_disturbed_or_not_steady_nothing_is_said(pair, spoil):
    spoil(pair)
    data = pair.data()
    assert list(ceilings(data)["column"]) == [JAX]
    assert list(withheld(data)["column"]) == [TORCH]
    assert "other work disturbed" in ceiling_summary(data)


def test_older_records_and_steps_that_compute_nothing(pair):
    old = {"share": 1.0, "method": "profiler", "steps": 3}
    pair.change(lambda r: r.update(host_overhead=old), TORCH)
    data = pair.data()
    assert ceiling_grid(data).lines[1][2:] == ("no limit [no limit, no limit]", "NA")
    line = to_csv(ceilings(data)).splitlines()[2]
    assert line == f"bert,fit,8,{TORCH},3,1.0,1.0,1.0,inf,inf,inf,NA,NA,NA"


def test_a_single_run_has_a_ceiling_and_no_interval(tmp_path):
    project = Project(tmp_path, make_plan(columns=(JAX,), rows=BERT_ROWS[:1], runs=1))
    project.change(lambda r: r.update(host_overhead=profile(8.0, 0.2)))
    (found,) = found_in(project)
    assert found.ceiling == pytest.approx(1.25) and pd.isna(found.ceiling_low)


def test_nothing_profiled_is_a_file_without_lines(tmp_path):
    data = Project(tmp_path, make_plan(columns=(JAX,), rows=BERT_ROWS[:1])).data()
    assert to_csv(ceilings(data)) == (
        "model,task,batch_size,column,runs,share,ci95_low,ci95_high,ceiling,ceiling_low,"
        "ceiling_high,profiler_slowdown,slowdown_low,slowdown_high\n"
    )
    assert ceiling_summary(data) == "" and ceiling_grid(data).lines == ()
