import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from record_changes import slow_down
from results_factory import Project, make_plan, uneven
from scipy.special import stdtr

from analysis.statistics.intervals import as_measured, log_t_interval, paired_ratio
from analysis.statistics.moderation import FADE, LENT, MIN_ROWS, Prior, TableScatter, prior_of

positive = st.floats(min_value=1e-8, max_value=1e3)


def test_the_level_of_a_column_is_found_again():
    generator = np.random.default_rng(1)
    found = 4e-4 * generator.chisquare(2, 4001) / 2
    assert prior_of([(v, 2) for v in found.tolist()]).variance == pytest.approx(4e-4, rel=0.06)


def test_the_level_is_the_median_over_that_of_chi_squared():
    # of two degrees of freedom, ln 2
    samples = [(1e-4, 2), (2e-4, 2), (3e-4, 2), (9.0, 2), (0.0, 2)]
    assert prior_of(samples).variance == pytest.approx(2e-4 / math.log(2))


def test_too_little_to_learn_from():
    assert prior_of([(1e-4, 2)] * (MIN_ROWS - 1)) is None
    assert prior_of([(0.0, 2)] * 20) is None
    assert prior_of([(1e-4, 1)] * 20) is None  # two runs


def test_moderation_by_hand():
    prior = Prior(4e-4)
    used, freedom = prior.moderated(1e-4, 2)
    assert used == pytest.approx((2 * 1e-4 + LENT * 4e-4) / (2 + LENT)) and freedom == 2 + LENT
    # twice the prior: kept, and lent the less
    assert prior.moderated(8e-4, 2) == (pytest.approx(8e-4), pytest.approx(2 + LENT / 2**FADE))
    assert prior.moderated(1e-4, 1) == (1e-4, 1)  # two runs stay plain


@given(positive, st.integers(2, 9), positive)
def test_no_variance_is_drawn_downwards(variance, freedom, level):
    used, of = Prior(level).moderated(variance, freedom)
    assert variance * (1 - 1e-9) <= used <= max(variance, level) * (1 + 1e-9)
    assert freedom <= of <= freedom + LENT


@pytest.mark.parametrize(
    ("times", "low", "high"),
    [(1.0, 0.97, 0.98), (1.5, 0.92, 0.945), (2.0, 0.92, 0.93), (3.0, 0.92, 0.935)],
)
def test_intervals_of_what_scatters_more_than_its_column_cover_what_the_documents_say(
    times, low, high
):
    """Three runs of a mean of 0, in 100,000 experiments."""
    runs = times * np.random.default_rng(1).normal(size=(100_000, 3))
    used, freedom = Prior(1.0).moderated(runs.var(axis=1, ddof=1), 2)
    p_value = 2 * stdtr(freedom, -abs(runs.mean(axis=1)) / np.sqrt(used / 3))
    assert low <= (p_value >= 0.05).mean() <= high


def test_an_array_is_moderated_as_its_samples_are():
    samples = np.array([0.0, 1e-4, 4e-4, 5e-4, 1.0])
    used, freedom = Prior(4e-4).moderated(samples, 2)
    each = [Prior(4e-4).moderated(sample, 2) for sample in samples.tolist()]
    assert np.allclose(used, [found for found, _ in each])
    assert np.allclose(freedom, [found for _, found in each])


def scattered_rows(columns, rounds, generator, scatter=0.02, drift=0.0):
    """12 rows of equal cells; `drift` is common to the cells of a round."""
    table = []
    for _ in range(12):
        common = drift * generator.normal(size=rounds)
        logs = scatter * generator.normal(size=(columns, rounds)) + common
        found = enumerate(np.exp(logs).tolist())
        table.append({str(column): dict(enumerate(cell)) for column, cell in found})
    return table


def widths(rows, moderate):
    cells = [(name, runs) for row in rows for name, runs in row.items()]
    found = (log_t_interval(list(runs.values()), moderate(name, runs)) for name, runs in cells)
    return [interval.half_width for interval in found]


def test_three_runs_become_as_sharp_as_their_column():
    rows = scattered_rows(5, 3, np.random.default_rng(2))
    plain = sorted(widths(rows, lambda name, runs: as_measured))
    moderated = sorted(widths(rows, TableScatter(rows).of_cell))
    # t of 4.30 on wildly different deviations against about 2.2 on a common one
    assert moderated[30] < 0.75 * plain[30]
    assert moderated[0] > 2 * plain[0]  # three runs that agree by luck are no longer believed


def test_pairs_have_priors_of_their_own_without_the_drift():
    rows = scattered_rows(5, 3, np.random.default_rng(3), scatter=0.01, drift=0.2)
    scatter = TableScatter(rows)
    assert scatter.prior("0").variance > 50 * scatter.prior("0", "1").variance
    a, b = rows[0]["0"], rows[0]["1"]
    ratio = paired_ratio(a, b, scatter.of_pair("0", "1", a))
    mirrored = paired_ratio(b, a, scatter.of_pair("1", "0", a))
    assert mirrored.interval.low * ratio.interval.high == pytest.approx(1)


def test_a_noisy_column_widens_its_own_intervals_alone():
    rows = scattered_rows(3, 3, np.random.default_rng(4))
    before = TableScatter(rows)
    noisy = [
        {**row, "2": {number: ms**5 for number, ms in row["2"].items()}}  # five times the scatter
        for row in rows
    ]
    after = TableScatter(noisy)
    assert after.prior("0", "1").variance == before.prior("0", "1").variance
    assert after.prior("0", "2").variance > 5 * before.prior("0", "2").variance


@pytest.mark.parametrize("runs", [[1.0, 1.0, 1.0], [1.0, 1.4, 0.7]])
def test_neither_a_silent_nor_a_loud_cell_moves_the_intervals_of_others(runs):
    """Those of other columns not at all, those of its own by a few per cent, over 60 tables."""
    column = []
    for seed in range(60):
        rows = scattered_rows(6, 3, np.random.default_rng(seed))
        before = np.reshape(widths(rows, TableScatter(rows).of_cell), (12, 6))
        rows[0]["0"] = dict(enumerate(runs))
        after = np.reshape(widths(rows, TableScatter(rows).of_cell), (12, 6))
        assert (after[:, 1:] == before[:, 1:]).all()
        column.append(np.abs(after[1:, 0] / before[1:, 0] - 1).mean())
    assert np.mean(column) < 0.10


def test_cells_of_a_table_know_its_scatter_but_for_the_unsteady_one(tmp_path):
    rows = tuple(("bert", "fit", batch, 32) for batch in (8, 16, 32, 64))
    project = Project(tmp_path, make_plan(rows=rows))
    project.change(uneven)
    project.change(lambda r: r["cell"]["batch_size"] == 8 and slow_down(r), column="keras3-torch")
    cells = list(project.load().cells)
    unsteady = [cell for cell in cells if not cell.steady]
    assert [cell.column.name for cell in unsteady] == ["keras3-torch"]
    assert unsteady[0].interval == unsteady[0].plain_interval
    weighed = [cell for cell in cells if cell.interval != cell.plain_interval]
    assert len(weighed) > len(cells) / 2  # what scatters far more than its column is lent nothing


def test_two_runs_are_plain(tmp_path):
    project = Project(tmp_path, make_plan(runs=2))
    project.change(uneven)
    assert all(cell.interval == cell.plain_interval for cell in project.load().cells)
