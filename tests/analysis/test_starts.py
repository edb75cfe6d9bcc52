"""What the runs of one start have in common: by hand, and from records to ratios."""

import math

import numpy as np
import pytest
from record_changes import stretch
from results_factory import Project, make_plan

from analysis.atlas.read import MEAN, content
from analysis.report.methods_text import methods_text
from analysis.results.cells import cell_ratio
from analysis.results.reference import load_reference
from analysis.statistics.intervals import Sitting, deviation
from analysis.statistics.starts import MIN_ROWS, consensus, independent_of_start


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
