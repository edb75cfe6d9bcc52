import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from results_factory import Project, make_plan, uneven

from analysis.statistics.intervals import as_measured, log_t_interval, paired_ratio
from analysis.statistics.moderation import Prior, Sample, fit_prior, log_moments, trigamma_inverse
from analysis.statistics.table_scatter import UNKNOWN, Scattered, table_scatter

positive = st.floats(min_value=1e-8, max_value=1e3)


def drawn_samples(number, freedom, prior_freedom, scale, generator, slope=0.0):
    """Sample variances whose true ones are scaled inverse chi-squared."""
    covariates = generator.normal(size=number)
    true = scale * np.exp(slope * covariates)
    true = true * prior_freedom / generator.chisquare(prior_freedom, number)
    found = true * generator.chisquare(freedom, number) / freedom
    return [Sample(v, freedom, c) for v, c in zip(found.tolist(), covariates.tolist(), strict=True)]


def test_moments_of_a_logarithm_by_hand():
    # 2 degrees of freedom: an exponential variable; mean -Euler's constant, variance pi^2 / 6
    mean, variance = log_moments(2)
    assert mean == pytest.approx(-0.5772156649)
    assert variance == pytest.approx(math.pi**2 / 6)


@given(st.floats(min_value=1e-4, max_value=1e9))
def test_inverse_of_trigamma(value):
    from scipy.special import polygamma

    assert float(polygamma(1, trigamma_inverse(value))) == pytest.approx(value, rel=1e-3)


@pytest.mark.parametrize("slope", [0.0, 0.8])
def test_a_prior_is_found_again(slope):
    samples = drawn_samples(20_000, 4, 6.0, 4e-4, np.random.default_rng(1), slope)
    prior = fit_prior(samples, [4] * len(samples))
    assert prior.degrees_of_freedom == pytest.approx(6.0, rel=0.15)
    assert prior.variance(0.0) == pytest.approx(4e-4, rel=0.05)
    assert prior.slope == pytest.approx(slope, abs=0.05)


def test_cells_that_are_all_alike_share_one_variance():
    samples = [Sample(1e-4, 2) for _ in range(10)]
    prior = fit_prior(samples, [2] * 10)
    assert prior.degrees_of_freedom == math.inf and prior.most == 20
    # unbiased of the logarithm: two degrees of freedom put it exp(0.577) too low on average
    assert prior.variance(None) == pytest.approx(1e-4 * math.exp(0.5772156649))


def test_too_little_to_learn_from():
    quiet = [Sample(1e-4, 2) for _ in range(7)]
    assert fit_prior(quiet, [2] * 7) is None
    assert fit_prior([Sample(0.0, 2)] * 20, [2] * 20) is None
    assert fit_prior([Sample(1e-4, 1)] * 20, [1] * 20) is None  # two runs
    assert fit_prior(quiet * 3, [2] * 5) is None  # many pairs of few cells


def test_moderation_by_hand():
    prior = Prior(6.0, math.log(4e-4), 0.0, most=100)
    # (2 * 1e-4 + 6 * 4e-4) / 8
    assert prior.moderated(Sample(1e-4, 2)) == (pytest.approx(3.25e-4), 8.0)
    # twice the prior: kept, and 6 / 2^2 degrees of freedom are lent
    assert prior.moderated(Sample(8e-4, 2)) == (pytest.approx(8e-4), pytest.approx(3.5))
    assert prior.moderated(Sample(1e-4, 1)) == (1e-4, 1)  # two runs stay plain
    assert Prior(math.inf, 0.0, 0.0, most=20).moderated(Sample(0.5, 2))[1] == 20


@given(positive, st.integers(2, 9), positive, st.floats(min_value=0.1, max_value=1e6))
def test_no_variance_is_drawn_downwards(variance, freedom, level, lent):
    prior = Prior(lent, math.log(level), 0.0, most=1e9)
    used, of = prior.moderated(Sample(variance, freedom))
    assert variance <= used <= max(variance, level) * (1 + 1e-9)
    assert freedom <= of <= freedom + lent


def scattered_rows(columns, rounds, generator, scatter=0.02, drift=0.0):
    """12 rows of equal cells; `drift` is common to the cells of a round."""
    table = []
    for _ in range(12):
        common = drift * generator.normal(size=rounds)
        logs = scatter * generator.normal(size=(columns, rounds)) + common
        table.append(
            {
                str(column): Scattered(dict(enumerate(np.exp(cell).tolist())), 1e-4)
                for column, cell in enumerate(logs)
            }
        )
    return table


def test_three_runs_become_as_sharp_as_their_table():
    rows = scattered_rows(5, 3, np.random.default_rng(2))
    scatter = table_scatter(rows)
    cells = [cell for row in rows for cell in row.values()]

    def widths(moderate):
        found = (log_t_interval(list(c.runs.values()), moderate(c)) for c in cells)
        return sorted(interval.half_width for interval in found)

    plain, moderated = widths(lambda cell: as_measured), widths(scatter.of_cell)
    # t of 4.30 on wildly different deviations against about 2 on a common one
    assert moderated[30] < 0.75 * plain[30]
    assert moderated[0] > 3 * plain[0]  # three runs that agree by luck are no longer believed


def test_pairs_have_a_prior_of_their_own_without_the_drift():
    rows = scattered_rows(5, 3, np.random.default_rng(3), scatter=0.01, drift=0.2)
    scatter = table_scatter(rows)
    assert scatter.pairs.variance(None) == pytest.approx(2 * 0.01**2, rel=0.3)
    assert scatter.cells.variance(None) > 50 * scatter.pairs.variance(None)
    a, b = rows[0]["0"], rows[0]["1"]
    ratio = paired_ratio(a.runs, b.runs, scatter.of_pair(a, b))
    assert ratio.interval.half_width < 0.05
    mirrored = paired_ratio(b.runs, a.runs, scatter.of_pair(b, a))
    assert mirrored.interval.low * ratio.interval.high == pytest.approx(1)


def test_blocks_that_scatter_make_a_cell_noisy_in_advance():
    generator = np.random.default_rng(4)
    rows = []
    for _ in range(30):
        noisy = np.exp(generator.normal(size=4))
        logs = 0.01 * noisy[:, None] * generator.normal(size=(4, 3))
        rows.append(
            {
                str(i): Scattered(dict(enumerate(np.exp(cell).tolist())), float(noisy[i] ** 2))
                for i, cell in enumerate(logs)
            }
        )
    prior = table_scatter(rows).cells
    assert prior.slope == pytest.approx(1.0, abs=0.25)
    assert prior.variance(math.log(9.0)) > 3 * prior.variance(0.0)


def test_a_cell_whose_blocks_are_unknown_is_not_moderated_by_a_trend():
    scatter = type(UNKNOWN)(Prior(5.0, 0.0, 1.0, 50), Prior(5.0, 0.0, 1.0, 50))
    unknown = Scattered({1: 1.0, 2: 1.1, 3: 1.2}, None)
    assert scatter.of_cell(unknown) is as_measured
    assert scatter.of_pair(unknown, Scattered({}, 1e-4)) is as_measured


def slow_down(record):
    blocks = record["timing"]["blocks"]
    for block in blocks[len(blocks) // 2 :]:
        block["elapsed_ns"] = round(block["elapsed_ns"] * 1.3)


def test_cells_of_a_table_know_its_scatter_but_for_the_unsteady_one(tmp_path):
    project = Project(tmp_path)
    project.change(uneven)
    project.change(slow_down, column="keras3-torch", task="fit", run=2)
    cells = list(project.load().cells)
    unsteady = [cell for cell in cells if not cell.steady]
    assert [cell.column.name for cell in unsteady] == ["keras3-torch"]
    for cell in cells:
        assert (cell.interval == cell.plain_interval) is (cell in unsteady)


def test_two_runs_are_plain(tmp_path):
    project = Project(tmp_path, make_plan(runs=2))
    project.change(uneven)
    assert all(cell.interval == cell.plain_interval for cell in project.load().cells)
