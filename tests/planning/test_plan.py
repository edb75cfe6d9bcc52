"""Identities, digests of sources, the order of the runs, and their number."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from millistep.measure.protocol import PROTOCOLS
from millistep.planning import changes
from millistep.planning.config import lay_over
from millistep.planning.runs import cost, positions, until_decided

from ..shared import SMALL_NETS, put
from .records import identities, record_text
from .test_config import plan, refused


def test_the_published_batch_sizes_are_the_pages():
    rows = plan(scale="paper").document()["rows"]
    sizes = {}
    for row in rows:
        sizes.setdefault(row["title"], []).append(row["batch_size"])
    assert sizes == {
        **{"SegmentAnything fit": [1], "SegmentAnything predict": [4]},
        **{"Stable Diffusion fit": [8], "Stable Diffusion predict": [13]},
        **{"BERT fit": [32], "BERT predict": [256]},
        **{"Gemma fit": [8], "Gemma generate": [32, 1]},
        **{"Mistral fit": [8], "Mistral generate": [32, 1]},
    }


def test_limits_names_and_the_order_of_keys_are_no_part_of_an_identity():
    config = {"limits": {"time_s": 5, "memory_gib": 3}}
    same = {**config, "limits": {"memory_gib": 1, "time_s": 7}}
    assert [r.identity for r in plan(**config).runs] == [r.identity for r in plan(**same).runs]


def test_only_the_first_run_of_a_cell_is_probed_at_another_batch_size():
    runs = plan(runs=2, models={"bert": {"fit": [6, 1]}}).runs
    probes = {(r.row.batch_size, r.number): json.loads(r.identity)["probes"] for r in runs}
    found = {of: [probe["batch_size"] for probe in probes[of]] for of in probes}
    assert found == {(6, 1): [3], (1, 1): [2], (6, 2): [], (1, 2): []}


def test_a_run_of_a_regression_check_has_as_many_windows_as_two_of_the_table():
    asked = {"scale": "laptop", "runs": 2, "models": {"bert": {"fit": 6}}}
    facts = [json.loads(run.identity) for run in plan(answer={"looks": 3}, **asked).runs]
    windows = {each["windows"] for each in facts}
    assert windows == {2 * PROTOCOLS["laptop"].windows} == {20}
    assert not any("windows" in json.loads(run.identity) for run in plan(**asked).runs)


def test_extras_belong_to_the_first_run_whatever_the_number_of_runs():
    about = {"scale": "laptop", "models": {"gemma": {"generate": 4}}}
    runs = plan(runs=3, seed=7, **about).runs
    assert {run.number for run in runs} == {1, 2, 3}
    for run in runs:
        facts, first = json.loads(run.identity), run.number == 1
        assert facts["extras"] == (["legacy", "profile"] if first else [])
        assert len(facts["probes"]) == (4 if first else 0)
        # The first run has the seed of the configuration, each other one its own.
        assert facts["seed"] == {1: 7, 2: 8, 3: 9}[run.number]
    unpublished = plan(runs=1, models={"mnist_dense": {"fit": 32}}, folders=[SMALL_NETS]).runs[0]
    assert json.loads(unpublished.identity)["extras"] == ["profile"]
    one, five = ({run.record: run.identity for run in plan(runs=n).runs} for n in (1, 5))
    assert one.items() <= five.items()


@given(
    frameworks=st.sets(st.sampled_from("abcdef"), min_size=1),
    rows=st.integers(1, 5),
    runs=st.integers(1, 5),
    seed=st.integers(0, 2**31),
)
def test_each_round_visits_every_row_and_framework_once(frameworks, rows, runs, seed):
    names, runs_of = (dict.fromkeys(range(rows), each) for each in (frameworks, runs))
    order = positions(names, runs_of, seed)
    assert sorted(order.values()) == list(range(rows * len(frameworks) * runs))
    entries = sorted(order, key=order.get)
    size = len(frameworks)
    for block in range(rows * runs):
        part = entries[block * size : (block + 1) * size]
        assert {framework for _, framework, _ in part} == frameworks
        assert len({(row, run) for row, _, run in part}) == 1
    assert [run for _, _, run in entries] == sorted(run for _, _, run in entries)


@given(names=st.sets(st.sampled_from("abcdefg"), min_size=1), seed=st.integers(0, 2**31))
def test_each_framework_has_each_place_in_a_round_once_in_as_many_rounds(names, seed):
    runs, size = 2 * len(names), len(names)
    order = positions({0: names}, {0: runs}, seed)
    places = {(name, run): position % size for (_, name, run), position in order.items()}
    for first in (1, 1 + size):
        for name in names:
            assert {places[name, run] for run in range(first, first + size)} == {*range(size)}


def test_another_workload_or_more_rounds_change_no_order():
    one, other = positions({0: "abc"}, {0: 2}, seed=1), {0: "abc", 1: "abcdef"}
    both = [e for e in positions(other, {0: 5, 1: 5}, seed=1) if e[0] == 0 and e[2] <= 2]
    assert list(one) == both


def test_an_order_repeats_with_its_seed_alone():
    one, same, other = (positions({0: "abcdef"}, {0: 5}, seed) for seed in (1, 1, 2))
    assert one == same != other


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"{broken", "is not JSON"),
        (b"[]", "is not a JSON object"),
        (b"{}", "is no millistep.record/"),
        (record_text("5").encode()[:-40], "is not JSON"),
        (record_text("{}").encode("utf-16"), "is not UTF-8"),
        (record_text("{}", schema="millistep.record/99").encode(), "'millistep.record/99'"),
        (record_text("{}").replace('"timing":', '"time":').encode(), "lacks timing"),
        (record_text("5").encode(), "identity"),
        (100_000 * b"[", "is not JSON"),
    ],
)
def test_a_file_that_is_no_record_is_named_set_aside_and_measured_again(tmp_path, content, why):
    run = plan().runs[3]
    path = put(tmp_path / run.record, "")
    path.write_bytes(content)
    found = changes.reasons(plan(), tmp_path)
    ((name, reason),) = changes.unreadable(found)
    assert name == run.record and why in reason and "\n" not in reason
    assert path.read_bytes() == content
    for number in ("", "-2"):
        aside = Path(changes.set_aside(str(path)))
        assert aside.name == f"run1.json.unreadable{number}" and not path.exists()
        assert aside.read_bytes() == content
        path.write_bytes(content)


MODELS = {"bert": {"fit": 8, "predict": 32}, "gemma": {"generate": [4, 1]}}


def runs_by_row(**config):
    made = plan(scale="laptop", models=MODELS, **config)
    return {(row.model, row.task, row.batch_size): number for row, number in made.runs_of.items()}


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        ("default", (7, 7, 7, 7)),
        (4, (4, 4, 4, 4)),
        ({"bert": 9}, (9, 9, 7, 7)),
        ({"default": "default", "gemma": 2}, (7, 7, 2, 2)),
        ({"default": 2, "bert": {"fit": 5}, "gemma": {"generate": {1: 7}}}, (5, 2, 2, 7)),
        ({"gemma": {"generate": {"4": 1}}}, (7, 7, 1, 7)),  # as JSON has the keys
    ],
)
def test_a_model_a_task_or_a_batch_size_may_have_its_own_number(runs, expected):
    assert tuple(runs_by_row(runs=runs).values()) == expected


NO_SIZE = "no workload has the batch size '2'; allowed are 4, 1"


@pytest.mark.parametrize(
    ("runs", "words"),
    [
        ({"brt": 3}, "runs: no workload has the model 'brt'; allowed are bert, gemma"),
        (
            {"bert": {"fot": 3}},
            "runs.bert: no workload has the task 'fot'; allowed are fit, predict",
        ),
        ({"gemma": {"generate": {2: 3}}}, f"runs.gemma.generate: {NO_SIZE}"),
        ({"bert": 0}, "runs: {'bert': 0} is not allowed; allowed are 'default', 'auto', a whole"),
        ({"bert": {"fit": "many"}}, "is not allowed; allowed are"),
        ({}, "runs: {} is not allowed; allowed are"),
        (101, "runs: 101 is not allowed; allowed are"),
    ],
)
def test_what_names_no_row_is_one_line_with_what_is_allowed(runs, words):
    refused([words], runs_by_row, runs=runs)


def among(records, plan):
    """Records of a plan's runs, in order, that are among those of another plan."""
    return [run.record for run in plan.runs if run.record in records.records]


def test_more_runs_of_one_row_leave_all_other_runs_and_their_order_as_they_are():
    few = plan(scale="laptop", models=MODELS, runs=2)
    more = plan(scale="laptop", models=MODELS, runs={"default": 2, "bert": {"fit": 4}})
    assert identities(few).items() <= identities(more).items()
    added = identities(more).keys() - identities(few).keys()
    rows = {re.sub(r"/[^/]*/run\d+\.json$", "", path) for path in added if "/records/" in path}
    assert rows == {"results/records/laptop/bert/fit-b8"}
    assert among(few, more) == among(few, few)
    # ... also where the row has fewer than the others.
    less = plan(scale="laptop", models=MODELS, runs={"default": 2, "bert": {"fit": 1}})
    assert among(less, less) == among(less, few)


def test_a_number_of_the_command_line_takes_the_place_of_the_files_and_of_snakemakes_own_reading():
    config = {"models": {"bert": 1}, "runs": {"bert": {"fit": {"8": "5", 8: 4}}}, "seed": 1}
    lay_over(config, {"runs": {"bert": {"fit": {8: 5}}}, "seed": 2})
    assert config == {"models": {"bert": 1}, "runs": {"bert": {"fit": {"8": 5}}}, "seed": 2}
    lay_over(config, {"runs": 7})
    assert config["runs"] == 7 and list(config) == ["models", "runs", "seed"]


def test_auto_adds_rounds_to_undecided_workloads_and_counts_the_looks(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    models = {"bert": {"fit": [4, 8]}, "gemma": {"fit": 2}}
    first = plan(models=models, runs="auto", scale="laptop")
    looks = {row["looks"] for row in first.document()["rows"]}
    assert ({*first.runs_of.values()}, looks) == ({7}, {1})
    states = [("bert", 4, 7, True), ("bert", 8, 9, False), ("gemma", 2, 11, True)]
    of = {"scale": "laptop", "accelerator": first.accelerator}
    last = [
        {"model": m, "task": "fit", "batch_size": b, "rounds": n, "undecided": u}
        for m, b, n, u in (*states, ("gone", 1, 3, True))
    ]
    put(tmp_path / "results/summary.json", json.dumps({"of": of, "workloads": last}))
    again = plan(models=models, runs="auto", scale="laptop")
    assert [*again.runs_of.values()] == [9, 9, 11]
    assert [row["looks"] for row in again.document()["rows"]] == [2, 2, 3]
    assert {*plan(models=models, runs="auto", scale="smoke").runs_of.values()} == {1}
    assert {row["looks"] for row in plan(models=models, runs=5).document()["rows"]} == {0}


def test_the_cost_of_more_rounds_counts_undecided_workloads_that_may_have_more():
    one = {"undecided": True, "rounds": 3, "round_s": 60.0}
    full, decided = one | {"rounds": 11}, one | {"undecided": False}
    said = "1 workload is inconclusive: 2 more rounds of it take about 2 min"
    assert cost([one, full, decided]).startswith(said)
    assert cost([one, one]).startswith("2 workloads are inconclusive: 2 more rounds of them take")
    assert cost([full, decided]) == ""


@pytest.mark.parametrize(
    "content", ["{", "[]", '{"of": {}, "workloads": [{"rounds": 5}]}', '{"of": {}, "workloads": 3}']
)
def test_auto_starts_from_the_default_without_a_summary_that_can_be_read(tmp_path, content):
    rows = plan(models={"bert": {"fit": 4}}).rows
    assert [*until_decided(3, rows, put(tmp_path / "summary.json", content), {}).values()] == [3]
