"""Nothing is concluded from a cell that other work disturbed, that was not steady or is invalid."""

import pytest
from conditions import CONDITIONS
from quiet_table import JAX, TORCH, ids
from real_table import real_results
from record_changes import profile, slow_down, stretch
from results_factory import Project

from analysis.caveats import collect
from analysis.comparisons.gains import backends, gains
from analysis.comparisons.pairs import pairs
from analysis.data import CELL, Data
from analysis.topics.why.ceilings import ceilings
from analysis.topics.why.differences import differences

# Rules that reason from times, or from what was profiled and probed beside them. The others tell
# what happened to a cell, or what it is.
CONCLUDING = {"overhead_bound", "legacy_differs", "fixed_cost_dominates"}
CONCLUDING |= {"observer_effect", "host_overhead_high", "other_operations"}
CONCLUDING |= {"static_padding", "feeding_differs"}


def disturbed(record):
    record["load"]["foreign_cpu_share"] = 0.5


def invalid(record):
    """A program was compiled among the timed steps, twice."""
    record["timing"]["compilations"]["during_timing"] = 1
    record["restarted"] = 1


@pytest.mark.parametrize("spoil", [disturbed, slow_down, invalid])
@pytest.mark.parametrize("name", sorted(CONCLUDING))
def test_a_rule_that_concludes_reads_no_cell_that_tells_nothing(quiet, name, spoil):
    CONDITIONS[name](quiet)
    assert name in ids(quiet)
    quiet.change(spoil)
    results = quiet.load()
    assert not any(row.comparable for row in results.rows)
    assert name not in [caveat.id for caveat in collect(results)]


def test_a_run_that_other_work_disturbed_is_left_out_where_two_others_are_left(tmp_path):
    project = Project(tmp_path)
    project.change(disturbed, JAX, "fit", run=2)
    project.change(lambda r: stretch(r, 1.5), JAX, "fit", run=2)
    cell = next(c for c in project.load().rows[0].cells if c.column.name == JAX)
    (lost,) = cell.lost_runs
    assert (lost.number, lost.status) == (2, "disturbed") and "took at least 25" in lost.reason
    assert cell.comparable and cell.interval.half_width < 0.1
    project.change(disturbed, JAX, "fit", run=3)
    cell = next(c for c in project.load().rows[0].cells if c.column.name == JAX)
    assert not cell.lost_runs and cell.disturbed and not cell.comparable


@pytest.mark.parametrize("spoil", [disturbed, slow_down, invalid])
def test_no_ratio_effect_or_reason_has_such_a_cell(tmp_path, spoil):
    project = Project(tmp_path)
    assert len(gains(project.load(), JAX, TORCH)) == 2
    project.change(spoil, JAX)
    results = project.load()
    assert gains(results, JAX, TORCH) == []
    assert JAX not in set(backends(results)["column"])
    compared = pairs(Data(results)).dropna(subset="speedup")
    assert len(compared) and JAX not in {*compared["base"], *compared["new"]}
    assert JAX not in {*differences(Data(results))[["fastest", "column"]].to_numpy().flat}


def test_a_profile_that_others_disturbed_is_none_and_the_record_says_so(tmp_path):
    """Also where the timed steps were not."""
    project = Project(tmp_path)

    def change(record):
        record["host_overhead"] = {**profile(30.0), "foreign_cpu_share": 0.5}

    project.change(change, JAX)
    results = project.load()
    records = [record for record in results.records if record.cell.column == JAX]
    assert not any(record.host_overhead for record in records) and ceilings(Data(results)).empty
    texts = {text for record in records for text in record.withheld}
    assert texts == {"host_overhead: others used 50\u00a0% of the processors meanwhile"}


def test_of_a_real_table_on_a_machine_where_others_worked(tmp_path):
    """Of BERT fit one run each of four columns was disturbed: these runs are left out."""
    results = real_results(tmp_path)
    bert = results.rows[0]
    columns = ["keras2-tensorflow", "keras3-tensorflow", "keras3-jax", "keras3-torch"]
    lost = {c.column.name: run.status for c in bert.comparable for run in c.lost_runs}
    assert len(bert.comparable) == 6 and lost == dict.fromkeys(columns, "disturbed")
    usable = {cell for row in results.rows for cell in row.comparable}
    caveats = [caveat for caveat in collect(results) if caveat.id in CONCLUDING]
    assert {"host_overhead_high", "overhead_bound"} <= {caveat.id for caveat in caveats}
    assert all(set(caveat.cells) <= usable for caveat in caveats)
    data = Data(results)
    found = ceilings(data)[CELL].itertuples(index=False, name=None)
    assert {data.cell_of[key] for key in found} <= usable
