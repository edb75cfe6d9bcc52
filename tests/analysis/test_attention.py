"""Kernels of attention are seen in one run of a cell and hold for all of them."""

from quiet_table import JAX, TORCH
from results_factory import BERT_ROWS, Project, make_plan

from analysis.caveats import collect


def test_what_the_profile_of_one_run_saw_is_no_difference_between_runs(tmp_path):
    """Only the first run of a cell is profiled; the cards of the others say what was asked for."""
    project = Project(tmp_path, make_plan(columns=(TORCH, JAX), rows=BERT_ROWS[:1], runs=3))
    project.change(lambda r: r["parity"].update(attention="sdpa", declared="attention"))
    profile = {"share": 0.1, "method": "profiler", "steps": 3}

    def profiled(r):
        r.update(host_overhead=profile)
        r["parity"].update(attention_kernel="flash")
        del r["parity"]["declared"]

    project.change(profiled, run=1)
    results = project.load()
    assert not [found for found in collect(results) if found.id == "parity_differs"]
    assert {record.parity["attention_kernel"] for record in results.records} == {"flash"}
    project.change(lambda r: r["parity"].update(attention="einsum"), TORCH, run=2)
    asked = [r.parity for r in project.load().records if r.parity["attention"] == "einsum"]
    assert "attention_kernel" not in asked[0] and asked[0]["declared"] == "attention"
