import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from millistep.analysis import stats

GROUP = ["model", "task", "batch_size", "stack", "accelerator"]
WORKLOAD = GROUP[:3]


def table(times, comparable=None, why=""):
    """Return cells and ratios of one workload from run times by configuration."""
    return tables([times], comparable, why).set_index("configuration")


def tables(workloads, comparable=None, why=""):
    """Return cells and ratios of workloads, whose batch sizes count them."""
    rows, logs = [], []
    cells = (
        (batch, times, *cell) for batch, times in enumerate(workloads) for cell in times.items()
    )
    for batch, times, name, runs in cells:
        runs = np.asarray(runs, float)
        known = runs[~np.isnan(runs)]
        fine = True if comparable is None else name in comparable
        key = ("m", "fit", batch)
        rows.append((*key, "", "cpu", name, np.exp(np.log(known).mean()), len(known), fine))
        for base, others in times.items():
            if base != name and fine and (comparable is None or base in comparable):
                for round_, (a, b) in enumerate(zip(runs, others, strict=True)):
                    logs.append((*key, base, name, round_, "", np.log(a / b)))
    cells = pd.DataFrame(rows, columns=[*GROUP, "configuration", "ms", "runs", "comparable"])
    cells["why_excluded"] = np.where(cells["comparable"], "", why)
    names = [*WORKLOAD, "base", "configuration", "run", "machine", "log"]
    rounds = pd.DataFrame(logs, columns=names).dropna(subset="log")
    ratios = stats.over_rounds(rounds, [*WORKLOAD, "base", "configuration"]).reset_index()
    return stats.with_the_fastest(cells, ratios, GROUP, WORKLOAD)


def test_a_ratio_is_a_paired_t_test_on_logarithms():
    base, new = pd.Series([10.0, 11.0, 12.0]), pd.Series([11.0, 12.5, 13.0])
    found = stats.paired(base, new)
    test = scipy_stats.ttest_rel(np.log(new), np.log(base))
    ends = np.exp(test.confidence_interval())
    assert found.p == pytest.approx(test.pvalue)
    assert (found.low, found.high) == pytest.approx(tuple(ends))
    assert found.ratio == pytest.approx(np.exp((np.log(new) - np.log(base)).mean()))
    assert found.rounds == 3


def test_rounds_of_only_one_are_left_out_and_one_round_has_no_interval():
    found = stats.paired(pd.Series({1: 10.0, 2: 20.0}), pd.Series({2: 30.0, 3: 5.0}))
    assert found.ratio == pytest.approx(1.5) and found.rounds == 1
    assert np.isnan([found.low, found.high, found.p]).all()
    assert stats.paired(pd.Series({1: 1.0}), pd.Series({2: 1.0})) == stats.NO_RATIO


def test_welch_is_scipys():
    a, b = [10.0, 11.0, 12.0], [13.0, 13.5, 14.5, 13.2]
    found = stats.welch(a, b)
    test = scipy_stats.ttest_ind(np.log(b), np.log(a), equal_var=False)
    assert found.p == pytest.approx(test.pvalue)
    assert (found.low, found.high) == pytest.approx(tuple(np.exp(test.confidence_interval())))


def test_holm_by_hand():
    p = pd.Series([0.04, 0.01, np.nan, 0.03])
    assert stats.holm(p).tolist()[:2] == pytest.approx([0.06, 0.03])
    assert np.isnan(stats.holm(p)[2]) and stats.holm(p)[3] == pytest.approx(0.06)
    assert stats.holm(pd.Series([0.9, 0.8])).tolist() == [1.0, 1.0]
    assert stats.holm(pd.Series([0.01, 0.011])).tolist() == pytest.approx([0.02, 0.02])


def all_pairs(p):
    first, second = map(np.array, zip(*p.index, strict=True))
    return pd.Series(stats.all_pairs(p.to_numpy(), first, second), p.index)


def test_all_pairs_by_hand():
    """Three cells, of which c differs clearly: a = b stands alone then, and counts once."""
    p = pd.Series({("a", "b"): 0.03, ("a", "c"): 0.001, ("b", "c"): 0.02, ("b", "d"): np.nan})
    three = p[:3]
    # {a b}: 0.03; {a c}: 0.001; {b c}: 0.02; {a b c}: 3 x 0.001
    assert all_pairs(three).tolist() == pytest.approx([0.03, 0.003, 0.02])
    assert stats.holm(three).tolist() == pytest.approx([0.04, 0.003, 0.04])
    found = all_pairs(p)  # d has no p value and counts nowhere
    assert found[:3].tolist() == pytest.approx([0.03, 0.003, 0.02]) and np.isnan(found.iloc[3])
    assert [len(stats.ways_to_be_equal(cells)) for cells in (1, 2, 3, 4)] == [1, 2, 5, 15]


@given(st.integers(2, 6), st.randoms(use_true_random=False))
def test_all_pairs_reject_what_holm_rejects_and_control_all_equal(cells, random):
    p = pd.Series({(a, b): random.random() ** 3 for a in range(cells) for b in range(a)})
    adjusted = all_pairs(p)
    assert (adjusted <= stats.holm(p) + 1e-12).all() and (adjusted >= p).all()
    assert adjusted.min() == pytest.approx(min(1, p.min() * len(p)))  # if all may be equal


def test_of_many_cells_the_correction_is_holms():
    p = pd.Series({(a, b): 0.001 * (a + b) for a in range(9) for b in range(a)})
    assert all_pairs(p).tolist() == stats.holm(p).tolist()


def test_neighbors_by_hand():
    # a b | b a | a b: pairs (a1, b1), (b2, a2), (a3, b3)
    a, b = np.array([0.0, 3.0, 4.0]), np.array([1.0, 2.0, 5.0])
    log_a, log_b = np.array([1.0, 2.0, 5.0]), np.array([0.0, 1.5, 4.8])
    found, pairs = stats.neighbors(a, log_a, b, log_b)
    assert pairs == 3
    assert found == pytest.approx(np.median([1.0, 0.5, 0.2]))
    back, _ = stats.neighbors(b, log_b, a, log_a)
    assert back == pytest.approx(-found)


def test_processes_one_after_the_other_took_no_turns():
    first, later = np.arange(3.0), np.arange(3.0) + 10
    assert stats.neighbors(first, first, later, first)[1] == 0
    # one switch alone, as at a late start, is not enough
    assert (
        stats.neighbors(np.array([0.0, 2.0]), first[:2], np.array([1.0, 3.0, 4.0]), first)[1] == 3
    )
    assert stats.neighbors(np.array([0.0, 2.0]), first[:2], np.array([1.0]), first[:1])[1] == 0


def test_drift_cancels_in_turns():
    drift = np.linspace(0, 1, 40)
    log_a, log_b = drift[::2] + 0.1, drift[1::2]
    found, _ = stats.neighbors(np.arange(0.0, 40, 2), log_a, np.arange(1.0, 40, 2), log_b)
    assert found == pytest.approx(0.1, abs=0.03)


def test_a_third_look_has_an_eighth_of_the_errors():
    logs = pd.DataFrame({"log": np.log([1.1, 1.2, 1.15]), "machine": "one", "cell": "a"})
    once = stats.over_rounds(logs, ["cell"]).loc["a"]
    third = stats.over_rounds(logs.assign(looks=3), ["cell"]).loc["a"]
    assert third["p"] == pytest.approx(8 * once["p"])
    joint = stats.over_rounds(logs, ["cell"], names=8).loc["a"]
    assert (third["low"], third["high"]) == (joint["low"], joint["high"])
    assert (
        stats.over_rounds(logs.assign(log=[0.1, -0.1, 0.01], looks=3), ["cell"]).loc["a"]["p"] == 1
    )


def test_machines_are_the_values_if_there_are_several():
    lines = [("x", "one", 0.1), ("x", "one", 0.3), ("x", "two", 0.4)]
    rounds = pd.DataFrame(lines, columns=["name", "machine", "log"])
    found = stats.over_rounds(rounds, ["name"]).iloc[0]
    by_hand = stats.paired(pd.Series([1.0, 1.0]), np.exp(pd.Series([0.2, 0.4])))
    assert (found["ratio"], found["low"]) == pytest.approx((by_hand.ratio, by_hand.low))
    assert found["rounds"] == 3


def test_standings():
    times = {
        "fast": [10.0, 10.1, 9.9, 10.0],
        "same": [10.05, 10.1, 9.95, 10.1],
        "slow": [13.0, 13.2, 13.1, 13.05],
        "noisy": [10.0, 14.0, 11.0, 9.0],
    }
    found = table(times)
    assert found["standing"].to_dict() == {
        "fast": "fastest", "same": "tied", "slow": "slower", "noisy": "inconclusive",
    }  # fmt: skip
    assert found["fastest"].eq("fast").all()
    assert found.loc["slow", "ratio"] == pytest.approx(1.309, abs=0.002)


def test_the_lowest_mean_of_one_run_is_not_the_fastest():
    nan = np.nan
    found = table({"lucky": [5.0, nan, nan], "a": [10, 10.1, 10.2], "b": [20, 21, 20.5]})
    assert found["fastest"].eq("a").all()
    assert found.loc["lucky", "standing"] == "excluded"
    assert found.loc["lucky", "why_excluded"] == "measured in one run only"


@pytest.mark.parametrize(
    ("ill", "a", "b", "fastest"),
    [(12.0, "fastest", "slower", True), (5.0, "excluded", "excluded", False)],
)
def test_what_is_not_comparable_is_excluded_and_without_it_nothing_slower_is_the_fastest(
    ill, a, b, fastest
):
    times = {"ill": [ill, ill + 0.1, ill], "a": [10, 10.1, 10.2], "b": [20, 21, 20.5]}
    found = table(times, comparable={"a", "b"}, why="others computed")
    assert found["standing"].to_dict() == {"ill": "excluded", "a": a, "b": b}
    assert found.loc["ill", "why_excluded"] == "others computed"
    assert found["fastest"].eq("a").all() == found["ratio"].notna().any() == fastest
    why = "" if fastest else "a cell with a lower time is excluded"
    assert found.loc["a", "why_excluded"] == why
    assert found["undecided"].to_dict() == {"ill": True, "a": not fastest, "b": not fastest}


def test_nothing_is_the_fastest_if_the_ratios_contradict_the_means():
    cells = pd.DataFrame([("m", "fit", 1, "", "cpu", name, ms, 7, True) for name, ms in
                          (("a", 10.0), ("b", 10.3), ("c", 20.0))],
                         columns=[*GROUP, "configuration", "ms", "runs", "comparable"])  # fmt: skip
    ends = {("a", "b"): (0.85, 0.9), ("a", "c"): (1.9, 2.1), ("b", "c"): (2.1, 2.3)}
    lines = []
    for (base, new), (low, high) in ends.items():
        about = {"model": "m", "task": "fit", "batch_size": 1, "p": 0.001, "rounds": 7}
        sides = (base, new, low, high), (new, base, 1 / high, 1 / low)
        names = ("base", "configuration", "low", "high")
        lines += [about | dict(zip(names, side, strict=True)) for side in sides]
    ratios = pd.DataFrame(lines).assign(ratio=lambda of: np.sqrt(of["low"] * of["high"]))
    found = stats.with_the_fastest(cells.assign(why_excluded=""), ratios, GROUP, WORKLOAD)
    assert found["standing"].eq("excluded").all() and found["undecided"].all()
    assert found["why_excluded"].eq("means and ratios have different fastest cells").all()
    near = ratios.assign(low=ratios["low"].mask(ratios["low"] == 0.85, 0.96),
                         high=ratios["high"].mask(ratios["high"] == 0.9, 0.99))  # fmt: skip
    found = stats.with_the_fastest(cells.assign(why_excluded=""), near, GROUP, WORKLOAD)
    assert found["standing"].iloc[0] == "fastest"  # b is faster than a, and tied
    assert not found["why_excluded"].any()


def test_nothing_shared_is_excluded_and_a_single_cell_has_no_rival():
    nan = np.nan
    found = table({"a": [10, 10.1, nan, nan], "b": [nan, nan, 20, 21.0]})
    assert found.loc["b", "why_excluded"] == "shares fewer than two rounds with the fastest"
    alone = table({"a": [10, 10.1]})
    assert alone.loc["a", "why_excluded"] == "nothing to compare it with"


def test_holm_counts_all_pairs_of_a_workload():
    """Alone it is slower at 5 %; among many equally uncertain ones it is not."""
    base, near = [10.0, 10.0, 10.0, 10.0], [11.0, 10.9, 10.3, 11.2]
    assert table({"a": base, "b": near})["standing"]["b"] == "slower"
    more = {f"c{place}": near for place in range(12)}
    assert table({"a": base, "b": near, **more})["standing"]["b"] == "inconclusive"


TIMES = st.lists(st.lists(st.floats(1, 100), min_size=4, max_size=4), min_size=2, max_size=5)


@settings(max_examples=15, deadline=None)
@given(TIMES, st.floats(0.01, 100), st.randoms(use_true_random=False))
def test_order_and_scale_change_nothing(runs, scale, random):
    times = {f"c{place}": np.array(values) for place, values in enumerate(runs)}
    shuffled = list(times.items())
    random.shuffle(shuffled)
    one, other = table(times), table({name: values * scale for name, values in shuffled})
    means = one["ms"].sort_values()
    if means.iloc[1] / means.iloc[0] < 1 + 1e-9:
        return  # two are the fastest; the first of the table is taken
    other = other.loc[one.index]
    assert other["fastest"].tolist() == one["fastest"].tolist()
    assert other["ratio"].to_numpy() == pytest.approx(one["ratio"].to_numpy(), rel=1e-6)


def test_intervals_hold_and_equal_cells_are_rarely_called_slower():
    generator = np.random.default_rng(3)
    logs = generator.normal(0, 0.05, (2000, 3))
    frame = pd.DataFrame(
        {"name": np.repeat(np.arange(2000), 3), "log": logs.ravel(), "machine": ""}
    )
    found = stats.over_rounds(frame, ["name"])
    assert 0.93 < ((found["low"] < 1) & (found["high"] > 1)).mean() < 0.97
    assert (found["p"] < 0.05).mean() == pytest.approx(0.05, abs=0.015)


def test_the_choice_of_the_fastest_is_corrected():
    """Among six equal cells, one is called slower in at most 5 % of workloads."""
    generator = np.random.default_rng(8)
    logs = generator.normal(0, 0.05, (150, 6, 5))
    found = tables(
        [{f"c{place}": runs for place, runs in enumerate(times)} for times in np.exp(logs)]
    )
    wrong = found["standing"].eq("slower").groupby(found["batch_size"]).any().sum()
    assert wrong <= 12  # 5 % and two standard deviations


def by_machine(*lines):
    """Return ms, low and high of a cell from its runs: machine and log time."""
    frame = pd.DataFrame(lines, columns=["machine.id", "log"]).assign(cell="a")
    logs = frame.groupby(["cell", "machine.id"], sort=False, dropna=False)["log"]
    return stats.means_over_machines(logs, ["cell"]).loc["a"]


def interval(logs):
    """Return the t interval of scipy as times."""
    found = scipy_stats.ttest_1samp(logs, 0).confidence_interval()
    return np.exp([np.mean(logs), found.low, found.high])


def test_a_time_is_the_geometric_mean_of_its_runs_or_of_its_machines():
    one = by_machine(("m", 0.1), ("m", 0.4), ("m", 0.2))
    assert one.tolist() == pytest.approx(interval([0.1, 0.4, 0.2]))
    two = by_machine(("m", 0.1), ("m", 0.2), ("m", 0.6), ("n", 0.5))
    assert two.tolist() == pytest.approx(interval([0.3, 0.5]))
    single = by_machine(("m", 0.1))
    assert single["ms"] == pytest.approx(np.exp(0.1)) and np.isnan(single["low"])


def ratios_of(*logs, **more):
    frame = pd.DataFrame({"name": "a", "machine": "", "log": logs, **more})
    return stats.over_rounds(frame, ["name"]).iloc[0]


def test_the_p_value_of_rounds_without_any_variability():
    assert ratios_of(0.0, 0.0)["p"] == 1.0
    assert ratios_of(0.1, 0.1)["p"] == 0.0
    assert np.isnan(ratios_of(0.1)["p"]) and ratios_of(0.1)["rounds"] == 1
    assert ratios_of(0.1, 0.2)["pairs"] == 0
    assert ratios_of(0.1, 0.2, pairs=[3, 5])["pairs"] == 8


def test_bonferroni_by_hand():
    base, new = pd.Series([10.0, 11.0, 12.0]), pd.Series([11.0, 12.5, 13.0])
    logs = np.log(new) - np.log(base)
    half = scipy_stats.t.ppf(1 - 0.025 / 5, 2) * logs.std() / np.sqrt(3)
    found = stats.paired(base, new, names=5)
    ends = np.exp([logs.mean() - half, logs.mean() + half])
    assert (found.low, found.high) == pytest.approx(tuple(ends))
    assert found.ratio == stats.paired(base, new).ratio
    a, b = [10.0, 11.0, 12.0], [13.0, 13.5, 14.5, 13.2]
    test = scipy_stats.ttest_ind(np.log(b), np.log(a), equal_var=False)
    found = stats.welch(a, b, names=5)
    assert found.low == pytest.approx(np.exp(test.confidence_interval(0.99).low))
    assert found.ratio == pytest.approx(np.exp(np.log(b).mean() - np.log(a).mean()))
    assert found.rounds == 3


def test_welch_of_single_runs_has_a_ratio_alone():
    assert stats.welch([1.0], [2.0, 2.0])[:2] == pytest.approx((2.0, np.nan), nan_ok=True)
    assert stats.welch([1.0], [2.0, 2.0]).rounds == 1
    assert np.isnan(stats.welch([], [2.0]).ratio)
    assert not np.isnan(stats.welch([1.0, 1.1], [2.0, 2.1]).low)


def test_a_mean_over_workloads_weighs_rounds_not_workloads():
    lines = [("a", 1, 0.1), ("a", 2, 0.2), ("a", 3, 0.4), ("b", 1, 0.3), ("b", 2, 0.4)]
    lines += [("c", 1, 0.8)]  # measured once; b has no third round
    rounds = pd.DataFrame(lines, columns=["model", "run", "log"])
    rounds = rounds.assign(task="fit", batch_size=1, new="x", machine="m", looks=0)
    found = stats.mean_over_workloads(rounds, ["new"]).loc["x"]
    by_round = interval([0.2, 0.3])
    assert found[["ratio", "low", "high"]].tolist() == pytest.approx(by_round)
    assert (found["workloads"], found["rounds"]) == (2, 2)
    once = stats.mean_over_workloads(rounds[rounds["run"] == 1], ["new"]).loc["x"]
    assert once["ratio"] == pytest.approx(np.exp(0.4)) and once["workloads"] == 3
    looked = stats.mean_over_workloads(rounds.assign(looks=1), ["new"]).loc["x"]
    assert looked["p"] == pytest.approx(2 * found["p"]) and looked["low"] < found["low"]
    apart = rounds.assign(machine=["m", "n", "n", "m", "n", "m"])
    assert stats.mean_over_workloads(apart, ["new"]).loc["x", "low"] == pytest.approx(by_round[1])
    other = rounds[rounds["model"] != "c"].assign(
        run=rounds["run"] + 3, machine="n", log=rounds["log"] + 0.1
    )
    found = stats.mean_over_workloads(pd.concat([rounds, other]), ["new"]).loc["x"]
    assert found["low"] == pytest.approx(interval([0.25, 0.35])[1])  # a value for each machine


def test_added_rounds_of_one_workload_do_not_weigh_in_the_mean():
    lines = [("a", run, 0.69) for run in range(1, 6)] + [("b", run, -0.69) for run in range(1, 4)]
    rounds = pd.DataFrame(lines, columns=["model", "run", "log"])
    rounds = rounds.assign(task="fit", batch_size=1, new="x", machine="m", looks=0)
    assert stats.mean_over_workloads(rounds, ["new"]).loc["x", "ratio"] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("factor", "standing"), [(1.04, "tied"), (1.047, "tied"), (1.053, "inconclusive")]
)
def test_tied_is_within_five_percent(factor, standing):
    """By two rounds that vary too little for an interval beyond the bar, but p is above 5 %."""
    cells = pd.DataFrame([("m", "fit", 1, "", "cpu", name, ms, 3, True) for name, ms in
                          (("a", 10.0), ("b", 10.2))],
                         columns=[*GROUP, "configuration", "ms", "runs", "comparable"])  # fmt: skip
    cells["why_excluded"] = ""
    ratio = {"ratio": 1.02, "low": 0.999, "high": factor, "p": 0.06, "rounds": 3}
    key = {"model": "m", "task": "fit", "batch_size": 1, **ratio}
    sides = [{"base": "a", "configuration": "b"}, {"base": "b", "configuration": "a"}]
    ratios = pd.DataFrame([key | side for side in sides])
    found = stats.with_the_fastest(cells, ratios, GROUP, WORKLOAD).set_index("configuration")
    assert found.loc["b", "standing"] == standing
    low = ratios.assign(low=1 / factor, high=1.001)
    found = stats.with_the_fastest(cells, low, GROUP, WORKLOAD).set_index("configuration")
    assert found.loc["b", "standing"] == standing
    slower = stats.with_the_fastest(cells, ratios.assign(p=0.05), GROUP, WORKLOAD)
    assert slower.set_index("configuration").loc["b", "standing"] == "slower"
    assert found.loc["a", ["ratio", "ratio_low", "ratio_high", "rounds"]].tolist() == [1, 1, 1, 3]
    assert np.isnan(found.loc["a", "p"]) and found.loc["b", "rounds"] == 3
