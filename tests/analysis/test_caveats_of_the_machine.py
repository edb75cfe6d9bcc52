"""What the machine and the harness did: each sentence appears exactly when it is true, with the
numbers of the files.
"""

import re

import pytest
from conditions import CONDITIONS, clock
from hypothesis import assume, given
from hypothesis import strategies as st
from quiet_table import JAX, PROPERTY, TORCH, found, ids, quiet_project, record

from analysis.caveats import collect
from analysis.caveats.framework_warnings import KINDS
from analysis.comparisons.observer import observed_longer, observer_ratio
from analysis.formats.text import percent
from analysis.report.self_test import self_test
from analysis.results.loading import load_results
from analysis.statistics.intervals import geometric_mean, log_t_interval, paired_ratio
from analysis.writing.texts import texts_of

TIMES = st.floats(1, 100)


@PROPERTY
@given(loops=st.lists(TIMES, min_size=4, max_size=4))
def test_a_session_is_flagged_beyond_two_percent(tmp_path, loops):
    project = quiet_project(tmp_path)
    for canary, loop_ms in zip(project.canaries, loops, strict=True):
        canary["python_loop_ms"] = loop_ms
    ratios = {k: loops[k] / loops[k - 1] for k in (1, 2, 3)}
    flagged = {k: ratio for k, ratio in ratios.items() if max(ratio, 1 / ratio) > 1.02}
    caveats = found(project, "session_drifted")
    assert bool(caveats) == bool(flagged)
    for caveat in caveats:
        evidence = caveat.evidence["time_after_over_before"]
        assert {
            int(key.split("/")[2].removeprefix("round")): of for key, of in evidence.items()
        } == {k: {"Python loop": pytest.approx(r)} for k, r in flagged.items()}
        assert f"before in {len(flagged)} of 3 sessions, by" in caveat.sentence
        for k, ratio in flagged.items():
            told = percent(ratio - 1, signed=True)
            assert f"fit round {k}: Python loop {told}" in caveat.sentence


@PROPERTY
@given(broken=st.dictionaries(st.integers(0, 3), st.sampled_from(["none", "failed", "moved"])))
def test_a_session_without_a_good_canary_is_reported_and_never_flagged(tmp_path, broken):
    project = quiet_project(tmp_path)
    for index, how in broken.items():
        project.canaries[index]["python_loop_ms"] = 90.0
        if how == "failed":
            project.canaries[index].update(status="timeout", reason="30 s")
        if how == "moved":
            project.canaries[index]["machine_id"] = "m2"
        if how == "none":
            project.canaries[index] = None
    rounds = [k for k in (1, 2, 3) if {k - 1, k} & broken.keys()]
    caveats = collect(project.load())
    assert "session_drifted" not in [caveat.id for caveat in caveats]
    unknown = [caveat for caveat in caveats if caveat.id == "drift_unknown"]
    assert len(unknown) == bool(broken)
    for caveat in unknown:
        if len(rounds) == 3 and all(broken.get(k) == "none" for k in range(4)):
            assert "No fixed work was timed" in caveat.sentence
            continue
        assert [key.split("/")[2] for key in caveat.evidence["sessions"]] == [
            f"round{k}" for k in rounds
        ]
        assert f"for {len(rounds)} of 3 sessions" in caveat.sentence
        reasons = {
            "none": "was not measured",
            "failed": "timeout: 30 s",
            "moved": "another machine",
        }
        for index, how in broken.items():
            near = [(index, "after")] * (index > 0) + [(index + 1, "before")] * (index < 3)
            for number, when in near:
                of_round = rf"round {number}: [^;]*the one {when} it [^;]*{reasons[how]}"
                assert re.search(of_round, caveat.sentence)


def test_runs_whose_session_was_lost_are_named(quiet):
    quiet.save()
    next((quiet.folder / "results/blocks").rglob("round2.json")).unlink()
    (caveat,) = (c for c in collect(load_results(quiet.plan_path)) if c.id == "drift_unknown")
    assert "for 2 runs of which no session is kept (every cell)" in caveat.sentence


@PROPERTY
@given(
    swapped=st.floats(0, 3),
    load=st.floats(0, 6),
    throttled=st.integers(0, 2),
    low=st.floats(2000, 3000),
    middle=st.floats(2700, 3000),
)
def test_a_reading_of_the_monitor_speaks_from_its_threshold_on(
    tmp_path, swapped, load, throttled, low, middle
):
    project = quiet_project(tmp_path)
    reading = clock(min(low, middle), middle, 3000)
    said = {"swapped_mib": swapped, "load_max": load, "throttled": throttled}
    record("monitor", frequency_mhz=reading, **said)(project)
    expected = {
        "swapped_while_timed": swapped >= 1,
        "busy_while_timed": load > 4,  # two cores
        "throttled": throttled > 0,
        "clocks_changed": 1 - min(low, middle) / 3000 > 0.05,
        "clocks_differ": middle < 0.95 * 3000,
    }
    caveats = collect(project.load())
    assert sorted(caveat.id for caveat in caveats) == sorted(n for n, on in expected.items() if on)
    for caveat in caveats:
        if caveat.id == "busy_while_timed":
            assert f"{load / 2:.2f}" in caveat.sentence
        if caveat.id == "throttled":
            assert f"up to {throttled} thermal" in caveat.sentence


@PROPERTY
@given(errors=st.lists(st.floats(-0.02, 0.02), max_size=3))
def test_the_harness_error_has_a_caveat_beyond_half_a_percent(tmp_path, errors):
    assume(all(abs(abs(error) - 0.005) > 1e-9 for error in errors))  # there rounding decides
    project = quiet_project(tmp_path)
    measured = {n: n * (1 + e) for n, e in zip((2.0, 20.0, 200.0), errors, strict=False)}
    project.self_test["known_steps"] = [
        {"nominal_ms": nominal, "measured_ms": ms, "steps": 50, "runs_ms": [ms] * 3}
        for nominal, ms in measured.items()
    ]
    errors_of = {f"{nominal:g} ms": ms / nominal - 1 for nominal, ms in measured.items()}
    wrong = {name: error for name, error in errors_of.items() if abs(error) > 0.005}
    caveats = collect(project.load())
    assert [caveat.id for caveat in caveats] == ["harness_error"] * bool(wrong)
    for caveat in caveats:
        assert caveat.evidence["error"] == pytest.approx(wrong)
        for name, error in wrong.items():
            told = re.escape(percent(error, signed=True))
            assert re.search(rf"{name} as [\d.]+ ms, {told}", caveat.sentence)


@PROPERTY
@given(
    a=st.lists(st.floats(9, 11), min_size=1, max_size=4),
    b=st.lists(st.floats(9, 11), min_size=1, max_size=4),
)
def test_the_same_cell_differs_when_its_interval_misses_one(tmp_path, a, b):
    project = quiet_project(tmp_path)
    runs = [{str(k): value for k, value in enumerate(times, 1)} for times in (a, b)]
    project.self_test["same_cell"].update(a_ms=runs[0], b_ms=runs[1])
    ratio = paired_ratio(*({int(k): v for k, v in times.items()} for times in runs))
    outside = bool(ratio.interval) and not ratio.interval.low <= 1 <= ratio.interval.high
    wide = bool(ratio.interval) and not outside and ratio.interval.half_width > 0.02
    caveats = collect(project.load())
    expected = ["same_cell_differs"] * outside + ["harness_uncertain"] * wide
    assert [caveat.id for caveat in caveats] == expected
    for caveat in caveats[:outside]:
        called = not 1 / 1.02 <= ratio.interval.low <= 1.02 and not (
            1 / 1.02 <= ratio.interval.high <= 1.02
        )
        assert ("would call that a difference" in caveat.sentence) == called
        assert f"ratio {ratio.value:.4f} [{ratio.interval.low:.4f}" in caveat.sentence


@PROPERTY
@given(on=st.lists(st.floats(4.9, 5.1), min_size=1, max_size=5))
def test_the_monitor_costs_beyond_half_a_percent(tmp_path, on):
    project = quiet_project(tmp_path)
    project.self_test["monitor"].update(on_ms=on, off_ms=[5.0] * len(on))
    ratios = [time / 5 for time in on]
    cost, ends = geometric_mean(ratios) - 1, log_t_interval(ratios)
    shown = ends is not None and ends.low > 1  # noise is no cost
    wide = ends is not None and ends.low <= 1 <= ends.high and ends.half_width > 0.005
    costs = shown and cost > 0.005
    caveats = collect(project.load())
    expected = ["monitor_costs"] * costs + ["harness_uncertain"] * wide
    assert [caveat.id for caveat in caveats] == expected
    for caveat in caveats[:costs]:
        assert f"Steps take {percent(cost, signed=True)}" in caveat.sentence


@PROPERTY
@given(ratio=st.floats(0.8, 1.3), share=st.floats(0, 1))
def test_observer_and_host(tmp_path, ratio, share):
    project = quiet_project(tmp_path)

    def change(r):
        step_ns = r["timing"]["blocks"][0]["elapsed_ns"] / 10
        r["timing"]["synchronised_ns"] = [int(step_ns * ratio)] * 5
        r["host_overhead"] = {"share": share, "method": "profiler", "steps": 3}

    project.change(change, TORCH)
    results = project.load()
    cell = results.rows[0].cells[1]
    assert observer_ratio(cell) == pytest.approx(ratio, rel=1e-6)
    seen = observer_ratio(cell)
    *_, (what, _, said, _) = self_test(results).lines  # of the other cell it is 1
    numbers = [float(number) for number in re.findall(r"\d+\.\d+", said)]
    assert numbers == pytest.approx([(1 + seen) / 2, *sorted((1, seen))], abs=1e-4)
    assert what.endswith("2 cells")
    expected = {"observer_effect": seen > 1.05, "host_overhead_high": share >= 0.5}
    caveats = collect(results)
    assert {caveat.id for caveat in caveats} == {name for name, on in expected.items() if on}
    for caveat in caveats:
        if caveat.id == "observer_effect":
            assert f"Keras 3 (PyTorch) {seen:.2f}×" in caveat.sentence
            border = percent((seen - 1) / 9)  # blocks are of ten steps, single ones of one
            assert f"in which up to {border} is the fences" in caveat.sentence


WARNINGS = {
    "tf32": "TensorFloat32 tensor cores for float32 matrix multiplication not enabled.",
    "recompilation": "torch._dynamo hit config.recompile_limit (8)",
    "graph_break": "Graph break from `Tensor.item()`, consider capture_scalar_outputs",
    "fallback": "skipping cudagraphs due to mutated inputs (1 instances)",
    "slow_compilation": "slow_operation_alarm.cc:73: Very slow compile?",
    "other": "DeprecationWarning: `np.foo` is deprecated, " + 50 * "and it will be gone, ",
}


@PROPERTY
@given(printed=st.lists(st.tuples(st.sampled_from([JAX, TORCH]), st.sampled_from(list(WARNINGS)))))
def test_one_caveat_per_kind_of_warning_with_its_cells(tmp_path, printed):
    project = quiet_project(tmp_path)
    for column, kind in printed:
        project.change(lambda r, k=kind: r["warnings"].append(WARNINGS[k]), column, run=1)
    caveats = collect(project.load())
    by_kind = {caveat.evidence["kind"]: caveat for caveat in caveats}
    assert set(by_kind) == {kind for _, kind in printed} and len(by_kind) == len(caveats)
    for kind, caveat in by_kind.items():
        cells = {cell.column.name for cell in caveat.cells}
        assert cells == {column for column, other in printed if other == kind}
        assert WARNINGS[kind][:160] in caveat.sentence and len(caveat.sentence) < 400
        assert caveat.severity.name.lower() == texts_of(KINDS)[kind]["severity"]


def test_a_canary_that_others_disturbed_shows_no_drift(quiet):
    CONDITIONS["measured_on_cpu"](quiet)
    quiet.canaries[1].update(python_loop_ms=52.0)
    assert {*ids(quiet)} == {"measured_on_cpu", "session_drifted"}
    quiet.canaries[1].update(foreign_cpu_share=0.3)
    assert {*ids(quiet)} == {"measured_on_cpu", "drift_unknown"}
    (caveat,) = found(quiet, "drift_unknown")
    assert "was disturbed: others used 30" in caveat.sentence


def test_few_fenced_steps_tell_nothing_and_many_cells_are_corrected_for(quiet):
    """p of 1.6 % over three runs is enough for one cell, and not for one of two."""

    def fenced(r, number=5):
        step_ns = r["timing"]["blocks"][0]["elapsed_ns"] / 10
        factor = (1.10, 1.15, 1.20)[r["cell"]["run"] - 1]
        r["timing"]["synchronised_ns"] = [int(step_ns * factor)] * number

    quiet.change(fenced, TORCH)
    other, cell = quiet.load().rows[0].cells[:2]
    assert observed_longer([cell]) == {cell} and observed_longer([cell, other]) == set()
    quiet.change(lambda r: fenced(r, 4), TORCH)
    assert observer_ratio(quiet.load().rows[0].cells[1]) is None
