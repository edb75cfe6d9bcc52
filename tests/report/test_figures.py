"""Axes that a reader can read."""

from types import SimpleNamespace

import pytest
from matplotlib.figure import Figure

from millistep.analysis import figures
from millistep.analysis.topics import why
from tests.report.made import made, profile


@pytest.mark.parametrize(("low", "high"), [(0.9, 1.3), (0.7, 4.0), (1.0, 30.0), (1.0, 5000.0)])
def test_a_logarithmic_axis_has_ticks_at_round_numbers(low, high):
    axes = Figure().subplots()
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    figures._logarithmic(axes.xaxis)
    shown = [tick for tick in axes.get_xticks() if low <= tick <= high]
    labels = [axes.xaxis.get_major_formatter()(tick, 0) for tick in shown]
    assert len({*labels}) == len(shown) >= 3
    assert all(len(label) <= 5 for label in labels)


def test_a_long_title_stays_above_its_panel(tmp_path, monkeypatch):
    def figure(data, panels):
        for axes in (next(panels), next(panels)):
            axes.plot([1, 2], [1, 2])
            axes.set_yticks([1, 2], ["Stable Diffusion predict", "Gemma generate, batch 4"])
            axes.set(title="What does Keras 3 change on TensorFlow?")

    drawn, canvas = [], figures.FigureCanvasSVG
    monkeypatch.setattr(figures, "FigureCanvasSVG", lambda of: drawn.append(of) or canvas(of))
    assert figures.draw("x", figures.of_topic(SimpleNamespace(figure=figure), None), tmp_path)
    for axes in drawn[0].axes:
        (title,) = (text for text in [*axes.texts, axes._left_title] if text.get_text())
        ends = title.get_window_extent()
        assert ends.x1 <= axes.get_window_extent().x1 + 30
        assert ends.x0 >= 0 and ends.x1 <= drawn[0].bbox.x1


BERT, GEMMA = ("bert", "fit", 4), ("gemma", "fit", 8)
TIMES = {"keras3-jax": 8.0, "pytorch-eager": 16.0}


def profiled(record):
    record["host_overhead"] = profile(8.0, {"aten::mm": 5.0, "aten::gelu": 2.0})


def test_the_parts_of_a_step_name_their_workload_and_framework():
    figure = Figure()
    why.figure(made({BERT: TIMES, GEMMA: TIMES}, change=profiled), figures.panels(figure))
    drawn = [axes for axes in figure.axes if axes.has_data()]
    titles = [axes.get_title(loc) for axes in drawn for loc in ("left", "center")]
    assert [title for title in titles if title] == ["bert fit", "gemma fit"]
    assert {axes.get_xlabel() for axes in drawn} == {"ms per step"}
    labels = [label.get_text() for label in drawn[0].get_yticklabels()]
    assert labels == ["Keras 3 (JAX)", "PyTorch (eager)"]


def test_a_speed_up_over_different_work_is_marked():
    def change(record):
        if record["cell"]["model"] == "gemma" and record["cell"]["framework"] == "pytorch-eager":
            record["work"]["trainable_parameters"] = 3000

    found = figures.best_of_keras3(made({BERT: TIMES, GEMMA: TIMES}, change=change), "pytorch")
    assert found["workload"].tolist() == ["bert fit", "gemma fit"]
    assert found["about"].tolist() == ["", "\ndifferent numbers of parameters"]
