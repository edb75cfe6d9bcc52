"""Is native code worth it? Shares, gains, pay-back and verdicts, calculated by hand."""

import csv
import io
import math
import random

import pytest
from native_projects import COMPILED, EAGER, JAX, NAIVE, NATIVE, by_hand, native_project, of, timed

from analysis.statistics.best_set import Contest
from analysis.statistics.families import family_interval
from analysis.statistics.intervals import MARGIN
from analysis.topics.native.compute import Pays, naive_builds, native, payoffs, pays, ways
from analysis.writing.files import to_csv


def lines_of(project):
    """Lines of native.csv by column."""
    text = to_csv(native(project.data()))
    return {line["column"]: line for line in csv.DictReader(io.StringIO(text))}


def payoff_of(project):
    """The only one."""
    (payoff,) = payoffs(ways(project.data())).itertuples()
    return payoff


def test_gains_share_and_pay_back_by_hand(tmp_path):
    payoff = payoff_of(project := by_hand(tmp_path))
    assert (payoff.operation, payoff.framework) == ("mas", "plain PyTorch")
    # Compiled is the better way of the framework: 24 of 32 ms, so at most 4 times as fast.
    assert (payoff.column_framework, payoff.column_native) == (COMPILED, NATIVE)
    assert payoff.share_framework == pytest.approx(0.75)
    assert payoff.most_by_share_framework == pytest.approx(4.0)
    assert payoff.gain_alone_native == pytest.approx(24 / 0.5)
    assert payoff.gain_step_native == pytest.approx(32 / 16)
    assert (payoff.verdict, payoff.why_not_shown, payoff.beyond) == (Pays.YES, "", False)
    # 4 s of building, 16 ms with each step: 250 steps earn it back, the next one is ahead.
    line = lines_of(project)[NATIVE]
    steps = ("steps_to_earn_back", "earn_back_ci95_low", "earn_back_ci95_high")
    assert {line[name] for name in steps} <= {"250", "251"}


def test_several_uses_in_a_step_count_in_its_share(tmp_path):
    project = native_project(tmp_path, of(JAX), of(JAX, "native"))
    timed(project, JAX, 10.0, 1.5, uses=3)
    timed(project, f"{JAX}+native", 9.0, 1.0, uses=3)
    payoff = payoff_of(project)
    assert payoff.share_framework == payoff.share_ci95_low_framework == pytest.approx(0.45)
    assert payoff.framework == "Keras 3 (JAX)"


def test_the_naive_one_is_never_the_best_and_stands_beside_the_tuned_one(tmp_path):
    project = by_hand(tmp_path)
    timed(project, NAIVE, 15.0, 0.4)
    assert payoff_of(project).column_native == NATIVE
    (pair,) = naive_builds(ways(project.data())).itertuples()
    assert (pair.column, pair.column_tuned) == (NAIVE, NATIVE)
    assert pair.gain_flags == pytest.approx(0.4 / 0.5)


@pytest.mark.parametrize(
    ("change", "verdict", "why", "earned_back"),
    [
        # slower
        ({NATIVE: (36.0, 30.0)}, "no", "", ("never", "never", "never")),
        # the same within the margin: 4 s at 0.2 ms a step
        ({NATIVE: (31.8, 20.0)}, "no", "", (20_000, 20_000, 20_000)),
        # scatter leaves it open
        (
            {NATIVE: ([20.0, 30.0, 44.0], 0.5)},
            "not shown",
            "the intervals do not decide",
            (1_800, "sooner", "never"),  # 32 ms less the geometric mean, 29.8, save 2.2 ms
        ),
        # fast on the mean only beside a compiled column that scatters
        ({COMPILED: ([10.0, 22.0, 60.0], 8.0)}, "not shown", "the intervals do not decide", ()),
    ],
)
def test_verdicts(tmp_path, change, verdict, why, earned_back):
    project = by_hand(tmp_path)
    for column, times in change.items():
        timed(project, column, *times)
    payoff, line = payoff_of(project), lines_of(project)[NATIVE]
    assert (payoff.verdict, payoff.why_not_shown, line["verdict"]) == (verdict, why, verdict)
    names = ("steps_to_earn_back", "earn_back_ci95_low", "earn_back_ci95_high")
    for name, steps in zip(names, earned_back, strict=False):
        if steps == "never":
            assert line[name] == steps
        elif steps == "sooner":
            assert int(line[name]) < earned_back[0]
        else:
            assert int(line[name]) == pytest.approx(steps, rel=0.05)


def test_a_single_run_shows_nothing(tmp_path):
    payoff = payoff_of(project := by_hand(tmp_path, runs=1))
    assert (payoff.verdict, payoff.why_not_shown, payoff.beyond) == ("not shown", "one run", False)
    lines = lines_of(project)
    line = lines[NATIVE]
    assert (line["gain_step"], line["gain_step_ci95_low"], line["rounds"]) == ("2.0", "NA", "1")
    assert line["steps_to_earn_back"] in ("250", "251") and line["earn_back_ci95_low"] == "NA"
    assert lines[COMPILED]["share_ci95_low"] == "NA"


def test_more_native_ways_need_more(tmp_path):
    """What is shown of one native way by a narrow margin is not of the best of three; of these,
    Triton's is native although nothing is built.
    """
    words = ("native", "callback", "triton")
    project = native_project(tmp_path, of(EAGER), *(of(EAGER, word) for word in words))
    timed(project, EAGER, 10.0, 5.0)
    for word in words:
        timed(project, f"{EAGER}+{word}", [9.0, 9.2, 9.4], 4.0)
    payoff = payoff_of(project)
    assert payoff.gain_step_ci95_low_native > 1.02 and payoff.verdict is Pays.NOT_SHOWN
    line = lines_of(project)[f"{EAGER}+triton"]
    assert (line["written_as"], line["steps_to_earn_back"]) == ("native", "NA")


def test_a_gain_beyond_the_share_is_flagged_and_what_was_disturbed_is_no_candidate(tmp_path):
    project = by_hand(tmp_path)
    assert lines_of(project)[NATIVE]["beyond_share"] == "false"
    timed(project, COMPILED, 32.0, 8.0)  # a quarter: at most 1.33 times as fast, and it is 2
    assert payoff_of(project).most_by_share_framework == pytest.approx(4 / 3)
    assert lines_of(project)[NATIVE]["beyond_share"] == "true"
    project.change(lambda r: r["load"].update(foreign_cpu_share=0.5), COMPILED)
    assert payoff_of(project).column_framework == EAGER
    assert lines_of(project)[COMPILED]["gain_alone"] == "NA"
    project.change(lambda r: r["load"].update(foreign_cpu_share=0.5))
    payoff = payoff_of(project)
    assert payoff.column_native != payoff.column_native and payoff.verdict is Pays.NOT_SHOWN
    assert "no way of the framework may be compared: other processes" in payoff.why_not_shown


def test_other_settings_part_the_frameworks(tmp_path):
    columns = [of(EAGER), of(EAGER, "native"), of(JAX), of(JAX, "native")]
    one, other = of(EAGER, "native")
    columns += [(f"{EAGER}+tf32", {"way": "framework", "precision": "tf32"})]
    columns += [(f"{one}+tf32", {**other, "precision": "tf32"})]
    project = native_project(tmp_path, *columns)
    for name, _ in columns:
        timed(project, name, 9.0 if "native" in name else 10.0, 2.0)
    found = payoffs(ways(project.data()))
    assert dict(zip(found["framework"], found["column_framework"], strict=True)) == {
        "PyTorch (eager), default": EAGER,
        "Keras 3 (JAX)": JAX,
        "PyTorch (eager), tf32": f"{EAGER}+tf32",
    }


def test_csv_has_a_line_for_every_way(tmp_path):
    project = by_hand(tmp_path)
    found = lines_of(project)
    assert list(found) == [EAGER, NATIVE, NAIVE, COMPILED]
    assert [line["written_as"] for line in found.values()] == [
        *("framework", "native", "native", "framework")
    ]
    assert [line["best"] for line in found.values()] == ["false", "true", "false", "true"]
    own, native_line, naive = found[COMPILED], found[NATIVE], found[NAIVE]
    assert float(own["share"]) == pytest.approx(0.75) and own["gain_step"] == "NA"
    assert float(own["most_by_share"]) == pytest.approx(4) and naive["most_by_share"] == "NA"
    assert float(native_line["gain_alone"]) == pytest.approx(48)
    assert [line["verdict"] for line in found.values()] == ["NA", "yes", "NA", "NA"]
    assert [native_line[name] for name in ("lines", "build_s", "rounds")] == ["33", "4.0", "3"]
    assert (naive["compile_flags"], own["compiler"]) == ("'-O3", "NA")
    assert float(naive["gain_step"]) == pytest.approx(32 / 26)
    project.fail("error", "WrongResult: the path differs", column=NAIVE)
    assert list(lines_of(project)) == [EAGER, NATIVE, COMPILED]


# How often verdicts are wrong: simulated rounds whose truth is known.
SCATTER, ROUNDS, TRIALS = 0.02, 3, 2000


def way(rng, mean_ms):
    """Times of three rounds, each with its own speed."""
    return {number: mean_ms * math.exp(rng.gauss(0, SCATTER)) for number in range(ROUNDS)}


def rate(verdict, gain, of_framework=2, native=3, payoffs=1):
    """Of trials in which every way of a kind takes the same time, and native ones gain so much."""
    rng, found = random.Random(5), 0
    for _ in range(TRIALS):
        own = {f"own {number}": way(rng, 10.0) for number in range(of_framework)}
        new = {f"native {number}": way(rng, 10.0 / gain) for number in range(native)}
        held = Contest(own | new)
        ends = [family_interval(held, [*new], [*own], of) for of in (payoffs, 1)]
        found += pays(*ends) is verdict
    return found / TRIALS


@pytest.mark.parametrize("native", [1, 3])
@pytest.mark.parametrize("of_framework", [1, 2])
def test_neither_verdict_is_given_wrongly_more_often_than_an_interval_errs(native, of_framework):
    """At the margin itself both would be wrong: one side of a 95 % interval, and what chance adds
    to so many trials.
    """
    most = 0.025 + 3 * math.sqrt(0.025 * 0.975 / TRIALS)
    ways = {"of_framework": of_framework, "native": native}
    assert rate(Pays.YES, 1 + MARGIN, **ways) <= most
    assert rate(Pays.NO, 1.0001 * (1 + MARGIN), **ways) <= most


def test_a_large_gain_is_mostly_shown_none_is_not_called_one_and_among_several_it_needs_more():
    assert rate(Pays.YES, 2.0) > 0.99
    assert rate(Pays.YES, 1.0) < 0.01
    assert rate(Pays.NO, 0.7) > 0.95
    alone, among = (rate(Pays.YES, 1.1, payoffs=number) for number in (1, 5))
    assert among < 0.8 * alone


def test_without_an_interval_nothing_is_shown():
    assert pays(None, None) is Pays.NOT_SHOWN
