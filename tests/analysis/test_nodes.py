"""Runs of several nodes, sessions and starts: what is compared with what, what they have in common,
and what intervals rest on.
"""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from quiet_table import JAX, TORCH
from record_changes import stretch
from results_factory import Project, make_plan

from analysis.atlas.read import MEAN, content
from analysis.caveats import Severity, collect
from analysis.comparisons.pairs import pairs
from analysis.data import Data
from analysis.report.methods_text import methods_text
from analysis.report.setting import machines
from analysis.results.cells import cell_ratio
from analysis.results.reference import load_reference
from analysis.statistics.best_set import best_set
from analysis.statistics.intervals import Sitting, deviation, log_t_interval, paired_ratio, run_logs
from analysis.statistics.mean_ratio import mean_ratio
from analysis.statistics.moderation import TableScatter
from analysis.statistics.starts import MIN_ROWS, consensus, independent_of_start

TIMES = st.floats(1, 100)


def on_nodes(times, nodes):
    """Runs of a column in one session each round."""
    return {
        Sitting(number, f"s{number}", node): time
        for number, (node, time) in enumerate(zip(nodes, times, strict=True), start=1)
    }


@given(st.lists(TIMES, min_size=3, max_size=3), st.lists(TIMES, min_size=3, max_size=3))
def test_a_round_on_each_node_is_as_good_as_rounds_on_one(a, b):
    spread = paired_ratio(on_nodes(a, "xyz"), on_nodes(b, "xyz"))
    alone = paired_ratio(on_nodes(a, "xxx"), on_nodes(b, "xxx"))
    assert spread.value == pytest.approx(alone.value)
    assert spread.interval.half_width == pytest.approx(alone.interval.half_width)


@given(st.lists(TIMES, min_size=6, max_size=6))
def test_rounds_on_one_node_count_as_one_value_where_others_lie_elsewhere(times):
    runs = on_nodes(times, "xxxyyz")
    means = [math.prod(times[:3]) ** (1 / 3), math.prod(times[3:5]) ** (1 / 2), times[5]]
    found = log_t_interval([math.exp(log) for log in run_logs(runs)])
    by_hand = log_t_interval(means)
    assert (found.low, found.high) == pytest.approx((by_hand.low, by_hand.high))
    ratio = paired_ratio(runs, on_nodes([1.0] * 6, "xxxyyz"))
    assert (ratio.rounds, ratio.degrees_of_freedom) == (6, 2)


def test_runs_of_other_sessions_are_not_compared():
    here = {Sitting(number, f"a{number}"): 10.0 for number in (1, 2, 3)}
    there = {Sitting(number, f"b{number}"): 20.0 for number in (1, 2, 3)}
    assert paired_ratio(here, there) is None
    assert best_set({"here": here, "there": there}) == frozenset()


@given(st.lists(st.tuples(TIMES, TIMES, TIMES), min_size=2, max_size=5))
def test_a_mean_over_rows_of_the_same_nodes_rests_on_the_means_of_nodes(rows):
    """A column that is slower on a node is so in every row there."""
    base = on_nodes((1.0, 1.0, 1.0), "xyz")
    found = mean_ratio({str(k): (on_nodes(row, "xyz"), base) for k, row in enumerate(rows)})
    of_nodes = [math.prod(times) ** (1 / len(rows)) for times in zip(*rows, strict=True)]
    by_hand = log_t_interval(of_nodes)
    assert (found.interval.low, found.interval.high) == pytest.approx((by_hand.low, by_hand.high))


def test_what_lies_on_several_nodes_is_not_moderated():
    def row(nodes):
        return {
            str(column): on_nodes((1.0, 1.01 + column / 1e3, 1.02), nodes) for column in range(4)
        }

    one, several = [row("xxx")] * 4, [row("xxy")] * 4
    scatter = TableScatter([*one, *several])
    for columns in (("0",), ("0", "1")):
        assert scatter.prior(*columns) == TableScatter(one).prior(*columns) is not None
    runs = several[0]["0"]
    found = (scatter.of_cell("0", runs), scatter.of_pair("0", "1", runs))
    assert [moderate(1e-6, 2) for moderate in found] == [(1e-6, 2)] * 2
    runs = one[0]["0"]
    found = (scatter.of_cell("0", runs), scatter.of_pair("0", "1", runs))
    assert (1e-6, 2) not in [moderate(1e-6, 2) for moderate in found]


def test_a_run_of_another_session_is_missing_from_ratios_and_named(tmp_path):
    columns = ("pytorch-eager", "pytorch-compiled", JAX)
    project = Project(tmp_path, make_plan(3, (("bert", "fit", 8, 32),), columns))
    project.change(lambda r: r["session"].update(id="0" * 12), column="pytorch-compiled", run=2)
    results = project.load()
    eager, compiled, jax = results.rows[0].cells
    assert (cell_ratio(compiled, eager).rounds, cell_ratio(jax, eager).rounds) == (2, 3)
    assert pairs(Data(results))["rounds"].tolist() == [2]
    assert len(compiled.run_ms) == 3  # its own time keeps all of them
    (caveat,) = (found for found in collect(results) if found.id == "rounds_lost")
    assert caveat.evidence["rounds"] == {"bert/fit-b8/pytorch-compiled": [2]}
    assert "PyTorch (compiled) 1 of 3 rounds" in caveat.sentence


def test_cells_on_one_node_among_several_hold_for_it_alone(tmp_path):
    rows = (("bert", "fit", 8, 32), ("bert", "predict", 16, 256))
    project = Project(tmp_path, make_plan(3, rows, (JAX, TORCH)))
    for record in project.records.values():
        if record["cell"]["task"] == "predict":
            record["session"]["node"] = f"0000000{record['cell']['run']}"
    results = project.load()
    (caveat,) = (found for found in collect(results) if found.id == "several_nodes")
    assert caveat.sentence.startswith("Measured on 4 nodes. Of 2 cells the runs lie on more than")
    assert [cell.row.task for cell in caveat.cells] == ["fit", "fit"]
    assert "Runs are of 4 nodes" in methods_text(results)[-1]
    assert machines(results).startswith("4 nodes with ") and machines(results).endswith(" each")


def test_a_table_of_one_machine_says_that_it_holds_for_that_one(quiet):
    results = quiet.load()
    assert "hold for that one alone" in methods_text(results)[-1]
    assert "node" not in machines(results)


@pytest.mark.parametrize(("neighbours", "told"), [(None, []), (0, []), (1, ["1"]), (3, ["3"])])
def test_cells_that_were_measured_beside_busy_slots_are_named(quiet, neighbours, told):
    quiet.change(lambda r: r["session"].update(slots=4, neighbours=0))
    quiet.change(lambda r: r["session"].update(neighbours=neighbours), TORCH, run=2)
    caveats = collect(quiet.load())
    assert [caveat.id for caveat in caveats] == ["busy_neighbours"] * len(told)
    for caveat, most in zip(caveats, told, strict=True):
        assert caveat.severity is Severity.NOTE
        assert [cell.column.name for cell in caveat.cells] == [TORCH]
        assert f"at once: BERT fit: Keras 3 (PyTorch) {most}. What" in caveat.sentence
        assert "benchmarks/neighbours.py" in caveat.sentence


def in_starts(*starts):
    """Log ratios by sitting, those of each start together."""
    found = [(str(start), log) for start, logs in enumerate(starts) for log in logs]
    return {Sitting(number, start=start): log for number, (start, log) in enumerate(found)}


TOLD = in_starts([0.0, 2.0], [6.0, 8.0])


def test_the_correlation_by_hand():
    # Mean squares 36 between and 2 within; the median of F(1, 2) is 2/3: (36 - 4/3) / (36 + 4/3).
    assert consensus([[TOLD]] * MIN_ROWS) == pytest.approx(13 / 14)
    unlike = in_starts([0.0, 2.0], [0.0, 2.0])
    assert consensus([[TOLD, unlike, TOLD]] * MIN_ROWS) == pytest.approx(13 / 14)
    assert consensus([[unlike]] * MIN_ROWS) == 0


def test_what_tells_of_no_correlation():
    assert consensus([[TOLD]] * (MIN_ROWS - 1)) == 0
    three, one, still = in_starts([0.0, 2.0], [6.0]), in_starts([0.0, 2.0, 6.0]), in_starts([0] * 4)
    assert consensus([[three, one, still]] * MIN_ROWS) == 0


def test_as_generalised_least_squares_by_hand():
    # 36 / (1 + 13/14) + 4 / (1 - 13/14) over 3, times (1 + 13/14) over 4 runs: 12
    found = independent_of_start(TOLD, 13 / 14)
    assert np.mean(found) == pytest.approx(4)
    assert deviation(found) ** 2 / 4 == pytest.approx(12)


@pytest.mark.parametrize("sizes", [(2, 1), (3, 2), (5, 5), (1, 4, 2)])
def test_the_variance_is_that_of_the_mean_however_many_rounds_each_start_has(sizes):
    number, correlation = sum(sizes), 0.3
    start = np.repeat(np.arange(len(sizes)), sizes)
    covariance = np.where(start[:, None] == start, correlation, 0.0) + 0.7 * np.eye(number)
    apart = np.array(
        [
            independent_of_start(in_starts(*np.split(unit, np.cumsum(sizes)[:-1])), correlation)
            for unit in np.eye(number)
        ]
    )
    centred = apart - apart.mean(axis=1, keepdims=True)
    told = np.trace(centred.T @ covariance @ centred) / (number - 1) / number
    assert told == pytest.approx(covariance.mean())
    assert np.allclose(apart.mean(axis=1), 1 / number)  # the mean is the plain one


def test_runs_of_one_start_and_of_one_each_stay_as_they_are():
    for logs in (in_starts([0.1, 0.3, 0.2]), in_starts([0.1], [0.3], [0.2]), {1: 0.1, 2: 0.3}):
        assert independent_of_start(logs, 0.5) == list(logs.values())


def test_a_ratio_of_several_starts_is_as_uncertain_as_these_differ(tmp_path):
    """The same records, with and without what each says of its start."""
    rows = [("bert", "fit", batch, 32) for batch in (4, 8, 16, 32)]
    project = Project(tmp_path, make_plan(6, rows, ("keras3-jax", "keras3-torch")))

    def shift(record):
        cell = record["cell"]
        later = cell["run"] > 3
        odd = cell["run"] % 3 - 1 + (cell["column"] == "keras3-jax") * cell["run"] % 2
        stretch(record, math.exp(0.002 * odd + 0.02 * (later and cell["column"] == "keras3-jax")))

    def tell(record):
        record["session"]["start"] = "ab"[record["cell"]["run"] > 3] * 12

    project.change(shift)
    before = project.load()
    project.change(tell)
    after = project.load()
    texts = [methods_text(results)[-1] for results in (before, after)]
    assert ["of one start of the pipeline correlate by" in text for text in texts] == [False, True]
    for old, new in zip(before.rows, after.rows, strict=True):
        plain, told = cell_ratio(*old.cells), cell_ratio(*new.cells)
        assert told.value == plain.value and told.rounds == plain.rounds
        assert told.interval.half_width > 1.5 * plain.interval.half_width
        assert new.cells[0].interval == old.cells[0].interval
    # ... and the mean over rows of an atlas
    plain, told = (
        math.log(mean["ci95_high"] / mean["ci95_low"])
        for results in (before, after)
        for mean in content(results, load_reference())["pairs"]
        if mean["model"] == MEAN
    )
    assert told > 1.5 * plain
