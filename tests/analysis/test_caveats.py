"""Every rule speaks exactly when its condition holds, and what it says is true of the data."""

import json
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from results_factory import Project, identity, make_plan, moment

from analysis.caveats import Severity, collect
from analysis.caveats.__main__ import to_markdown
from analysis.caveats.core import RULES, caveats_json
from analysis.caveats.noise import legacy_ratio
from analysis.caveats.work import fixed_cost_share
from analysis.strict_json import validate

JAX, TORCH = "keras3-jax", "keras3-torch"
QUIET = {"scale": "paper", "accelerator": "cuda", "weights": "preset"}


def quiet_project(folder):
    """Two columns that differ in nothing, on paper scale and a GPU: no caveat applies."""
    plan = make_plan(runs=3, rows=(("bert", "fit", 8, 32),), frameworks=(JAX, TORCH), **QUIET)
    project = Project(folder, plan)
    for record in project.records.values():
        record["parity"].update(execution="jit", compiler="xla")
    return project


def parity(key, value):
    return lambda p: p.change(lambda r: r["parity"].update({key: value}), framework=TORCH)


def record(section, key, value, **where):
    where = {"framework": TORCH, "run": 2, **where}
    return lambda p: p.change(lambda r: r[section].update({key: value}), **where)


def slow_fixed_probe(project):
    # twice the batch takes 1.2 times as long: 80 % of the step is fixed
    def change(r):
        r["probes"][0]["elapsed_ns"] = r["probes"][0]["steps"] * int(1.2 * step_ns(r))

    project.change(change, framework=TORCH)


def step_ns(r):
    block = r["timing"]["blocks"][0]
    return block["elapsed_ns"] // block["steps"]


def scattered(project):
    def change(r):
        for index, block in enumerate(r["timing"]["blocks"]):
            block["elapsed_ns"] = int(block["elapsed_ns"] * (0.9 if index % 2 else 1.1))

    project.change(change, framework=TORCH)


def slowed(project):
    def change(r):
        for block in r["timing"]["blocks"][5:]:
            block["elapsed_ns"] = block["elapsed_ns"] * 103 // 100

    project.change(change, framework=TORCH, run=2)


def few_blocks(project):
    def change(r):
        r["timing"].update(blocks=[{"steps": 100, "elapsed_ns": 100 * step_ns(r)}])

    project.change(change, framework=TORCH, run=2)


def spread_runs(project):
    for run, factor in ((1, 1.0), (2, 1.15), (3, 0.9)):
        project.change(lambda r, f=factor: scale(r, f), framework=TORCH, run=run)


def scale(r, factor):
    for block in [*r["timing"]["blocks"], *r["probes"]]:
        block["elapsed_ns"] = int(block["elapsed_ns"] * factor)
    r["timing"]["legacy"]["step_ms"] *= factor


def one_run_only(project):
    project.plan["runs"] = 1
    for cell in project.plan["cells"]:
        cell["runs"] = cell["runs"][:1]
    kept = {run["record"] for cell in project.plan["cells"] for run in cell["runs"]}
    project.records = {path: r for path, r in project.records.items() if path in kept}


def another_batch_size(project):
    twin = make_plan(3, (("bert", "fit", 8, 32), ("bert", "fit", 16, 32)), (JAX, TORCH), **QUIET)
    other = Project(project.folder, twin)
    for r in other.records.values():
        r["parity"].update(execution="jit", compiler="xla")
    project.records, project.canaries = other.records, other.canaries
    project.plan.update(rows=twin["rows"], cells=twin["cells"])


def unsupported_cell(project):
    cell = project.plan["cells"][1]
    for run in cell["runs"]:
        del project.records[run["record"]]
    cell.update(unsupported="does not exist there", runs=[])


def without_record(project):
    del project.records[project.plan["cells"][1]["runs"][2]["record"]]


def legacy(project):
    project.change(lambda r: r["timing"]["legacy"].update(step_ms=1.0), framework=TORCH)


def stale(project):
    project.change(
        lambda r: r.update(identity=identity(TORCH, "fit", 2, x=1)), framework=TORCH, run=2
    )


def short(project):
    def change(r):
        block = {"steps": 2, "elapsed_ns": 2 * step_ns(r)}
        r["timing"].update(blocks=[block] * 8)

    project.change(change, framework=TORCH)


def padded(project):
    """A token takes 10 ms at length 20 and 14 ms at length 100; the row's own length is 50.

    The step itself takes 30.06 ms for 512 tokens in 8 answers.
    """
    project.plan["models"]["bert"]["architecture"]["max_length"] = 50

    def change(r):
        r["probes"] = [
            {
                "batch_size": r["cell"]["batch_size"],
                "max_length": length,
                "new_tokens": r["cell"]["batch_size"] * (length - 6),
                "steps": 2,
                "elapsed_ns": 2 * (length - 6) * token_ms * 10**6,
                "failed": None,
            }
            for length, token_ms in ((20, 10), (100, 14))
        ]

    project.change(change, framework=TORCH)


def test_the_share_of_padding_by_hand(tmp_path):
    project = quiet_project(tmp_path)
    padded(project)
    (caveat,) = collect(project.load())
    (evidence,) = caveat.evidence.values()
    points = evidence["ms_per_new_token_by_max_length"]
    assert list(points) == ["20", "50", "100"]
    assert list(points.values()) == pytest.approx([10.0, 30.06 / 64, 14.0], rel=1e-3)
    # 0.05 ms a position; 50 of them in the 11.5 ms of a token at length 50.
    assert evidence["padding_share"] == pytest.approx(0.05 * 50 / 11.5)
    assert "Keras 3 (PyTorch) 22\u00a0%" in caveat.sentence


def clock(low, middle, high):
    return {"min": float(low), "median": float(middle), "max": float(high)}


def gpu_readings(**more):
    """A GPU that nothing disturbed."""
    steady = clock(1400, 1400, 1400)
    names = ("sm_clock_mhz", "memory_clock_mhz", "temperature_c", "power_w", "utilization_percent")
    return dict.fromkeys(names, steady) | {"throttle_reasons": [], "foreign_processes": 0} | more


def nearly_as_fast(project):
    def change(r):
        scale(r, 8.1 / 30)
        r["timing"]["synchronised_ns"] = [step_ns(r)]

    project.change(change, TORCH)


def two_counters(project):
    for framework, counter in ((JAX, "rapl"), (TORCH, "nvml")):
        energy = {"joules_per_step": 2.0, "counter": counter}
        project.change(lambda r, e=energy: r.update(energy=e), framework)


CONDITIONS = {
    "execution_differs": parity("execution", "eager"),
    "precision_differs": parity("matmul_precision", "bfloat16"),
    "parity_differs": parity("attention", "sdpa"),
    "batch_sizes_differ": another_batch_size,
    "scale_is_reduced": lambda p: p.plan.update(scale="smoke"),
    "random_weights": lambda p: p.plan.update(weights="random"),
    "measured_on_cpu": lambda p: p.plan.update(accelerator="cpu"),
    "failed_runs": lambda p: p.fail("oom", "killed at 14 GiB", framework=TORCH, run=2),
    "stale_records": stale,
    "not_measured": without_record,
    "unsupported": unsupported_cell,
    "single_run": one_run_only,
    "wide_interval": spread_runs,
    "few_steps": short,
    "compiled_while_timed": lambda p: p.change(
        lambda r: r["timing"]["compilations"].update(during_timing=1), framework=TORCH, run=2
    ),
    "foreign_load": record("load", "foreign_cpu_share", 0.05),
    "swapped": record("load", "swapped_mib", 12.0),
    "busy_before": record("load", "before", 2.5),
    "scattered_blocks": scattered,
    "overhead_bound": record("work", "flops_per_step", 1e7, run=0),
    "plausibility_not_tested": record("work", "flops_per_step", None, run=0),
    "not_steady": slowed,
    "steady_state_not_tested": few_blocks,
    "legacy_differs": legacy,
    "fixed_cost_dominates": slow_fixed_probe,
    "parameters_differ": record("work", "trainable_parameters", 5, run=0),
    "framework_warnings": lambda p: p.change(lambda r: r["warnings"].append("careful"), TORCH),
    "round_drifted": lambda p: p.canaries[1].update(python_loop_ms=52.0),
    "drift_unknown": lambda p: p.canaries.__setitem__(2, None),
    "outside_of_canaries": lambda p: p.canaries[1].update(started_at=moment(0)),
    "not_monitored": lambda p: p.change(lambda r: r.update(monitor=None), TORCH, run=2),
    "throttled": record("monitor", "throttled", 3),
    "clocks_changed": record("monitor", "frequency_mhz", clock(2000, 3000, 3000)),
    "clocks_differ": record("monitor", "frequency_mhz", clock(2500, 2500, 2500)),
    "swapped_while_timed": record("monitor", "swapped_mib", 1.0),
    "busy_while_timed": record("monitor", "load_max", 4.5),
    "device_shared": record("monitor", "gpu", gpu_readings(foreign_processes=1)),
    "not_self_tested": lambda p: setattr(p, "self_test", None),
    "harness_error": lambda p: p.self_test["known_steps"][1].update(measured_ms=20.2),
    "same_cell_differs": lambda p: p.self_test["same_cell"].update(
        a_ms={"1": 10.5, "2": 10.6, "3": 10.5}
    ),
    "monitor_costs": lambda p: p.self_test["monitor"].update(on_ms=[5.1, 5.1]),
    "restarted_runs": lambda p: p.change(
        lambda r: r.update(restarted="compiled while timed"), TORCH, run=2
    ),
    "extended_runs": lambda p: p.change(lambda r: r["timing"].update(extended=True), TORCH, run=2),
    "observer_effect": lambda p: p.change(
        lambda r: r["timing"].update(synchronised_ns=[int(1.06 * step_ns(r))]), TORCH
    ),
    "host_overhead_high": lambda p: p.change(
        lambda r: r.update(host_overhead={"share": 0.5, "method": "profiler", "steps": 3}), TORCH
    ),
    "energy_counters_differ": two_counters,
    "close_call": nearly_as_fast,
    "several_machines": record("machine", "id", "m2"),
    "thread_policies_differ": record("threads", "requested", 1),
    "deployments_differ": record("environment", "method", "conda"),
    "static_padding": padded,
    "own_interpreter": record("environment", "method", "interpreter", framework="", run=0),
}


def test_a_slowdown_in_words_and_numbers(tmp_path):
    project = quiet_project(tmp_path)
    slowed(project)
    project.change(lambda r: r["timing"].update(extended=True), framework=TORCH, run=2)
    caveat = next(found for found in collect(project.load()) if found.id == "not_steady")
    assert caveat.sentence.startswith(
        "Steps did not settle in 1 run, 1 of them although timed twice as long (BERT fit: "
        "Keras 3 (PyTorch) slowdown in 1 of 3 runs)"
    )
    (course,) = caveat.evidence["runs"]["bert/fit-b8/keras3-torch"]
    assert (course["run"], course["class"], course["blocks_of_the_final_level"]) == (
        2,
        "slowdown",
        5,
    )
    assert course["mean_over_final_level"] == pytest.approx(1.015 / 1.03)


def ids(project):
    return [caveat.id for caveat in collect(project.load())]


def test_nothing_to_say_about_a_quiet_table(tmp_path):
    assert ids(quiet_project(tmp_path)) == []
    assert to_markdown([]) == "No caveat applies.\n"


def test_every_rule_has_its_condition():
    assert {function.__name__ for function in RULES} == CONDITIONS.keys() | PUBLISHED_ONLY


@pytest.mark.parametrize("name", CONDITIONS)
def test_a_condition_gives_its_caveat_and_no_other(tmp_path, name):
    project = quiet_project(tmp_path)
    CONDITIONS[name](project)
    assert ids(project) == [name]


# of precisions that nobody read back, which a record always holds: see test_judged.py
PUBLISHED_ONLY = {"precision_mixed", "precision_mislabelled"}

INDEPENDENT = sorted(
    CONDITIONS.keys()
    - {"single_run", "unsupported", "not_measured", "batch_sizes_differ", "own_interpreter"}
    - {"failed_runs", "stale_records", "wide_interval", "scattered_blocks", "few_steps"}
    - {"not_steady", "steady_state_not_tested", "overhead_bound", "plausibility_not_tested"}
    - {"legacy_differs", "fixed_cost_dominates", "observer_effect", "close_call"}
    # these set the same reading, or say why it is not there
    - {"not_monitored", "clocks_changed", "clocks_differ", "not_self_tested", "drift_unknown"}
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
    shares = [fixed_cost_share(cell) for cell in results.cells]
    assert shares == pytest.approx([expected] * 2, abs=1e-6)
    spoken = [caveat for caveat in collect(results) if caveat.id == "fixed_cost_dominates"]
    assert bool(spoken) == any(share >= 0.5 for share in shares)


def test_no_probe_no_word_about_fixed_cost(tmp_path):
    project = quiet_project(tmp_path)
    project.change(lambda r: r.update(probes=[]))
    assert ids(project) == []
    assert fixed_cost_share(project.load().rows[0].cells[0]) is None


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
    project.fail("unsupported", "no such layer", framework=TORCH, run=1)
    assert ids(project) == ["failed_runs"]
    project.fail("unsupported", "no such layer", framework=TORCH)
    assert ids(project) == ["unsupported"]


@pytest.mark.parametrize("task", ["fit", "predict"])
def test_predict_does_not_blame_the_optimiser(tmp_path, task):
    plan = make_plan(runs=3, rows=(("bert", task, 8, 32),), frameworks=(JAX, TORCH))
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
    project.change(lambda r: r["parity"].update(threads=3), framework=TORCH, run=1)
    (caveat,) = collect(project.load())
    assert "2 in Keras 3 (JAX); 3 in Keras 3 (PyTorch); not reported in" in caveat.sentence


@pytest.mark.parametrize(("share", "severity"), [(0.1, "warning"), (0.3, "critical")])
def test_a_crowded_machine_is_critical(tmp_path, share, severity):
    project = quiet_project(tmp_path)
    record("load", "foreign_cpu_share", share)(project)
    (caveat,) = collect(project.load())
    assert caveat.severity.name.lower() == severity


def test_most_severe_first_and_valid_json(project):
    project.fail("oom", "<script> | %", framework=JAX)
    project.change(lambda r: r["warnings"].append("x"))
    caveats = collect(project.load())
    severities = [caveat.severity for caveat in caveats]
    assert severities == sorted(severities, reverse=True)
    assert {Severity.CRITICAL, Severity.NOTE} <= set(severities)
    document = json.loads(json.dumps(caveats_json(caveats), allow_nan=False))
    validate(document, "caveats", "caveats.json")
    assert not re.search(r"(?<!\\)<", to_markdown(caveats))
