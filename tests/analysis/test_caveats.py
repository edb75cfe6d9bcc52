"""Every rule speaks exactly when its condition holds, and what it says is true of the data."""

import json
import re

import pytest
from conditions import CONDITIONS, counted_differently, fed, fed_differently, gpu_readings
from hypothesis import given
from hypothesis import strategies as st
from quiet_table import JAX, PROPERTY, TORCH, found, ids, parity, quiet_project, record
from time_changes import slow_fixed_probe, slowed, slower_later, step_ns

from analysis.caveats import Severity, collect
from analysis.caveats.core import RULES, Changes, caveats_json
from analysis.caveats.groups import grouped, to_markdown
from analysis.caveats.thresholds import COPY_SHARE
from analysis.formats.strict_json import validate
from analysis.topics.legacy.compute import legacy_ratio


def test_every_rule_has_its_condition():
    assert RULES.keys() == CONDITIONS.keys()


def test_what_may_stand_on_the_first_page_says_what_to_do():
    changing = (Changes.ORDER, Changes.ELSEWHERE)
    first = [
        r for r in RULES.values() if r.severity > Severity.NOTE and r.read_as.changes in changing
    ]
    assert first and all(rule.read_as.remedy for rule in first)


@pytest.mark.parametrize("name", CONDITIONS)
def test_a_condition_gives_its_caveat_and_no_other(quiet, name):
    CONDITIONS[name](quiet)
    assert ids(quiet) == [name]


INDEPENDENT = sorted(
    CONDITIONS.keys()
    - {"single_run", "unsupported", "not_measured", "own_interpreter"}
    - {"trainings_differ"}  # other trainings
    - {"failed_runs", "stale_records", "wide_interval", "scattered_blocks", "few_steps"}
    - {"inconsistent_runs", "warm_up_left_out"}
    - {"not_steady", "steady_state_not_tested", "overhead_bound", "plausibility_not_tested"}
    - {"device_shared"}  # nothing is concluded from such a cell
    - {"legacy_differs", "fixed_cost_dominates", "observer_effect"}
    # these set the same reading, or say why it is not there
    - {"not_monitored", "clocks_changed", "clocks_differ", "not_self_tested", "drift_unknown"}
    - {"several_nodes", "rounds_lost"}
)


@PROPERTY
@given(chosen=st.sets(st.sampled_from(INDEPENDENT)))
def test_conditions_together_give_their_caveats_together(tmp_path, chosen):
    project = quiet_project(tmp_path)
    for name in sorted(chosen):
        CONDITIONS[name](project)
    assert sorted(ids(project)) == sorted(chosen)


def versions_of_cuda(project):
    for column, version in ((JAX, "12.9"), (TORCH, "13.0")):
        project.change(lambda r, v=version: r["parity"].update(cuda_version=v), column)


def killed_session(project):
    (number,) = {r["session"]["id"] for r in project.records.values() if r["cell"]["run"] == 2}
    project.ended[number] = "killed"


def fence_within_scatter(r):
    factor = (0.9, 1.1, 1.3)[r["cell"]["run"] - 1]
    r["timing"]["synchronised_ns"] = [int(factor * step_ns(r))] * 5


@pytest.mark.parametrize(
    ("change", "name", "part"),
    [
        (slowed, "not_steady", "settle (BERT fit: Keras 3 (PyTorch) slowdown in 2 of 3 runs)"),
        (
            lambda p: p.change(slower_later, column=TORCH),
            "not_steady",
            "Keras 3 (PyTorch) slowdown, by 2.6\u00a0% from half to half of every run)",
        ),
        (slow_fixed_probe, "fixed_cost_dominates", "BERT fit: Keras 3 (PyTorch) 80\u00a0%"),
        (
            versions_of_cuda,
            "parity_differs",
            "BERT fit: columns differ in cuda version (12.9 in Keras 3 (JAX); 13.0 in "
            "Keras 3 (PyTorch)), so part of a difference may come from that.",
        ),
        (
            lambda p: p.change(lambda r: r.update(session=None)),
            "drift_unknown",
            "No fixed work was timed between the runs",
        ),
        (
            killed_session,
            "drift_unknown",
            "for 1 of 3 sessions (of their canaries, BERT fit round 2: the one after it was not",
        ),
        (
            record("monitor", gpu=gpu_readings(throttle_reasons=["power cap", "hot"])),
            "throttled",
            "Keras 3 (PyTorch) (power cap, hot)",
        ),
        (
            lambda p: p.self_test.update(
                status="timeout", reason="120 s", same_cell=None, monitor=None
            ),
            "not_self_tested",
            "ended as timeout: 120 s",
        ),
        (parity(graph_breaks=2), "graph_broken", "BERT fit: Keras 3 (PyTorch) 2 times)"),
        (counted_differently, "peaks_counted_differently", "Keras 3 (JAX): from the start"),
    ],
)
def test_a_sentence_names_what_was_found(quiet, change, name, part):
    change(quiet)
    (caveat,) = found(quiet, name)
    assert part in caveat.sentence


@pytest.mark.parametrize(
    "change",
    [
        lambda p: None,
        lambda p: p.change(lambda r: r["parity"].update(cuda_version=None)),
        lambda p: p.change(lambda r: r.update(probes=[])),
        lambda p: p.change(lambda r: r["memory"].update(peak_device_counts="the same")),
        lambda p: p.change(fence_within_scatter, TORCH),
        # what one column alone reports is no difference
        parity(graph_breaks=0, jit_compile=True),
        # nothing was copied to a device
        lambda p: [fed(p, way, c) for c, way in ((TORCH, "host"), (JAX, "host, prefetched"))],
    ],
)
def test_of_what_shows_nothing_nothing_is_said(quiet, change):
    change(quiet)
    assert ids(quiet) == []
    assert to_markdown([]) == "No caveat applies.\n"


def test_of_readings_that_scatter_one_sentence_says_what_they_could_not_show(quiet):
    late = {"measured_ms": 20.2, "runs_ms": [20.2, 20.01, 20.9]}
    quiet.self_test["known_steps"][1].update(late)
    quiet.self_test["monitor"].update(on_ms=[4.97, 5.04, 5.125], off_ms=[5.0] * 3)
    assert ids(quiet) == ["harness_uncertain"]
    (caveat,) = found(quiet, "harness_uncertain")
    parts = "5.9\u00a0% for steps of 20 ms and 3.9\u00a0% for the cost of the monitor."
    assert caveat.sentence == f"The self-test could not show an error of less than {parts}"
    assert caveat.severity is Severity.NOTE


def test_the_published_arithmetic_within_our_own_blocks_is_no_other_method(quiet):

    def change(r):
        blocks = r["timing"]["blocks"]
        blocks[3]["elapsed_ns"] = round(1.5 * blocks[3]["elapsed_ns"])
        r["timing"]["legacy"]["step_ms"] = 1.2 * step_ns(r) / 1e6

    quiet.change(change, TORCH)
    assert ids(quiet) == ["scattered_blocks"]


@PROPERTY
@given(
    share=st.floats(0, 0.4),
    swapped=st.floats(0, 3),
    load=st.floats(0, 4),
    ratio=st.floats(0.8, 1.25),
)
def test_thresholds_speak_exactly_from_their_value_on(tmp_path, share, swapped, load, ratio):
    project = quiet_project(tmp_path)
    record("load", foreign_cpu_share=share, swapped_mib=swapped, before=load)(project)
    project.change(lambda r: r["timing"]["legacy"].update(step_ms=step_ns(r) / 1e6 * ratio), TORCH)
    results = project.load()
    legacy = legacy_ratio(results.rows[0].cells[1])
    assert legacy == pytest.approx(ratio)
    counts = share < 0.25  # of a run that others disturbed more two others are left
    expected = {
        "foreign_load": share >= 0.05 and counts,
        "swapped": swapped >= 1 and counts,
        "busy_before": load > 2 and counts,  # two cores
        "legacy_differs": max(legacy, 1 / legacy) > 1.05,
    }
    caveats = {caveat.id: caveat for caveat in collect(results)}
    assert caveats.keys() == {name for name, on in expected.items() if on}
    if "foreign_load" in caveats:
        severity = Severity.CRITICAL if share >= 0.25 else Severity.WARNING
        assert caveats["foreign_load"].severity is severity


def test_a_run_found_unsupported_counts_as_failed_only_beside_others(quiet):
    quiet.fail("unsupported", "no such layer", column=TORCH, run=1)
    assert ids(quiet) == ["failed_runs"]
    quiet.fail("unsupported", "no such layer", column=TORCH)
    assert ids(quiet) == ["unsupported"]


@pytest.mark.parametrize(
    ("link", "gb_per_s", "part"),
    [
        ("generation 4, 16 lanes", 16 * 1.969, "PCIe (generation 4, 16 lanes, 31.5 GB/s)"),
        ("generation 5, 8 lanes", 8 * 3.938, "PCIe (generation 5, 8 lanes, 31.5 GB/s)"),
        (None, 16 * 0.985, "15.8 GB/s; assumed, it is not on the machine's card)"),
        ("generation 99, 16 lanes", 16 * 0.985, "15.8 GB/s; assumed"),
    ],
)
def test_a_copy_is_judged_by_the_link_of_the_machine(quiet, link, gb_per_s, part):
    fed_differently(quiet)
    facts = [{"name": "PCIe", "value": link}]
    quiet.machine_card["sections"].append({"title": "GPU", "facts": facts})
    (caveat,) = collect(quiet.load())
    assert caveat.evidence["gb_per_s"] == pytest.approx(gb_per_s)
    fastest_ms = min(step_ns(r) for r in quiet.records.values()) / 1e6
    share = 5e6 / gb_per_s / 1e6 / fastest_ms
    assert caveat.evidence["share_of_fastest_step"] == pytest.approx(share, rel=0.1)
    for text in (part, "pinned memory, copied in the step in Keras 3 (PyTorch)", "the 5 MB of one"):
        assert text in caveat.sentence
    # one that costs nothing noticeable is no caveat
    least = 5_000_000 * COPY_SHARE / caveat.evidence["share_of_fastest_step"]
    for size, number in ((1.01 * least, 1), (0.99 * least, 0), (None, 0)):
        for column, way in ((JAX, "copied ahead"), (TORCH, "copied")):
            fed(quiet, way, column, size and int(size))
        assert len(collect(quiet.load())) == number


def test_of_equal_severity_what_changes_more_of_a_conclusion_comes_first(quiet):
    for name in ("swapped", "trainings_missing", "parity_differs"):
        CONDITIONS[name](quiet)
    assert ids(quiet) == ["parity_differs", "trainings_missing", "swapped"]


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
