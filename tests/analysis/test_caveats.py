"""Every rule speaks exactly when its condition holds, and what it says is true of the data."""

import json
import re

import pytest
from conditions import CONDITIONS
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from quiet_table import JAX, TORCH, ids, parity, quiet_project, record
from results_factory import Project, make_plan
from time_changes import slow_fixed_probe, slowed, step_ns

from analysis.caveats import Severity, collect
from analysis.caveats.core import RULES, caveats_json
from analysis.caveats.files import to_markdown
from analysis.caveats.groups import grouped
from analysis.data import Data
from analysis.formats.strict_json import validate
from analysis.topics.batch_sizes.compute import fixed_costs, sample_growth
from analysis.topics.legacy.compute import legacy_ratio


def test_a_slowdown_in_words_and_numbers(tmp_path):
    project = quiet_project(tmp_path)
    slowed(project)
    caveat = next(found for found in collect(project.load()) if found.id == "not_steady")
    assert caveat.sentence.startswith(
        "Steps did not settle (BERT fit: Keras 3 (PyTorch) slowdown in 2 of 3 runs)"
    )
    (reading,) = caveat.evidence["readings"]
    assert reading["column"] == TORCH
    run, _ = reading["value"]
    assert (run["run"], run["class"], run["blocks_of_the_final_level"]) == (1, "slowdown", 5)
    assert run["mean_over_final_level"] == pytest.approx(1.015 / 1.03)


def test_nothing_to_say_about_a_quiet_table(tmp_path):
    assert ids(quiet_project(tmp_path)) == []
    assert to_markdown([]) == "No caveat applies.\n"


def test_every_rule_has_its_condition():
    assert RULES.keys() == CONDITIONS.keys()


def test_two_versions_of_cuda_are_named_and_favour_nobody(tmp_path):
    project = quiet_project(tmp_path)
    for column, version in ((JAX, "12.9"), (TORCH, "13.0")):
        project.change(lambda r, version=version: r["parity"].update(cuda_version=version), column)
    (caveat,) = collect(project.load())
    assert caveat.id == "parity_differs"
    assert caveat.sentence == (
        "BERT fit: cuda version differs between columns (12.9 in Keras 3 (JAX); 13.0 in "
        "Keras 3 (PyTorch)), so part of a difference may come from that. It is "
        "unknown which column this favours."
    )
    project.change(lambda r: r["parity"].update(cuda_version=None))  # as on the processors
    assert ids(project) == []


@pytest.mark.parametrize("name", CONDITIONS)
def test_a_condition_gives_its_caveat_and_no_other(tmp_path, name):
    project = quiet_project(tmp_path)
    CONDITIONS[name](project)
    assert ids(project) == [name]


INDEPENDENT = sorted(
    CONDITIONS.keys()
    - {"single_run", "unsupported", "not_measured", "batch_sizes_differ", "own_interpreter"}
    - {"devices_compared_in_one_way", "trainings_differ", "two_modes"}  # other columns, trainings
    - {"failed_runs", "stale_records", "wide_interval", "scattered_blocks", "few_steps"}
    - {"inconsistent_runs", "warm_up_left_out"}
    - {"not_steady", "steady_state_not_tested", "overhead_bound", "plausibility_not_tested"}
    - {"device_shared"}  # nothing is concluded from such a cell
    - {"legacy_differs", "fixed_cost_dominates", "outgrows_batch", "observer_effect", "close_call"}
    # these set the same reading, or say why it is not there
    - {"not_monitored", "clocks_changed", "clocks_differ", "not_self_tested", "drift_unknown"}
    - {"several_nodes", "rounds_lost", "neighbours_disturb", "neighbours_unknown"}
)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(chosen=st.sets(st.sampled_from(INDEPENDENT)))
def test_conditions_together_give_their_caveats_together(tmp_path, chosen):
    project = quiet_project(tmp_path)
    for name in sorted(chosen):
        CONDITIONS[name](project)
    assert sorted(ids(project)) == sorted(chosen)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    share=st.floats(0, 0.2),
    swapped=st.floats(0, 3),
    load=st.floats(0, 4),
    ratio=st.floats(0.8, 1.25),
)
def test_thresholds_speak_exactly_from_their_value_on(tmp_path, share, swapped, load, ratio):
    project = quiet_project(tmp_path)
    record("load", "foreign_cpu_share", share)(project)
    record("load", "swapped_mib", swapped)(project)
    record("load", "before", load)(project)
    project.change(lambda r: r["timing"]["legacy"].update(step_ms=step_ns(r) / 1e6 * ratio), TORCH)
    results = project.load()
    found = legacy_ratio(results.rows[0].cells[1])
    assert found == pytest.approx(ratio)
    expected = {
        "foreign_load": share >= 0.05,
        "swapped": swapped >= 1,
        "busy_before": load > 2,  # two cores
        "legacy_differs": max(found, 1 / found) > 1.05,
    }
    assert {caveat.id for caveat in collect(results)} == {
        name for name, on in expected.items() if on
    }


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
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


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(times=st.lists(st.floats(1.0, 6.0), min_size=1, max_size=5))
def test_a_sample_that_takes_half_again_as_long_at_twice_the_batch_is_spoken_of(tmp_path, times):
    project = quiet_project(tmp_path)

    def change(r):
        blocks = [{"steps": 1000, "elapsed_ns": int(1000 * t * step_ns(r))} for t in times]
        total = {name: sum(block[name] for block in blocks) for name in blocks[0]}
        r["probes"][0].update(**total, blocks=blocks)

    project.change(change, TORCH)
    results = project.load()
    (found,) = sample_growth(Data(results)).query("column == @TORCH").itertuples()
    # By the fastest block: of the others the machine may have made more.
    assert found.factor == pytest.approx(min(times) / 2, rel=0.01)
    assert (found.to, found.of) == (16, 8)
    spoken = [caveat for caveat in collect(results) if caveat.id == "outgrows_batch"]
    assert bool(spoken) == (found.factor >= 1.5)


def test_the_rows_own_batch_may_be_the_one_at_which_a_sample_takes_longer(tmp_path):
    project = quiet_project(tmp_path)
    halved = {"batch_size": 4, "max_length": None, "new_tokens": None, "failed": None}
    project.change(
        lambda r: r["probes"].append({**halved, "steps": 10, "elapsed_ns": 2 * step_ns(r)}), TORCH
    )
    (caveat,) = collect(project.load())
    assert "Keras 3 (PyTorch) 2.5 times as long at 8 as at 4" in caveat.sentence
    (cell,) = caveat.evidence["cells"].values()
    assert {point["batch_size"] for point in cell["points"]} == {4, 8, 16}


def test_no_probe_no_word_about_the_batch(tmp_path):
    project = quiet_project(tmp_path)
    project.change(lambda r: r.update(probes=[]))
    assert ids(project) == []
    data = Data(project.load())
    assert fixed_costs(data).empty and sample_growth(data).empty


def test_evidence_holds_the_numbers_of_the_sentence(tmp_path):
    project = quiet_project(tmp_path)
    slow_fixed_probe(project)
    (caveat,) = collect(project.load())
    evidence = caveat.evidence["cells"]["bert/fit-b8/keras3-torch"]
    assert evidence["share"] == pytest.approx(0.8, abs=1e-3)
    assert {point["batch_size"] for point in evidence["points"]} == {8, 16}
    assert "Keras 3 (PyTorch) 80\u00a0%" in caveat.sentence
    assert "Keras 3 (JAX)" not in caveat.sentence


def test_a_run_found_unsupported_counts_as_failed_only_beside_others(tmp_path):
    project = quiet_project(tmp_path)
    project.fail("unsupported", "no such layer", column=TORCH, run=1)
    assert ids(project) == ["failed_runs"]
    project.fail("unsupported", "no such layer", column=TORCH)
    assert ids(project) == ["unsupported"]


@pytest.mark.parametrize("task", ["fit", "predict"])
def test_predict_does_not_blame_the_optimiser(tmp_path, task):
    plan = make_plan(runs=3, rows=(("bert", task, 8, 32),), columns=(JAX, TORCH))
    project = Project(tmp_path, plan)
    slow_fixed_probe(project)
    (sentence,) = {c.sentence for c in collect(project.load()) if c.id == "fixed_cost_dominates"}
    assert ("optimiser" in sentence) == (task == "fit")


def test_rows_that_differ_in_the_same_way_share_a_caveat(project):
    found = [caveat for caveat in collect(project.load()) if caveat.id == "execution_differs"]
    assert len(found) == 1
    assert found[0].sentence.startswith("BERT fit and BERT predict: ")
    assert found[0].evidence["values"]["graph / tf-graph"] == ["Keras 2 (TensorFlow)"]


def test_what_a_framework_does_not_report_is_no_difference(tmp_path):
    project = quiet_project(tmp_path)
    parity("threads", None)(project)
    parity("graph_breaks", 0)(project)
    parity("jit_compile", True)(project)
    assert ids(project) == []
    project.change(lambda r: r["parity"].update(threads=3), column=TORCH, run=1)
    (caveat,) = collect(project.load())
    assert "2 in Keras 3 (JAX); 3 in Keras 3 (PyTorch); not reported in" in caveat.sentence


@pytest.mark.parametrize(("share", "severity"), [(0.1, "warning"), (0.3, "critical")])
def test_a_crowded_machine_is_critical(tmp_path, share, severity):
    project = quiet_project(tmp_path)
    record("load", "foreign_cpu_share", share)(project)
    (caveat,) = collect(project.load())
    assert caveat.severity.name.lower() == severity


def test_most_severe_first_and_valid_json(project):
    project.fail("oom", "<script> | %", column=JAX)
    project.change(lambda r: r["warnings"].append("x"))
    results = project.load()
    caveats = collect(results)
    severities = [caveat.severity for caveat in caveats]
    assert severities == sorted(severities, reverse=True)
    assert {Severity.CRITICAL, Severity.NOTE} <= set(severities)
    document = json.loads(json.dumps(caveats_json(caveats), allow_nan=False))
    validate(document, "caveats", "caveats.json")
    assert not re.search(r"(?<!\\)<", to_markdown(grouped(caveats, results)))
