"""What a faster host language could at most bring."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from quiet_table import JAX, TORCH
from record_changes import profile
from results_factory import BERT_ROWS, Project, make_plan

from analysis.comparisons.ceilings import at_most, ceilings, withheld
from analysis.report.ceilings import ceiling_grid, ceiling_summary
from analysis.tables.ceilings import ceilings_csv


@pytest.fixture
def pair(tmp_path):
    """Steps of 8 and 30 ms, of which a tenth and half compute nothing; the profiler makes them a
    quarter longer.
    """
    project = Project(tmp_path, make_plan(columns=(JAX, TORCH), rows=BERT_ROWS[:1], runs=3))
    for column, step_ms, idle in ((JAX, 8.0, 0.1), (TORCH, 30.0, 0.5)):

        def change(record, step_ms=step_ms, idle=idle):
            for block in record["timing"]["blocks"]:
                block["elapsed_ns"] = round(1e6 * block["steps"] * step_ms)
            record["host_overhead"] = profile(step_ms, idle, 1.25, {"aten::mm": (0.4, 3)})

        project.change(change, column)
    return project


def test_by_hand(pair):
    jax, torch = ceilings(pair.load())
    assert (jax.share, jax.most) == (pytest.approx(0.1), pytest.approx(1 / 0.9))
    assert jax.slower == pytest.approx(1.25) and jax.runs == 3
    # 10 ms under the profiler with 1 of nothing: 2 ms longer, which takes all of that.
    assert jax.timed_share == 0.0 and jax.most_timed == 1.0
    # 37.5 ms with 18.75 of nothing, of which 7.5 are the profiler's: 11.25 of 30 ms.
    assert torch.most == pytest.approx(2.0) and torch.timed_share == pytest.approx(11.25 / 30)
    assert torch.most_timed == pytest.approx(1.6)
    assert torch.most_interval.low == pytest.approx(2.0)


def test_the_summary_names_the_highest_and_what_the_profiler_cost(pair):
    assert ceiling_summary(pair.load()) == (
        "Over 2 profiled cells the median ceiling is 1.56× and the highest 2.00× (BERT fit on "
        "Keras 3 (PyTorch)). The profiler made steps 1.25× to 1.25× as long; without what it adds "
        "the highest ceiling is 1.60×."
    )
    line = ceiling_grid(pair.load()).lines[1]
    assert line == (
        *("BERT fit on Keras 3 (PyTorch)", "50\u00a0%", "2.00× [2.00×, 2.00×]", "1.25×", "1.60×"),
    )


def test_of_disturbed_cells_nothing_is_said(pair):
    pair.change(lambda r: r["load"].update(foreign_cpu_share=0.5), TORCH)
    results = pair.load()
    assert [found.cell.column.name for found in ceilings(results)] == [JAX]
    assert [cell.column.name for cell in withheld(results)] == [TORCH]
    assert "other work disturbed" in ceiling_summary(results)


def test_older_records_and_steps_that_compute_nothing(pair):
    old = {"share": 1.0, "method": "profiler", "steps": 3}
    pair.change(lambda r: r.update(host_overhead=old), TORCH)
    results = pair.load()
    (_, torch) = ceilings(results)
    assert (torch.slower, torch.timed_share, torch.most_timed) == (None, None, None)
    assert ceiling_grid(results).lines[1][2:] == ("no limit [no limit, no limit]", "NA", "NA")
    line = list(csv.DictReader(io.StringIO(ceilings_csv(results))))[1]
    assert (line["ceiling"], line["profiler_slowdown"]) == ("inf", "NA")


def test_a_single_run_has_a_ceiling_and_no_interval(tmp_path):
    project = Project(tmp_path, make_plan(columns=(JAX,), rows=BERT_ROWS[:1], runs=1))
    project.change(lambda r: r.update(host_overhead=profile(8.0, 0.2)))
    (found,) = ceilings(project.load())
    assert found.most == pytest.approx(1.25) and found.most_interval is None


def test_csv_in_numbers(pair):
    jax, torch = csv.DictReader(io.StringIO(ceilings_csv(pair.load())))
    assert (jax["column"], jax["runs"], torch["column"]) == (JAX, "3", TORCH)
    assert float(torch["ceiling"]) == pytest.approx(2.0)
    assert float(torch["profiler_slowdown"]) == pytest.approx(1.25)
    assert float(torch["ceiling_of_timed_step"]) == pytest.approx(1.6)


@given(st.floats(0, 0.999))
def test_a_step_without_its_share_is_that_much_faster(share):
    assert at_most(share) * (1 - share) == pytest.approx(1)
