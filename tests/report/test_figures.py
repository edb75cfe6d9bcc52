"""Axes that a reader can read."""

import pytest
from matplotlib.figure import Figure

from millistep.analysis import figures


@pytest.mark.parametrize(
    ("low", "high", "fewest"), [(0.9, 1.3, 3), (0.7, 4.0, 3), (1.0, 30.0, 3), (1.0, 5000.0, 3)]
)
def test_a_logarithmic_axis_has_ticks_at_round_numbers(low, high, fewest):
    axes = Figure().subplots()
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    figures._logarithmic(axes.xaxis)
    shown = [tick for tick in axes.get_xticks() if low <= tick <= high]
    labels = [axes.xaxis.get_major_formatter()(tick, 0) for tick in shown]
    assert len({*labels}) == len(shown) >= fewest
    assert all(len(label) <= 5 for label in labels)
