"""Where a framework stands in its row: four states, none of which stands for another."""

import math
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from record_changes import takes
from results_factory import Project, make_plan

from analysis.claims.claim_tests import no_best_backend
from analysis.comparisons.findings import Answer, findings
from analysis.comparisons.gains import backends
from analysis.statistics.best_set import Contest, Standing, not_slower, shown_slower_of
from analysis.statistics.intervals import paired_ratio

BEST, UNDECIDED, SLOWER, NOT_COMPARED = Standing
KERAS3 = ("keras3-tensorflow", "keras3-jax", "keras3-torch")
rows = st.dictionaries(
    st.sampled_from("abcde"),
    st.dictionaries(st.integers(1, 4), st.floats(min_value=1.0, max_value=2.0), max_size=4),
    max_size=5,
)


def times(*values):
    return dict(enumerate(values, start=1))


def standings(**row):
    return Contest(row).standings()


def set_times(project, column, task, run_ms):
    """Runs of a cell that take so long; a round that is missing has failed."""
    for run in (1, 2, 3):
        where = {"column": column, "task": task, "run": run}
        if run not in run_ms:
            project.fail("error", "lost", **where)
            continue
        project.change(partial(takes, step_ms=run_ms[run]), **where)


def test_the_states_of_a_quiet_row():
    found = standings(
        fast=times(10.00, 10.01, 10.02),
        equal=times(10.01, 10.03, 10.02),
        slow=times(10.60, 10.62, 10.61),
        noisy=times(10.0, 12.0, 11.0),
        lost={3: 10.1},
    )
    # the noisy one could be faster than anyone, so nobody is shown to be best
    assert found == {
        "fast": UNDECIDED,
        "equal": UNDECIDED,
        "slow": SLOWER,
        "noisy": UNDECIDED,
        "lost": NOT_COMPARED,
    }
    quiet = standings(
        fast=times(10.00, 10.01, 10.02),
        equal=times(10.01, 10.03, 10.02),
        slow=times(10.60, 10.62, 10.61),
    )
    assert quiet == {"fast": BEST, "equal": BEST, "slow": SLOWER}


def test_a_framework_2_9_times_slower_is_never_best():
    """BERT fit of two runs each, as measured: Student's factor of 12.7 shows nothing."""
    found = standings(fast=times(184.0, 217.0), slow=times(611.0, 560.0), third=times(240.0, 236.0))
    assert found["slow"] is not BEST and found["fast"] is not BEST


def test_a_backend_that_shares_one_round_with_the_fastest_is_not_behind(tmp_path):
    project = Project(tmp_path, make_plan(columns=KERAS3))
    for task in ("fit", "predict"):
        set_times(project, "keras3-jax", task, {2: 10.0, 3: 10.02})
        set_times(project, "keras3-torch", task, {1: 10.05, 3: 10.03})
        set_times(project, "keras3-tensorflow", task, {1: 30.0, 2: 30.1, 3: 30.05})
    of_columns = backends(project.load()).groupby("column")
    standings = of_columns["standing"].unique().map(list)
    assert standings["keras3-torch"] == [NOT_COMPARED] and standings["keras3-jax"] == [BEST]
    assert of_columns["behind"].all().to_dict() == dict.fromkeys(KERAS3, False) | {KERAS3[0]: True}
    assert not of_columns["alone"].any().any()
    assert findings(project.load())[0].verdict is Answer.UNDECIDED


def test_a_lost_round_does_not_make_the_claim_hold(tmp_path):
    """Each backend fastest or tied: none is significantly slower, whatever shares no round."""
    project = Project(tmp_path, make_plan(columns=KERAS3[1:]))
    set_times(project, "keras3-jax", "fit", {2: 10.0, 3: 10.02})
    set_times(project, "keras3-torch", "fit", {1: 10.05, 3: 10.03})
    set_times(project, "keras3-torch", "predict", {2: 10.0, 3: 10.02})
    set_times(project, "keras3-jax", "predict", {1: 10.05, 3: 10.03})
    results = project.load()
    assert no_best_backend(results).holds is None
    assert findings(results)[0].verdict is Answer.UNDECIDED


def test_a_table_is_harder_to_convince_than_a_row():
    """p of 0.002 shows a rival slower among the comparisons of one row, not among those of 12."""
    row = {"fast": times(10, 10, 10), "slow": times(11.0, 11.1, 11.2), "tied": times(10, 10.01, 10)}
    alone = Contest(row)
    assert alone.standings()["slow"] is SLOWER
    assert shown_slower_of([alone]) == [{"slow"}]
    tied = Contest({name: times(10, 10.01, 10.02) for name in row})
    assert shown_slower_of([alone] + [tied] * 11) == [set()] * 12


def test_claim_and_finding_correct_over_all_rows(tmp_path):
    """One row alone would show JAX slower; a statement about 12 rows needs more."""
    batches = range(1, 13)
    plan = make_plan(rows=[("bert", "fit", batch, None) for batch in batches], columns=KERAS3[:2])
    project = Project(tmp_path, plan)
    project.change(lambda record: _scale(record, record["cell"]["batch_size"]))
    results = project.load()
    jax = backends(results).query("column == 'keras3-jax'").iloc[0]
    assert results.rows[0].standings["keras3-jax"] is SLOWER
    assert jax["standing"] != SLOWER and not jax["behind"]
    found = findings(results)[0]
    assert "nor shown alone in front in every row. " in found.answer
    _, told = found.evidence[0]
    assert "; undecided (corrected for all rows): " in told and "Keras 3 (JAX)" in told


def _scale(record, batch):
    """JAX 7 to 13 % slower in the first row; in the others the two are tied, with scatter."""
    run, jax = record["cell"]["run"], record["cell"]["column"] == "keras3-jax"
    slower = 0.04 + 0.03 * run if batch == 1 else 0.002 * (run * batch % 5)
    takes(record, 10 * (1 + slower * jax))


@given(rows)
def test_best_means_that_no_rival_could_be_more_than_two_percent_faster(row):
    found = Contest(row).standings()
    assert found.keys() == row.keys()
    kept = not_slower(found)
    for name, standing in found.items():
        if standing is BEST:
            ratios = [paired_ratio(row[name], row[rival]) for rival in kept - {name}]
            assert all(ratio.interval.high <= 1.02 for ratio in ratios)
    if SLOWER in found.values():
        assert kept  # somebody is faster


@pytest.mark.parametrize("factor", [1.0, 1.03])
def test_best_is_by_the_interval_and_not_by_the_mean(factor):
    """Ratios of 1 and 1.03 with ends at +- 4 % are undecided, those at +- 0.1 % are not."""
    for spread, expected in ((0.02, UNDECIDED), (0.0005, BEST if factor == 1.0 else SLOWER)):
        other = times(*(10 * factor * math.exp(d * spread) for d in (-1, 0, 1)))
        assert standings(fast=times(10, 10, 10), other=other)["other"] is expected
