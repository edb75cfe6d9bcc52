"""Each kind of caveat: one result set in which it applies, and one in which it does not."""

import re

import pytest

from millistep.analysis import caveat_frames
from millistep.analysis.caveats import KINDS, SEVERITIES, caveats
from millistep.analysis.report.keras_page import page
from millistep.analysis.report.methods import methods
from millistep.analysis.report.render import write_caveats
from tests import shared
from tests.report.made import as_published, configuration, fail, made, probe, profile

BERT = ("bert", "fit", 4)
JAX, TORCH = "keras3-jax", "keras3-torch"
TIMES = {BERT: {JAX: 8.0, TORCH: 16.0}}


def set_in(column=TORCH, **values):
    """Return a change of records of one configuration; keys are places with __ for dots."""

    def change(record):
        if record["cell"]["column"] == column:
            for place, value in values.items():
                shared.set_in(record, tuple(place.split("__")), value)

    return change


def attention(record):
    record["parity"]["attention"] = "sdpa" if record["cell"]["column"] == TORCH else "einsum"


def prompts(record):
    record["parity"]["prompt_sets"] = 1 if record["cell"]["column"] == TORCH else 4


def failing(record):
    if record["cell"]["column"] == TORCH and record["cell"]["run"] == 2:
        fail(record)


def profiled(idle):
    def change(record):
        ms = 8.0 if record["cell"]["column"] == JAX else 16.0
        record["host_overhead"] = profile(ms, {"aten::mm": ms * (1 - idle)})

    return change


def libraries(*columns):
    """Let products be most of a step, by oneMKL in some configurations."""

    def change(record):
        profiled(0.1)(record)
        record["machine"]["cpu"] = "AMD EPYC"
        if record["cell"]["column"] in columns:
            record["parity"]["blas"] = "oneMKL 2024.2"

    return change


def wide(record):
    step = record["timing"]["windows"][0]
    if record["cell"]["column"] == TORCH:  # both alike would not change their ratio
        step["elapsed_ns"] = round(step["elapsed_ns"] * (1, 1.6, 0.7)[record["cell"]["run"] - 1])


def in_turns(slow):
    """Return a change after which two configurations take turns; one window of one is slow."""

    def change(record):
        torch = record["cell"]["column"] == TORCH
        (window,) = record["timing"]["windows"]
        windows = [window | {"start_ns": 2 * k + torch} for k in range(5)]
        windows[2]["elapsed_ns"] *= slow if torch else 1
        record["timing"]["windows"] = windows

    return change


SELF_TEST = {"status": "ok", "reason": "", "known_steps": [{"nominal_ms": 2, "measured_ms": 2.0}]}
WRONG = {**SELF_TEST, "known_steps": [{"nominal_ms": 2, "measured_ms": 2.5}]}

STOPPED = {"foreign_cpu_share": 0.0, "swapped_mib": 0.0}
STOPPED |= {"quota_periods": 90, "quota_throttled_periods": 9}

# Options of a result set in which each kind applies, and of one in which it does not.
# test_caveat_conditions.py has both sides of each bar.
CASES = {
    "no_time": (dict(change=failing), {}),
    "single_run": (dict(runs=1), {}),
    "execution_differs": (dict(change=set_in(parity__execution="eager")), {}),
    "precision_differs": (dict(change=set_in(parity__matmul_precision="tf32")), {}),
    "settings_differ": (dict(change=attention), dict(change=set_in(parity__framework_version="3"))),
    "parameters_differ": (dict(change=set_in(work__parameters=2000)), {}),
    "products_differ": (dict(change=libraries(TORCH)), dict(change=libraries(TORCH, JAX))),
    "prompts_differ": (dict(change=prompts), {}),
    "parameters_counted_differently": (dict(change=set_in(work__second_biases=640)), {}),
    "harness": (dict(change=set_in(timing__harness_ns=4e5)), {}),
    "stopped_by_quota": (dict(change=set_in(load=STOPPED)), {}),
    "disturbed": (dict(change=set_in(load__foreign_cpu_share=0.1)), {}),
    "throttled": (dict(change=set_in(monitor={"throttled": 2})), {}),
    "means_and_ratios": (dict(change=in_turns(2)), dict(change=in_turns(1))),
    "machines_differ": (dict(change=set_in(machine__id="bb")), {}),
    "threads_differ": (dict(change=set_in(threads__requested=4)), {}),
    "environment_differs": (dict(change=set_in(environment__method="interpreter")), {}),
    "scale_is_reduced": ({}, dict(scale="paper")),
    "random_weights": ({}, dict(weights="preset")),
    "measured_on_cpu": ({}, dict(accelerator="cuda")),
    "fixed_cost_dominates": (dict(change=lambda record: probe(record, 1.2)), {}),
    "mostly_overhead": (dict(change=profiled(0.6)), dict(change=profiled(0.4))),
    "graph_broken": (dict(change=set_in(parity__graph_breaks=2)), {}),
    "resolution": (dict(change=wide), {}),
    "self_test_off": (dict(self_test=WRONG), dict(self_test=SELF_TEST)),
}


@pytest.fixture(scope="module")
def clean():
    """The caveats of a result set in which nothing is set."""
    return caveats(made(TIMES)).set_index("kind")


@pytest.mark.parametrize("kind", CASES)
def test_a_caveat_is_raised_only_if_its_condition_holds(kind, clean):
    raised, quiet = (
        caveats(made(TIMES, **options)).set_index("kind") if options else clean
        for options in CASES[kind]
    )
    assert kind in raised.index
    assert kind not in quiet.index
    assert raised.loc[kind, "lines"] > 0 and raised.loc[kind, "remedy"]
    assert len(raised.loc[kind, "text"].split()) <= 40


def test_a_switch_that_the_code_for_one_framework_leaves_changed_is_a_difference():
    def change(record):
        left = record["cell"]["column"] == TORCH
        record["parity"]["global_switches"] = "torch.is_anomaly_enabled = True" if left else "none"

    found = caveats(made(TIMES, change=change)).set_index("kind")
    assert "also differ in global switches; the appendix" in found.loc["settings_differ", "text"]


def test_runs_that_are_left_out_for_interference_are_counted():
    def change(record):
        if record["cell"]["run"] == 1:
            record["load"]["foreign_cpu_share"] = 0.2

    (found,) = caveats(made(TIMES, change=change)).query("kind == 'disturbed'").to_dict("records")
    assert "up to 20\u00a0% of the CPUs" in found["text"]
    assert "GPU" not in found["text"] and "swapped" not in found["text"]  # causes that were seen
    assert "runs are left out." in found["text"]


@pytest.mark.parametrize("share", [0.09, 0.1])
def test_windows_that_are_left_out_for_interference_are_counted(share):
    def change(record):
        (window,) = record["timing"]["windows"]
        others = [window | {"foreign_cpu_share": share} for _ in range(3)]
        record["timing"]["windows"] = [window, window, *others]

    data = made(TIMES, change=change)
    number = 3 * len(data.runs)
    found = caveats(data).set_index("kind")["text"].get("disturbed", "")
    assert (f"{number} timing windows with interference are left out." in found) == (share >= 0.1)
    text = f"Of the other runs, {number} windows with interference are left out."
    assert (text in methods(data, "1.0.0")) == (share >= 0.1)


def test_products_of_another_library_are_compared_in_ms():
    found = caveats(made(TIMES, change=libraries(TORCH))).set_index("kind")
    text = found.loc["products_differ", "text"]
    assert text.startswith("On AMD EPYC, products and attention take longer with oneMKL 2024.2")
    assert text.endswith("in bert fit. In the first, they take 14 instead of 7.2 ms per step.")


def test_products_that_may_be_unnamed_operations_are_not_compared():
    def change(record):
        libraries(TORCH)(record)
        if record["cell"]["column"] == JAX:
            record["host_overhead"] = profile(8.0, {"ynn_fusion": 7.2})

    assert "products_differ" not in set(caveats(made(TIMES, change=change))["kind"])


def test_means_with_a_slow_window_are_compared_with_the_ratio():
    found = caveats(made(TIMES, change=in_turns(2))).set_index("kind")
    # means: 8 and (4 x 16 + 32) / 5 = 19.2 ms; four of five windows are twice as long
    assert "bert fit. The first is 2.40 instead of 2.00 [" in found.loc["means_and_ratios", "text"]


def test_padding_and_unsteady_steps_are_the_only_kinds_tested_elsewhere():
    assert set(KINDS) - set(CASES) == {"static_padding", "not_steady"}


def test_padding_is_judged_by_the_condition_of_its_entry(six, monkeypatch):
    frame = caveat_frames.padding(six)
    for verdict, raised in (("explains", True), ("not slow", False), ("does not explain", False)):
        judged = frame.assign(verdict=verdict)
        monkeypatch.setattr(caveat_frames, "padding", lambda data, judged=judged: judged)
        assert ("static_padding" in set(caveats(six)["kind"])) is raised


def test_unsteady_cells_are_named(monkeypatch):
    data = made(TIMES)
    cells = caveat_frames.cells(data)
    cells["steady"] = cells["configuration"] != TORCH
    monkeypatch.setattr(caveat_frames, "cells", lambda data: cells)
    found = caveats(data).set_index("kind")
    text = "The step time kept changing, so this cell is excluded: Keras 3 (PyTorch) in bert fit."
    assert found.loc["not_steady", "text"] == text
    cells["steady"] = False
    text = caveats(data).set_index("kind").loc["not_steady", "text"]
    assert "so these cells are excluded: Keras 3 (JAX)" in text


def test_the_most_severe_come_first_and_a_clean_run_raises_settings_alone(clean):
    found = caveats(made(TIMES, change=failing))
    order = [SEVERITIES.index(severity) for severity in found["severity"]]
    assert order == sorted(order)
    assert set(clean["severity"]) == {"setting"}
    assert caveats(as_published())["kind"].tolist() == []


def test_a_model_that_has_its_full_size_at_every_scale_is_not_reduced():
    data = made(TIMES)
    for model in data.plan["models"].values():
        model["full_size"] = True
    assert "scale_is_reduced" not in set(caveats(data)["kind"])
    assert "models are reduced" not in page(data, [], caveats(data))


def test_markup_in_a_title_stays_text_in_every_markdown_file(tmp_path):
    columns = [configuration(name) for name in TIMES[BERT]]
    columns[-1]["title"] = "<img src=x>"
    data = made(TIMES, columns=columns, change=failing)
    write_caveats(caveats(data), tmp_path)
    for text in ((tmp_path / "caveats.md").read_text(), page(data, [], caveats(data))):
        assert "\\<img src=x\\>" in text and not re.search(r"[^\\]<img", text)


def test_variants_by_a_setting_are_meant_to_differ():
    """The precision of a configuration that asks for it is no caveat; that of a framework is."""
    names = ["pytorch-eager", "pytorch-eager+tf32"]
    columns = [configuration(names[0]), configuration(names[1], precision="tf32")]
    change = set_in(names[1], parity__matmul_precision="tf32")
    data = made({BERT: dict.fromkeys(names, 8.0)}, columns=columns, change=change)
    assert "precision_differs" not in set(caveats(data)["kind"])


def test_half_precision_makes_the_precision_of_float32_products_moot():
    def change(record):
        record["parity"]["dtype"] = "bfloat16"
        products = "tf32" if record["cell"]["column"] == JAX else "float32"
        record["parity"]["matmul_precision"] = products

    assert "precision_differs" not in set(caveats(made(TIMES, change=change))["kind"])


def test_results_without_any_time_have_a_caveat_for_that():
    def change(record):
        fail(record)
        for part in ("threads", "environment", "machine", "load"):
            record[part] = None

    assert "no_time" in set(caveats(made(TIMES, change=change))["kind"])


def test_runs_without_a_time_are_counted_and_the_first_reason_is_theirs():
    found = caveats(made(TIMES, change=failing)).set_index("kind")
    assert found.loc["no_time", "text"] == (
        "1 planned run has no time: Keras 3 (PyTorch) in bert fit. First reason: memory ran out."
    )


def test_a_fixed_cost_says_whether_it_is_from_one_run():
    def once(record):
        if record["cell"]["run"] == 1:
            probe(record, 1.2)

    for change, said in ((once, True), (lambda record: probe(record, 1.2), False)):
        text = caveats(made(TIMES, change=change)).set_index("kind").loc["fixed_cost_dominates"]
        assert (", in one run each: " in text["text"]) is said
    only = made({BERT: {JAX: 8.0, TORCH: 16.0}}, change=lambda r: of_torch(r) and once(r))
    text = caveats(only).set_index("kind").loc["fixed_cost_dominates", "text"]
    assert text.startswith("In 1 cell, fixed costs are at least half of the step, in one run: ")


def of_torch(record):
    return record["cell"]["column"] == TORCH


def test_different_values_of_workloads_name_the_workload():
    both = {BERT: TIMES[BERT], ("gemma", "fit", 4): TIMES[BERT]}

    def limited(record):
        reason = "power cap" if record["cell"]["model"] == "bert" else "heat"
        record["monitor"] = {"throttled": 0, "gpu": {"throttle_reasons": [reason]}}

    text = caveats(made(both, change=limited)).set_index("kind").loc["throttled", "text"]
    assert "in 12 runs (power cap and heat): " in text
    for more, said in ((0, False), (4, True)):

        def sets(record, more=more):
            prompts(record)
            if of_torch(record) and record["cell"]["model"] == "gemma":
                record["parity"]["prompt_sets"] = 1 + more
            if of_torch(record):
                own = record["cell"]["model"] == "gemma"
                record["threads"]["requested"] = 4 - more // 2 * own

        found = caveats(made(both, change=sets)).set_index("kind")["text"]
        for kind, text in (("prompts_differ", "sets of"), ("threads_differ", "configurations ran")):
            assert (f"bert fit and gemma fit: in bert fit, {text}" in found[kind]) is said
            assert (f"bert fit and gemma fit: {text}" in found[kind]) is not said


def test_an_unknown_share_of_padding_is_no_bound(six, monkeypatch):
    frame, shown = caveat_frames.padding(six), []
    for high in (0.4, 1.0):
        changed = frame.assign(high=high, verdict="inconclusive")
        monkeypatch.setattr(caveat_frames, "padding", lambda data, changed=changed: changed)
        shown.append(caveats(six).set_index("kind").loc["static_padding", "text"])
    assert "padding is at most 40\u00a0% of a" in shown[0]
    assert "the noise leaves open how much of a" in shown[1] and "at most" not in shown[1]
    once = frame.assign(high=0.4, verdict="inconclusive", runs=1)
    monkeypatch.setattr(caveat_frames, "padding", lambda data: once)
    text = caveats(six).set_index("kind").loc["static_padding", "text"]
    assert "call (share from one run), which takes" in text and "one run" not in shown[0]
