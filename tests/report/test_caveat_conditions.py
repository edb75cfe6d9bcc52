"""The conditions of caveats.yaml on both sides of their bars, and their frames by hand."""

import types

import numpy as np
import pandas as pd
import pytest

from millistep.analysis import caveat_frames
from millistep.analysis.caveats import KINDS

NAN = np.nan
# By kind: columns, lines that raise it, lines that do not.
BARS = {
    "no_time": (["status"], [("oom",), ("missing",)], [("unsupported",)]),
    "single_run": (["runs"], [(1,)], [(0,), (2,)]),
    "execution_differs": (["entry"], [("execution",)], [("precision",)]),
    "precision_differs": (["entry"], [("precision",)], [("execution",)]),
    "settings_differ": (
        ["entry"],
        [("attention",), ("optimizer",)],
        [("execution",), ("precision",), ("parameters",), ("trainable parameters",)],
    ),
    "products_differ": (
        ["standing", "reason", "more_ms", "blas", "fastest_blas"],
        [("slower", True, 0.1, "oneMKL", NAN), ("slower", True, 0.1, "oneMKL", "open")],
        [
            ("tied", True, 0.1, "oneMKL", NAN),
            ("slower", False, 0.1, "oneMKL", NAN),
            ("slower", True, -0.1, "oneMKL", NAN),
            ("slower", True, 0.1, "oneMKL", "oneMKL"),
        ],
    ),
    "prompts_differ": (["entry"], [("prompt_sets",)], [("attention",)]),
    "parameters_differ": (["excess"], [(0.001,)], [(0.0009,), (0.0,)]),
    "parameters_counted_differently": (
        ["work.moving_averages", "work.second_biases"],
        [(1, 0), (0, 1), (NAN, 1)],
        [(0, 0), (NAN, NAN)],
    ),
    "harness": (["share"], [(0.02,)], [(0.019,), (NAN,)]),
    "stopped_by_quota": (["share"], [(0.001,)], [(0.0,)]),
    "disturbed": (
        ["affected", "disturbed_windows", "load.swapped_mib", "load.foreign_cpu_share"],
        [("others computed", 0, 0.0, 0.2), ("", 3, 0.0, 0.1), ("", 0, 1.0, 0.0)],
        [("", 2, 0.99, 0.0), ("", 0, NAN, 0.0)],
    ),
    "throttled": (["throttled"], [(True,)], [(False,)]),
    "not_steady": (
        ["steady", "runs"],
        [(False, 1)],
        [(True, 1), (False, 0), (None, 1)],
    ),
    "means_and_ratios": (
        ["outside", "apart"],
        [(True, 0.01)],
        [(True, 0.009), (False, 0.02)],
    ),
    "machines_differ": (["machines"], [(2,)], [(1,), (0,)]),
    "threads_differ": (["kinds"], [(2,)], [(1,), (0,)]),
    "environment_differs": (["custom"], [(True,)], [(False,)]),
    "scale_is_reduced": (["reduced"], [(True,)], [(False,)]),
    "random_weights": (["weights"], [("random",)], [("preset",)]),
    "measured_on_cpu": (["accelerator"], [("cpu",)], [("cuda",)]),
    "static_padding": (
        ["verdict", "ratio"],
        [("explains", 2.0)],
        [("not slow", 2.0), ("does not explain", 2.0)],
    ),
    "fixed_cost_dominates": (["low"], [(0.5,)], [(0.499,), (NAN,)]),
    "mostly_overhead": (["idle_share"], [(0.5,)], [(0.499,), (NAN,)]),
    "graph_broken": (["parity.graph_breaks"], [(1,)], [(0,), (NAN,)]),
    "resolution": (["half_width"], [(0.1,)], [(0.099,), (NAN,)]),
    "self_test_off": (["failed"], [(True,)], [(False,)]),
}


@pytest.mark.parametrize("kind", BARS)
def test_a_condition_has_this_bar(kind):
    columns, raised, quiet = BARS[kind]
    frame = pd.DataFrame([*quiet, *raised], columns=columns)
    found = KINDS[kind].lines(frame)
    assert found.index.tolist() == list(range(len(quiet), len(frame)))


def test_every_kind_has_a_bar():
    assert set(BARS) == set(KINDS)


@pytest.mark.parametrize("kind", [name for name, kind in KINDS.items() if kind.worst])
def test_the_worst_line_comes_first(kind):
    columns, (raised, *_), _ = BARS[kind]
    frame = pd.DataFrame([raised, raised, raised], columns=columns)
    end, column = KINDS[kind].worst.split()
    frame[column] = frame[column].astype(float) + np.array([0.0, 2.0, 1.0])
    assert end == "max"
    assert KINDS[kind].lines(frame).index[0] == 1


def of_runs(monkeypatch, frame):
    monkeypatch.setattr(caveat_frames, "runs", lambda data: pd.DataFrame(frame))


KEYS = {"model": "bert", "task": "fit", "batch_size": 1, "workload": "BERT fit"}


def test_clocks_are_limited_by_the_gpu_or_the_processor(monkeypatch):
    reasons = {"monitor.gpu.throttle_reasons": ["power", None, None, None]}
    of_runs(monkeypatch, reasons | {"monitor.throttled": [0, 1, 0, NAN]})
    found = caveat_frames.throttling(None)
    assert found["throttled"].tolist() == [True, True, False, False]
    assert found["reasons"].tolist() == ["power", "heat of the processor", "", ""]
    of_runs(monkeypatch, {"run": [1]})
    assert not caveat_frames.throttling(None)["throttled"].any()


def test_an_environment_is_custom_by_method_interpreter_or_variables(monkeypatch):
    method = ["venv", "venv", "conda", "interpreter", "venv"]
    variables = [None, None, None, None, '{"A": "1"}']
    of_runs(monkeypatch, {"environment.method": method, "environment.variables": variables})
    found = caveat_frames.environments(None)
    assert found["custom"].tolist() == [False, False, True, True, True]
    assert found["what"].tolist()[2:] == [
        "Environments were installed in different ways",
        "An interpreter of the user was measured",
        "Environment variables are set",
    ]


def test_trained_parameters_count_in_fit_only(monkeypatch):
    for task, entries in (("fit", 2), ("predict", 1)):
        numbers = {"work.parameters": [1000, 1100], "work.trainable_parameters": [500, 1000]}
        of_runs(monkeypatch, KEYS | {"task": task} | numbers)
        found = caveat_frames.parameters(None).set_index("entry")
        assert len(found) == entries
        assert found.loc["parameters", ["fewest", "most"]].tolist() == [1000, 1100]
        assert found.loc["parameters", "excess"] == pytest.approx(0.1)


def test_shares_of_the_harness_and_of_a_quota_by_hand(monkeypatch):
    runs = {"timing.harness_ns": [4e4, None], "ms_per_step": [1.0, 1.0]}
    quota = {"load.quota_periods": [100, 0], "load.quota_throttled_periods": [5, 0]}
    of_runs(monkeypatch, runs | quota)
    assert caveat_frames.harness(None)["share"].tolist()[:1] == [pytest.approx(0.04)]
    assert caveat_frames.quota(None)["share"].tolist() == [pytest.approx(0.05), 0.0]


def test_machines_and_threads_are_counted_by_workload(monkeypatch):
    runs = KEYS | {"machine.id": ["a", "b", "a"], "configuration": ["x", "y", "z"]}
    runs |= {"accelerator": "cpu"}
    of_runs(monkeypatch, runs | {"threads.requested": [8, 4, 2]})
    assert caveat_frames.machines(None)["machines"].tolist() == [2]
    devices = runs | {"accelerator": ["cpu", "cuda", "cpu"]}  # of one machine, each with an id
    of_runs(monkeypatch, devices | {"threads.requested": [8, 4, 2]})
    assert caveat_frames.machines(None)["machines"].tolist() == [1]
    own = pd.DataFrame({"configuration": ["x", "y"]})  # z is a variant
    monkeypatch.setattr(caveat_frames, "representatives", lambda data: own)
    found = caveat_frames.threads(None).iloc[0]
    assert (found["kinds"], found["values"]) == (2, "4 and 8")


def self_test(**content):
    content = {"status": "ok", "reason": "", "known_steps": [], "same_cell": None} | content
    return caveat_frames.self_test(types.SimpleNamespace(self_test=content))


@pytest.mark.parametrize(("measured", "failed"), [(2.019, False), (2.021, True), (1.979, True)])
def test_the_timer_may_be_off_by_one_percent(measured, failed):
    found = self_test(known_steps=[{"nominal_ms": 2, "measured_ms": measured}])
    assert found["failed"].tolist() == [failed]


def test_a_self_test_that_failed_or_is_missing():
    assert self_test(status="error", reason="killed")["failed"].tolist() == [True]
    assert self_test()["failed"].tolist() == []
    assert caveat_frames.self_test(types.SimpleNamespace(self_test=None)).empty


def test_one_cell_under_two_names_differs_from_itself():
    same, other = [10.0, 10.4, 9.8, 10.1], [10.1, 10.3, 9.9, 10.0]
    far = [11.0, 11.41, 10.79, 11.1]
    for values, failed in ((other, False), (far, True), (far[:1], False)):
        found = self_test(same_cell={"a_ms": same[: len(values)], "b_ms": values})
        assert found["failed"].tolist() == [failed]
    # p = 0.03 is chance in one of thirty self-tests
    near = self_test(same_cell={"a_ms": [10.0, 10.0, 10.0], "b_ms": [10.5, 10.4, 10.2]})
    assert near["failed"].tolist() == [False]
