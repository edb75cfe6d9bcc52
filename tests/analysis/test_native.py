"""Is native code worth it? Shares, gains, pay-back and verdicts, calculated by hand."""

import csv
import io

import pytest
from native_projects import COMPILED, EAGER, JAX, by_hand, native_project, of, timed
from results_factory import Project

from analysis.comparisons.native import Pays, all_payoffs, payoffs
from analysis.comparisons.questions import questions
from analysis.results.plan import Column
from analysis.tables.native import native_csv

NATIVE, NAIVE = f"{EAGER}+native", f"{EAGER}+naive"


def lines_of(results):
    return {line["column"]: line for line in csv.DictReader(io.StringIO(native_csv(results)))}


def test_gains_share_and_pay_back_by_hand(tmp_path):
    results = by_hand(tmp_path).load()
    (payoff,) = payoffs(results)
    assert (payoff.operation, payoff.framework) == ("mas", "native PyTorch")
    # Compiled is the better way of the framework: 24 of 32 ms, so at most 4 times as fast.
    assert payoff.own.cell.column.name == COMPILED and payoff.own.share == pytest.approx(0.75)
    assert payoff.most == pytest.approx(4.0)
    assert payoff.native.cell.column.name == NATIVE
    assert payoff.alone.value == pytest.approx(24 / 0.5)
    assert payoff.step.value == pytest.approx(32 / 16)
    assert payoff.pays is Pays.YES and not payoff.beyond and payoff.why_not_shown == ""
    # 4 s of building, 16 ms with each step: 250 steps earn it back, the next one is ahead.
    assert payoff.pay_back.steps in (250, 251)
    assert payoff.pay_back.earliest in (250, 251) and payoff.pay_back.latest in (250, 251)


def test_several_uses_in_a_step_count_in_its_share(tmp_path):
    project = native_project(tmp_path, of(JAX), of(JAX, "native"))
    timed(project, JAX, 10.0, 1.5, uses=3)
    timed(project, f"{JAX}+native", 9.0, 1.0, uses=3)
    (payoff,) = payoffs(project.load())
    assert payoff.own.share == pytest.approx(0.45)
    assert payoff.own.share_interval.low == pytest.approx(0.45)
    assert payoff.framework == "Keras 3 (JAX)"


def test_the_naive_one_is_never_the_best_and_stands_beside_the_tuned_one(tmp_path):
    project = by_hand(tmp_path)
    timed(project, NAIVE, 15.0, 0.4)
    (payoff,) = payoffs(project.load())
    assert payoff.native.cell.column.name == NATIVE
    ((naive, tuned),) = payoff.ways.naive
    assert (naive.cell.column.name, tuned.cell.column.name) == (NAIVE, NATIVE)


def test_slower_native_code_is_a_no_and_never_earned_back(tmp_path):
    project = by_hand(tmp_path)
    timed(project, NATIVE, 36.0, 30.0)
    (payoff,) = payoffs(project.load())
    assert payoff.pays is Pays.NO and payoff.pay_back.steps is None
    line = lines_of(project.load())[NATIVE]
    assert (line["verdict"], line["steps_to_earn_back"]) == ("no", "never")
    assert (line["earn_back_ci95_low"], line["earn_back_ci95_high"]) == ("never", "never")


def test_the_same_within_the_margin_is_a_no(tmp_path):
    project = by_hand(tmp_path)
    timed(project, NATIVE, 31.8, 20.0)
    (payoff,) = payoffs(project.load())
    assert payoff.pays is Pays.NO
    assert payoff.pay_back.steps == pytest.approx(20_000, abs=2)  # 4 s at 0.2 ms a step


def test_a_single_run_shows_nothing(tmp_path):
    results = by_hand(tmp_path, runs=1).load()
    (payoff,) = payoffs(results)
    assert payoff.pays is Pays.NOT_SHOWN and payoff.why_not_shown == "one run"
    assert payoff.own.share_interval is None and not payoff.beyond
    line = lines_of(results)[NATIVE]
    assert line["gain_step"] == "2.0" and line["gain_step_ci95_low"] == "NA"
    assert line["steps_to_earn_back"] in ("250", "251") and line["earn_back_ci95_low"] == "NA"


def test_scatter_leaves_it_open(tmp_path):
    project = by_hand(tmp_path)
    timed(project, NATIVE, [20.0, 30.0, 44.0], 0.5)
    (payoff,) = payoffs(project.load())
    assert payoff.pays is Pays.NOT_SHOWN
    assert payoff.why_not_shown == "the intervals do not decide"
    assert payoff.pay_back.latest is None and payoff.pay_back.steps > payoff.pay_back.earliest


def test_every_way_of_the_framework_has_to_be_beaten(tmp_path):
    """Fast on the mean only beside a compiled column that scatters."""
    project = by_hand(tmp_path)
    timed(project, COMPILED, [10.0, 22.0, 60.0], 8.0)
    assert payoffs(project.load())[0].pays is Pays.NOT_SHOWN


def test_more_native_ways_need_more(tmp_path):
    """What is shown of one native way by a narrow margin is not of the best of three."""
    ways = ("native", "callback", "triton")
    project = native_project(tmp_path, of(EAGER), *(of(EAGER, way) for way in ways))
    timed(project, EAGER, 10.0, 5.0)
    for way in ways:
        timed(project, f"{EAGER}+{way}", [9.0, 9.2, 9.4], 4.0)
    (payoff,) = payoffs(project.load())
    assert payoff.step.verdict == "SLOWER" and payoff.pays is Pays.NOT_SHOWN
    assert payoff.native.word in ways and payoff.among(2) is Pays.NOT_SHOWN


def test_a_gain_beyond_the_share_is_flagged(tmp_path):
    project = by_hand(tmp_path)
    timed(project, COMPILED, 32.0, 8.0)  # a quarter: at most 1.33 times as fast, and it is 2
    (payoff,) = payoffs(project.load())
    assert payoff.most == pytest.approx(4 / 3) and payoff.beyond
    assert lines_of(project.load())[NATIVE]["beyond_share"] == "true"


def test_what_other_work_disturbed_is_no_candidate(tmp_path):
    project = by_hand(tmp_path)
    project.change(lambda r: r["load"].update(foreign_cpu_share=0.5), COMPILED)
    (payoff,) = payoffs(project.load())
    assert payoff.own.cell.column.name == EAGER
    project.change(lambda r: r["load"].update(foreign_cpu_share=0.5))
    (found,) = all_payoffs(project.load())
    assert found.native is None and payoffs(project.load()) == []
    assert found.pays is Pays.NOT_SHOWN
    assert "no way of the framework may be compared: other processes" in found.why_not_shown


def test_triton_is_native_although_nothing_is_built(tmp_path):
    project = native_project(tmp_path, of(EAGER), of(EAGER, "triton"))
    timed(project, EAGER, 10.0, 5.0)
    timed(project, f"{EAGER}+triton", 8.0, 0.1)
    (payoff,) = payoffs(project.load())
    assert payoff.native.word == "triton" and payoff.pays is Pays.YES and payoff.pay_back is None


def test_other_settings_part_the_frameworks(tmp_path):
    columns = [of(EAGER), of(EAGER, "native"), of(JAX), of(JAX, "native")]
    one, other = of(EAGER, "native")
    columns += [(f"{EAGER}+tf32", {"way": "framework", "precision": "tf32"})]
    columns += [(f"{one}+tf32", {**other, "precision": "tf32"})]
    project = native_project(tmp_path, *columns)
    for name, _ in columns:
        timed(project, name, 9.0 if "native" in name else 10.0, 2.0)
    found = payoffs(project.load())
    names = ["PyTorch (eager), default", "Keras 3 (JAX)", "PyTorch (eager), tf32"]
    assert [payoff.framework for payoff in found] == names
    assert {payoff.own.cell.column.settings["precision"] for payoff in found} == {"default", "tf32"}


def test_ways_without_a_time_are_kept_with_their_reason(tmp_path):
    project = by_hand(tmp_path)
    project.fail("error", "WrongResult: the path differs", column=NAIVE)
    (payoff,) = payoffs(project.load())
    (cell,) = payoff.ways.missing
    assert cell.column.name == NAIVE and "WrongResult" in cell.reason


def test_a_table_without_operations_has_no_payoffs(tmp_path):
    results = Project(tmp_path).load()
    assert all_payoffs(results) == [] and native_csv(results).count("\n") == 1


def test_csv_has_a_line_for_every_way(tmp_path):
    found = lines_of(by_hand(tmp_path).load())
    assert list(found) == [EAGER, NATIVE, NAIVE, COMPILED]
    assert [line["written_as"] for line in found.values()] == [
        *("framework", "native", "native", "framework")
    ]
    assert [line["best"] for line in found.values()] == ["false", "true", "false", "true"]
    own, native, naive = found[COMPILED], found[NATIVE], found[NAIVE]
    assert float(own["share"]) == pytest.approx(0.75) and own["gain_step"] == "NA"
    assert float(native["gain_alone"]) == pytest.approx(48)
    assert (native["verdict"], naive["verdict"], own["verdict"]) == ("yes", "NA", "NA")
    assert (native["lines"], native["build_s"], naive["compile_flags"]) == ("33", "4.0", "'-O3")
    assert float(naive["gain_step"]) == pytest.approx(32 / 26)


def test_columns_that_differ_in_their_way_are_an_effect(tmp_path):
    plan = by_hand(tmp_path).plan
    found = questions([Column(**column) for column in plan["columns"]])
    assert [(question.text, question.setting) for question in found] == [
        ("What does compiling change?", "framework"),
        ("What does native code change?", "way"),
        ("What does native code without tuned flags change?", "way"),
    ]
