"""Steps at other batch sizes: what of a step does not grow with the batch."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from quiet_table import JAX, PROPERTY, TORCH, found, quiet_project
from results_factory import Project, make_plan
from time_changes import slow_fixed_probe, step_ns

from analysis.caveats import collect
from analysis.data import Data
from analysis.topics.batch_sizes.compute import fixed_costs, fixed_share

BLOCK = ("steps", "elapsed_ns")


def test_the_fixed_share_from_two_points():
    # t = 6 + 0.5 * batch: 10 ms at 8, 14 ms at 16
    assert fixed_share(8, 10.0, 16, 14.0) == pytest.approx(0.6)
    assert fixed_share(16, 14.0, 8, 10.0) == pytest.approx(6.0 / 14.0)
    assert fixed_share(8, 10.0, 16, 25.0) == -0.5  # grows faster than the batch
    assert fixed_share(8, 10.0, 16, 9.0) == pytest.approx(1.1)  # is no slower


@PROPERTY
@given(growth=st.floats(0.8, 2.5))
def test_fixed_cost_is_the_share_of_the_linear_model(tmp_path, growth):
    project = quiet_project(tmp_path)
    for r in project.records.values():
        r["probes"][0].update(elapsed_ns=int(1000 * growth * step_ns(r)), steps=1000)
    results = project.load()
    # twice the batch: a = 2 t - t', so the share is 2 - growth
    expected = min(max(2 - growth, 0), 1)
    shares = list(fixed_costs(Data(results))["share"])
    assert shares == pytest.approx([expected] * 2, abs=1e-6)
    spoken = [caveat for caveat in collect(results) if caveat.id == "fixed_cost_dominates"]
    assume(abs(expected - 0.5) > 1e-6)  # at the limit itself rounding decides
    assert bool(spoken) == any(share >= 0.5 for share in shares)
    for caveat in spoken:
        of_cell = caveat.evidence["cells"]["bert/fit-b8/keras3-torch"]
        assert of_cell["share"] == pytest.approx(expected, abs=1e-6)
        assert {point["batch_size"] for point in of_cell["points"]} == {8, 16}


def test_the_fixed_cost_of_a_single_run_is_uncertain_by_its_blocks(tmp_path):
    project = quiet_project(tmp_path, runs=1)

    def change(r):
        del r["timing"]["blocks"][2:]  # they do not scatter
        # those at twice the batch: 1.2 times as long, give or take 1 %
        blocks = [{"steps": 10, "elapsed_ns": int(f * 10 * step_ns(r))} for f in (1.188, 1.212)]
        r["probes"][0].update(steps=20, elapsed_ns=24 * step_ns(r), blocks=blocks)

    project.change(change)
    for cost in fixed_costs(project.data()).itertuples():
        # standard error 1 %, t of one degree of freedom 12.706: up to exp(0.12706) as long
        assert (cost.share, cost.at_least) == pytest.approx((0.8, 2 - 1.2 * 1.13548), abs=1e-3)


@pytest.mark.parametrize("once", [True, False])
def test_what_one_process_showed_is_not_called_an_interval(quiet, once):
    slow_fixed_probe(quiet)
    quiet.change(
        lambda r: [p.update(blocks=[{k: p[k] // 2 for k in BLOCK}] * 2) for p in r["probes"]]
    )
    for run in (2, 3) if once else ():
        quiet.change(lambda r: r.update(probes=[]), run=run)
    (caveat,) = found(quiet, "fixed_cost_dominates")
    assert ("in one process; another may differ: BERT" in caveat.sentence) == once
    assert ("by the whole interval" in caveat.sentence) != once


@pytest.mark.parametrize("task", ["fit", "predict"])
def test_predict_does_not_blame_the_optimizer(tmp_path, task):
    plan = make_plan(runs=3, rows=(("bert", task, 8, 32),), columns=(JAX, TORCH))
    project = Project(tmp_path, plan)
    slow_fixed_probe(project)
    (caveat,) = found(project, "fixed_cost_dominates")
    assert ("optimizer" in caveat.sentence) == (task == "fit")


def test_other_lengths_are_no_points_of_a_batch_size(quiet):
    slow_fixed_probe(quiet)
    longer = {"batch_size": 8, "max_length": 200, "new_tokens": 400}
    quiet.change(lambda r: r["probes"].append({**r["probes"][0], **longer}))
    (caveat,) = found(quiet, "fixed_cost_dominates")
    (of_cell,) = caveat.evidence["cells"].values()
    points = [(point["run"], point["batch_size"]) for point in of_cell["points"]]
    assert sorted(points) == [(run, size) for run in (1, 2, 3) for size in (8, 16)]
    quiet.change(lambda r: r.update(probes=r["probes"][1:]), run=2)
    (caveat,) = found(quiet, "fixed_cost_dominates")
    (of_cell,) = caveat.evidence["cells"].values()
    assert {point["run"] for point in of_cell["points"]} == {1, 3}
