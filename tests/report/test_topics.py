"""Pairwise comparisons, padding, fixed cost, break-even and the studies' topics, by hand."""

import math
from pathlib import Path

import pandas as pd
import pytest

from millistep.analysis.frames import RUN
from millistep.analysis.topics import (
    batch_sizes,
    break_even,
    padding,
    pair_means,
    pairs,
    probes,
    topics,
)
from tests.report.made import TITLES, configuration, made, probe

BERT, GEMMA = ("bert", "fit", 4), ("gemma", "generate", 1)
JAX, TORCH, EAGER, COMPILED = "keras3-jax", "keras3-torch", "pytorch-eager", "pytorch-compiled"
STUDIES = Path(__file__).parents[2] / "studies"


def test_pairs_are_frameworks_that_differ_in_one_thing_and_settings():
    tf32 = configuration("pytorch-eager+tf32", precision="tf32")
    data = made(
        {BERT: {EAGER: 16.0, COMPILED: 8.0, "pytorch-eager+tf32": 16.0}},
        columns=[configuration(EAGER), configuration(COMPILED), tf32],
    )
    found = pairs.table(data).set_index("new")
    assert found["setting"].to_dict() == {COMPILED: "framework", "pytorch-eager+tf32": "precision"}
    assert found.loc[COMPILED, "speedup"] == pytest.approx(2.0, rel=2e-2)
    assert found["verdict"].tolist() == ["faster", "tied"]
    first, second = pairs.sentences(pairs.table(data))
    assert first == "What does compiling change? Faster in 1 (bert fit) of 1 comparison."
    assert second.endswith("Tied in 1 of 1 comparison.")


def test_every_verdict_of_a_question_is_counted():
    data = made(
        {
            BERT: {EAGER: 16.0, COMPILED: 8.0},
            GEMMA: {EAGER: 8.0, COMPILED: 16.0},
            ("gemma", "generate", 4): {EAGER: 8.0, COMPILED: 8.0},
        },
        runs=5,
    )
    assert pairs.sentences(pairs.table(data)) == [
        "What does compiling change? Faster in 1 (bert fit); "
        "slower in 1 (gemma generate, batch 1); and tied in 1 of 3 comparisons."
    ]
    table = pairs.table(data).assign(verdict="inconclusive")
    assert pairs.sentences(table) == [
        "What does compiling change? Inconclusive in 3 of 3 comparisons."
    ]


def test_workloads_with_other_numbers_of_parameters_are_shown_and_not_counted():
    def change(record):
        if record["cell"]["column"] == COMPILED and record["cell"]["model"] == "bert":
            record["work"]["parameters"] = 2000

    times = {BERT: {EAGER: 16.0, COMPILED: 8.0}, GEMMA: {EAGER: 8.0, COMPILED: 8.0}}
    table = pairs.table(made(times, change=change)).set_index("model")
    assert table.loc["bert", "speedup"] == pytest.approx(2.0, rel=2e-2)
    assert table.loc["bert", "excluded"] == "different numbers of parameters"
    assert pairs.sentences(table) == ["What does compiling change? Tied in 1 of 1 comparison."]
    assert pair_means.table(made(times, change=change))["workloads"].tolist() == [1]


def test_a_missing_cell_is_excluded_with_its_reason():
    found = pairs.table(made({BERT: {EAGER: None, COMPILED: 8.0}})).iloc[0]
    assert found["verdict"] is None and "PyTorch (eager): unsupported" in found["excluded"]


def test_means_weigh_workloads_alike_and_have_a_table_of_their_own():
    data = made({BERT: {EAGER: 16.0, COMPILED: 8.0}, GEMMA: {EAGER: 8.0, COMPILED: 8.0}})
    (line,) = pair_means.table(data).itertuples()
    assert line.speedup == pytest.approx(math.sqrt(2), rel=2e-2) and line.workloads == 2
    assert set(pairs.table(data)["model"]) == {"bert", "gemma"}
    (text,) = pair_means.sentences(pair_means.table(data))
    assert text.endswith("] on average over 2 workloads.")
    times = {BERT: {EAGER: 16.0, COMPILED: 8.0}, GEMMA: {EAGER: 8.0, COMPILED: 8.0}}
    (text,) = pair_means.sentences(pair_means.table(made(times, runs=1)))
    assert text.endswith("% on average over 2 workloads, in one round without an interval.")


def test_the_share_of_padding_is_recovered_from_a_known_call():
    """t = 2 + 1 n + 0.1 n L: of n = 10 and L = 20, c n L is 20 of 32 ms."""
    kinds = [(10, 20), (5, 20), (10, 40), (5, 40)]
    run = pd.DataFrame(kinds, columns=padding.KIND, dtype=float)
    run["ms"] = 2 + run["new_tokens"] + 0.1 * run["new_tokens"] * run["max_length"]
    run = run.assign(calls=3, spent_ms=3 * run["ms"], **dict.fromkeys(RUN[1:], 1))
    whole, more = run.assign(model="all"), run.assign(model="more")
    runs = [whole, run.head(2).assign(model="two kinds"), more]
    found = padding.padding_shares(pd.concat([*runs, runs[2].head(1)])).droplevel(RUN[1:])
    assert found.to_dict() == pytest.approx({"all": 20 / 32, "more": 20 / 32})


@pytest.mark.parametrize(
    ("high", "runs", "text"),
    [
        (0.13, 3, "padding is at most 13\u00a0% of a JAX call"),
        (0.13, 1, "padding is at most 13\u00a0% of a JAX call (share from one run)"),
        (-0.2, 3, "no time of a JAX call is found to be padding"),
        (1.2, 3, "the noise leaves open how much of a JAX call is padding"),
    ],
)
def test_a_share_of_padding_in_words(high, runs, text, six):
    assert padding.padded_share(high, "JAX", runs) == text
    table = padding.table(six).assign(high=high, runs=runs, title="JAX")
    assert all(text in sentence for sentence in padding.sentences(table))


def test_padding_is_compared_on_the_same_device_only(six):
    assert padding.sentences(padding.table(six))
    own = configuration("keras3-jax+cuda", accelerator="cuda")
    data = made({GEMMA: {TORCH: 80.0, "keras3-jax+cuda": 8.0}}, columns=[configuration(TORCH), own])
    cells = padding.padded(data)
    assert cells.groupby(padding.LIKE).size().tolist() == [1, 1]


def test_the_fixed_share_of_a_step_is_the_intercept():
    """8 ms at batch 4 and 12 ms at batch 8: 1 ms a sample, 4 of 8 ms are fixed."""
    data = made({BERT: {JAX: 8.0, TORCH: 9.0}}, change=lambda record: probe(record, 1.5))
    found = batch_sizes.table(data)
    assert found["share"].tolist() == pytest.approx([0.5, 0.5])


def test_other_sizes_are_compared_with_the_settled_step():
    """Four slow windows at the start are in neither the table nor the fixed share."""

    def change(record):
        probe(record, 1.5)
        (window,) = record["timing"]["windows"]
        slow = [window | {"elapsed_ns": 2 * window["elapsed_ns"]}] * 4
        record["timing"]["windows"] = slow + [window] * 12

    data = made({BERT: {JAX: 8.0, TORCH: 9.0}}, change=change)
    assert set(data.runs["state"]) == {"warm-up"}
    assert batch_sizes.table(data)["share"].tolist() == pytest.approx([0.5, 0.5])
    own = probes.timed(data).query("probe == 0").merge(data.runs, on=RUN)
    assert (own["elapsed_ns"] / own["steps_x"] / 1e6).tolist() == pytest.approx(
        [*own["ms_per_step"]]
    )


def test_a_fixed_share_says_whether_it_is_from_one_run():
    names = ["title", "workload", "share", "low", "runs"]
    lines = [("JAX", "bert fit", 0.6, 0.6, 1), ("PyTorch", "bert fit", 0.9, 0.9, 1)]
    found = pd.DataFrame([*lines, ("Keras 2", "bert fit", 0.2, 0.2, 1)], columns=names)
    assert batch_sizes.sentences(found) == [
        "In 2 of 3 cells (one run each), at least half of the step does not grow with the batch; "
        "the largest share is 90\u00a0%, of PyTorch in bert fit."
    ]
    (text,) = batch_sizes.sentences(found[:1].assign(runs=3))
    assert text.startswith("In 1 of 1 cell, at least half of the step")
    assert batch_sizes.sentences(found[2:]) == []


def test_the_shorter_step_makes_up_for_its_start():
    """It starts 10 s later and gains 8 ms a step: ahead after 1,251 steps."""
    steps = break_even.overtaken(*(pd.Series([value]) for value in (10.0, 0.008, 2.0)))
    assert steps.tolist() == [1251]
    never = break_even.overtaken(*(pd.Series([value]) for value in (10.0, 0.008, 1.0)))
    assert never.isna().all()


def test_break_even_counts_pairs_whose_steps_differ():
    names = ["faster", "caches", "counted_from", "steps", "ratio_low"]
    lines = [
        ("a", "none", "first step", 100, 0.9),
        ("b", "warm", "first step", 1, 1.1),
        ("b", "cold", "first step", 100, 1.1),
        ("b", "cold", "process start", 200, 1.1),
        ("c", "none", "first step", 1, 1.2),
        ("d", "none", "first step", 100, None),
    ]
    found = pd.DataFrame(lines, columns=names)
    found = found.assign(model="m", task="fit", batch_size=1, slower="z")
    (text,) = break_even.sentences(found)
    assert text.startswith("In 1 of 2 pairs with different steps, the configuration with the")
    assert text.endswith("; it is ahead after 100 steps.")
    more = found.assign(faster=["a", "b", "b", "b", "c", "d"], steps=[1, 1, 90, 1, 110, 1])
    (text,) = break_even.sentences(more)
    assert text.endswith("starts later; half of them are ahead after 100 steps.")
    (text,) = break_even.sentences(found[found["caches"] == "cold"].assign(steps=2))
    assert text.startswith("In 1 of 1 pair with") and text.endswith("ahead after 2 steps.")
    assert break_even.sentences(found[found["ratio_low"].isna()]) == []


def test_native_code_is_compared_with_the_fastest_of_its_library(monkeypatch):
    monkeypatch.setitem(TITLES, "pytorch-cpp", "PyTorch (C++ op)")
    topic = topics([STUDIES / "native_code"])["native_code"]
    aligner = ("aligner", "fit", 8)
    data = made({aligner: {EAGER: 40.0, COMPILED: 34.0, "pytorch-cpp": 17.0, JAX: 5.0}})
    (line,) = topic.table(data).itertuples()
    assert line.base == COMPILED and line.speedup == pytest.approx(2.0, rel=2e-2)
    assert line.lines > line.base_lines > 0
    assert topic.sentences(topic.table(data))[0].startswith("Native code is faster in 1 of 1")
    slower = made({aligner: {EAGER: 10.0, "pytorch-cpp": 17.0}})
    assert "slower in 1" in topic.sentences(topic.table(slower))[0]


def test_the_cross_over_lies_between_the_sizes_around_it():
    topic = topics([STUDIES / "cpu_against_gpu"])["cross_over"]
    of = pd.DataFrame({"parameters": [1e5, 1e6, 1e7], "log": [-1.0, -0.5, 0.5]})
    of = of.assign(error=0.1, rounds=3)
    outcome, size, low, high = topic.cross_over(of)
    assert outcome == topic.CROSSES and size == pytest.approx(10**6.5)
    assert 1e6 < low < size < high < 1e7 or low < size < high
    assert topic.cross_over(of.assign(log=1.0))[0] == topic.ALWAYS
    assert topic.cross_over(of.assign(log=-1.0))[0] == topic.NEVER


def test_a_folder_cannot_replace_a_topic(tmp_path):
    (tmp_path / "analysis.py").write_text('NAME = "why"\n')
    with pytest.raises(ValueError, match="another topic is named why"):
        topics([tmp_path])
    assert "why" in topics([tmp_path / "missing"])
