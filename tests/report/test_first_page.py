"""Each sentence, and data in which its opposite is true."""

import types

import numpy as np
import pandas as pd
import pytest

from millistep.analysis.report import first_page
from millistep.analysis.stats import resolution

KEYS = {"stack": "s", "accelerator": "cpu", "batch_size": 1, "planned_runs": 3}


def cells(*lines):
    """Return cells from model, task, configuration, standing, ratio."""
    frame = pd.DataFrame(lines, columns=["model", "task", "configuration", "standing", "ratio"])
    frame = frame.assign(**KEYS, title=frame["configuration"].str.title(), ms=10 * frame["ratio"])
    frame["workload"] = frame["model"].str.upper() + " " + frame["task"]
    frame["ratio_low"], frame["ratio_high"] = frame["ratio"] / 1.1, frame["ratio"] * 1.1
    frame["comparable"] = True
    noisy = frame["standing"].eq("excluded") & frame["ms"].notna()
    frame["undecided"] = frame["standing"].eq("inconclusive") | noisy
    return frame


def workload(model, task, **others):
    lines = [(model, task, "jax", "fastest", 1.0)]
    return lines + [(model, task, name, *found) for name, found in others.items()]


SLOW = [
    *workload("bert", "fit", torch=("slower", 1.3), eager=("slower", 1.2)),
    *workload("gemma", "generate", torch=("slower", 12.8), eager=("slower", 3.9)),
    *workload("mistral", "generate", torch=("slower", 7.4), eager=("slower", 2.7)),
]


def test_the_slowest_is_named_with_its_ranges():
    text, named = first_page.slowest(cells(*SLOW))
    assert named == "torch"
    assert text == (
        "Torch is significantly slower than the fastest framework in every workload: "
        "it takes 1.3 times as long in fit and 7.4 to 13 times in generate."
    )


def test_slower_in_some_workloads_is_counted():
    lines = [*SLOW, *workload("sam", "fit", torch=("inconclusive", 1.4))]
    assert "in 3 of 4 workloads" in first_page.slowest(cells(*lines))[0]


def test_the_only_workload_is_not_counted():
    found = cells(*workload("bert", "predict", torch=("slower", 1.06)))
    assert first_page.slowest(found)[0] == (
        "Torch is significantly slower than the fastest framework in the only workload: "
        "it takes 1.06 times as long."
    )
    assert first_page.leaders(found) == "Fastest or tied: Jax."


def test_one_workload_of_several_in_which_it_is_compared():
    lines = [
        *workload("bert", "fit", torch=("slower", 1.3)),
        *workload("sam", "fit", eager=("tied", 1.0)),
    ]
    text, _ = first_page.slowest(cells(*lines))
    assert "in the one workload in which it is compared: it takes 1.3 times as long" in text


@pytest.mark.parametrize(
    ("ratio", "text"),
    [(1.06, "1.06"), (1.004, "1.004"), (1.0003, "1.0003"), (1.3, "1.3"), (12.8, "13")],
)
def test_a_slower_one_never_takes_1_00_times_as_long(ratio, text):
    found = cells(*workload("bert", "predict", torch=("slower", ratio)))
    assert first_page.slowest(found)[0].endswith(f"it takes {text} times as long.")


OTHER_WORK = [
    *workload("gemma", "fit", torch=("slower", 3.0), eager=("slower", 2.0)),
    *workload("bert", "predict", torch=("slower", 1.5), eager=("slower", 1.1)),
]


def with_sizes(*lines, **sizes):
    """Return cells of which those of gemma fit have so many trained parameters."""
    found = cells(*lines)
    own = (found["model"] == "gemma") & (found["task"] == "fit")
    found["trained_parameters"] = found["configuration"].map(sizes).where(own)
    return found


def test_workloads_with_different_work_are_left_out_of_every_count():
    found = with_sizes(*SLOW, *OTHER_WORK, jax=12_288, torch=12_288, eager=37_888)
    assert first_page.leaders(found) == (
        "Fastest or tied, of 4 workloads: Jax in 4. "
        "Left out: GEMMA fit (different numbers of parameters)."
    )
    assert "in all 4 workloads in which it is compared" in first_page.slowest(found)[0]
    others = [line for line in (*SLOW, *OTHER_WORK) if line[1] != "generate"]
    text = first_page.by_task(with_sizes(*others, jax=1, torch=1, eager=2), "torch")
    assert text == "In fit (without GEMMA fit), Eager takes 1.2 times as long as the fastest."
    only = with_sizes(*OTHER_WORK[:3], jax=1, torch=1, eager=2)
    assert first_page.slowest(only)[0] == (
        "No framework is called faster than another: the numbers of parameters differ in GEMMA fit."
    )


def test_workloads_with_equal_work_are_all_counted():
    found = with_sizes(*SLOW, *OTHER_WORK, jax=12_288, torch=12_288, eager=12_289)
    assert first_page.leaders(found) == "Fastest or tied, of 5 workloads: Jax in 5."
    assert "in every workload" in first_page.slowest(found)[0]
    text = first_page.by_task(found.query("task == 'fit'"), "torch")
    assert text == "In fit, Eager takes 1.2 to 2.0 times as long as the fastest."


def test_one_compared_workload_of_several_is_not_the_only_one():
    excluded = [("sam", "fit", name, "excluded", np.nan) for name in ("jax", "torch")]
    for standing, text in (
        ("tied", "In the one compared workload, every other framework is slower or tied; 3 rounds"),
        ("inconclusive", "The one compared workload is inconclusive. 3 rounds on this"),
    ):
        found = data(*workload("bert", "fit", torch=(standing, 1.0)), *excluded)
        assert first_page.decided(found).startswith(text)
        shown = "No framework is shown to be slower than the fastest in the one compared workload."
        assert first_page.slowest(found.cells)[0] == shown
        assert first_page.leaders(found.cells).startswith("Fastest or tied, in BERT fit: Jax")


def test_groups_of_one_workload_are_not_counted_as_workloads():
    lines = [
        *workload("bert", "fit", torch=("tied", 1.0)),
        *workload("sam", "fit", torch=("tied", 1.0)),
    ]
    stacks = [cells(*lines), cells(*lines).assign(stack="other")]
    found = pd.concat(stacks, ignore_index=True)
    assert first_page.leaders(found) == (
        "Fastest or tied, of 4 workloads per stack and device: Jax in 4 and Torch in 4."
    )


def test_every_workload_is_said_of_all_and_not_of_the_compared_ones():
    excluded = (
        ("sam", "fit", "torch", "excluded", 1.0),
        *workload("sam", "fit", eager=("tied", 1.0)),
    )
    text, _ = first_page.slowest(cells(*SLOW, *excluded))
    assert "in all 3 workloads in which it is compared: " in text


def test_nothing_is_slower():
    lines = workload("bert", "fit", torch=("tied", 1.01), eager=("inconclusive", 1.2))
    text, named = first_page.slowest(cells(*lines))
    assert text.startswith("No framework is shown to be slower") and named is None


def test_a_task_in_which_others_are_slower():
    assert first_page.by_task(cells(*SLOW), "torch") == (
        "In generate, Eager takes 2.7 to 3.9 times as long as the fastest."
    )


def test_one_open_workload_makes_it_no_fact_of_the_task():
    lines = [
        line if line[:3] != ("gemma", "generate", "eager") else (*line[:3], "tied", 1.0)
        for line in SLOW
    ]
    text = first_page.by_task(cells(*lines), "torch")
    assert text == "In fit, Eager takes 1.2 times as long as the fastest."
    missing = [line for line in SLOW if line[1:3] != ("fit", "eager")]
    excluded = [*missing, ("bert", "fit", "eager", "excluded", 1.2)]
    assert "In generate, Eager" in first_page.by_task(cells(*excluded), "torch")
    not_in_gemma = [line for line in excluded if line[0] != "gemma" or line[2] != "eager"]
    assert first_page.by_task(cells(*not_in_gemma), "torch") == ""
    only_named = [line for line in SLOW if line[2] != "eager"]
    assert first_page.by_task(cells(*only_named).query("configuration != 'jax'"), "torch") == ""


def test_leaders():
    assert first_page.leaders(cells(*SLOW)) == ("Fastest or tied, of 3 workloads: Jax in 3.")
    lines = [
        *workload("bert", "fit", torch=("tied", 1.01)),
        *workload("sam", "fit", torch=("slower", 2.0)),
    ]
    assert first_page.leaders(cells(*lines)) == (
        "Fastest or tied, of 2 workloads: Jax in 2 and Torch in 1."
    )
    tied = {name: ("tied", 1.0) for name in "abcdefg"}
    lines = [*workload("bert", "fit", **tied), *workload("sam", "fit", **tied)]
    assert first_page.leaders(cells(*lines)).endswith(
        "Jax in 2, A in 2, B in 2, C in 2, D in 2, E in 2 and others in 4."
    )
    assert first_page.leaders(cells(*lines[:8])) == (
        "Fastest or tied: Jax, A, B, C, D, E and 2 more."
    )


def data(*lines, **plan):
    about = {"accelerator": "cpu", "machine.cpu": "AMD EPYC", "machine.accelerator_name": None}
    about |= {"task": "fit", "batch_size": 1, "ok": True, "status": "ok"}
    numbers = [("bert", run) for run in range(plan.pop("most", 3))] + [("sam", n) for n in range(3)]
    runs = pd.DataFrame(numbers, columns=["model", "run"]).assign(**about)
    settings = {"runs": 3, "scale": "laptop", "weights": "random", "accelerator": "cpu"}
    plan = {**settings, "models": {"bert": {}}} | plan
    return types.SimpleNamespace(cells=cells(*lines), runs=runs, plan=plan)


def test_added_rounds_are_a_range():
    assert "3 to 9 rounds on this machine" in first_page.decided(data(*SLOW, most=9))


def test_every_workload_is_decided_or_the_open_ones_are_named():
    assert first_page.decided(data(*SLOW)) == (
        "In all 3 workloads, every other framework is slower or tied; "
        "3 rounds on this machine resolve about 10\u00a0%."
    )
    one = workload("bert", "fit", torch=("slower", 1.4))
    assert first_page.decided(data(*one)).startswith(
        "In the only workload, every other framework is slower or tied; "
    )
    lines = [*SLOW, *workload("sam", "fit", torch=("inconclusive", 1.4))]
    assert first_page.decided(data(*lines)).startswith(
        "In 3 of 4 workloads, every other framework is slower or tied; inconclusive: SAM fit."
    )
    open_one = workload("sam", "fit", torch=("inconclusive", 1.4))
    assert first_page.decided(data(*open_one)).startswith("The only workload is inconclusive. 3")
    all_open = [*open_one, *workload("bert", "fit", torch=("inconclusive", 1.4))]
    assert first_page.decided(data(*all_open)).startswith("The 2 workloads are all inconclusive. 3")
    excluded = [*SLOW, *workload("sam", "fit", torch=("slower", 1.4), eager=("excluded", 1.2))]
    assert first_page.decided(data(*excluded)).startswith("In 3 of 4 workloads, ")
    nobody = [*SLOW, *(("sam", "fit", name, "excluded", 1.2) for name in ("jax", "torch"))]
    assert "inconclusive: SAM fit." in first_page.decided(data(*nobody))


def test_resolution_is_the_median_half_width():
    assert resolution(cells(*SLOW)) == pytest.approx(0.1)
    assert np.isnan(resolution(cells(("bert", "fit", "jax", "fastest", 1.0))))
    assert np.isnan(resolution(cells(("bert", "fit", "jax", "excluded", 1.0))))


def test_distance_from_the_possible():
    found = data(*SLOW)
    found.cells["share_of_best"] = np.where(found.cells["model"] == "bert", 0.41, 0.12)
    assert first_page.possible(found) == (
        "The lowest means of the workloads reach 12\u00a0% (GEMMA generate) to 41\u00a0% (BERT "
        "fit) of the FLOP/s of this machine's best matrix product."
    )
    found.cells["share_of_best"] = np.where(found.cells["model"] == "bert", 0.41, 0.0001)
    assert "reach 0.01\u00a0% (GEMMA generate) to 41" in first_page.possible(found)
    one = data(*SLOW[:3])
    one.cells["share_of_best"] = 0.41
    assert first_page.possible(one) == (
        "The lowest mean of a workload reaches 41\u00a0% (BERT fit) of the FLOP/s of this "
        "machine's best matrix product."
    )
    found.cells["share_of_best"] = np.nan
    assert first_page.possible(found) == ""


def test_nothing_measured():
    found = data(*SLOW)
    found.cells["ms"] = np.nan
    found.runs["status"] = "not measured"
    assert first_page.sentences(found)[0] == "Nothing is measured yet."


def test_all_failed_is_not_nothing_measured():
    found = data(*SLOW)
    found.cells["ms"] = np.nan
    found.runs["status"] = "oom"
    assert first_page.sentences(found)[0] == "No run has a time: 6 oom."


def test_full_sizes_are_not_called_published():
    """A user's own model has no published size."""
    assert first_page.setting(data(*SLOW)).startswith("Reduced models (laptop scale) on CPU (AMD")
    text = first_page.setting(data(*SLOW, models={"own": {"full_size": True}}))
    assert text == "Full-size models on CPU (AMD EPYC); other hardware may rank otherwise."
