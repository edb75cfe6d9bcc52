"""From how many parameters on a GPU is faster: by hand, for made-up devices, in table and page."""

import csv
import io
import math
import random
from itertools import pairwise

import matplotlib
import pytest
from device_projects import NET, ON_CPU, ON_GPU, SIZES, TORCH, crossing_at, sized_project
from hypothesis import given
from hypothesis import strategies as st

from analysis.comparisons.cross_over import amount, sweeps
from analysis.figures.cross_over import cross_over as figure_of
from analysis.figures.style import RC
from analysis.report.cross_over import beside_the_published, cross_overs
from analysis.report.page import render
from analysis.report.rendering import TEMPLATES
from analysis.results.reference import load_reference
from analysis.statistics import cross_over
from analysis.statistics.cross_over import ABOVE, BELOW, Point, crossing
from analysis.tables.cross_over import cross_over_csv

GRID = [61_035 * 2.68**step for step in range(8)]  # 61 thousand to 60 million


def test_by_hand():
    # Half as fast at ten thousand, twice as fast at a million: equal midway, in logarithms.
    half = math.log(2)
    assert crossing([1e4, 1e6], [-half, half]) == pytest.approx(1e5)
    # 1/3 of the way from 1,000 to 8,000
    assert crossing([1e3, 8e3, 9e3], [-1, 2, 3]) == pytest.approx(2000)
    assert crossing([1e3, 8e3], [0.1, 0.2]) == BELOW
    assert crossing([1e3, 8e3], [0.1, -0.2]) == ABOVE
    assert crossing([1e3, 8e3], [-0.1, 0.0]) == ABOVE  # as fast is not faster


def test_the_last_crossing_counts_and_all_are_counted():
    points = [Point(size, log) for size, log in ((1, 1), (10, -1), (100, -1), (1000, 1))]
    found = cross_over.cross_over(points)
    assert found.size == pytest.approx(10**2.5) and found.times == 2 and found.interval is None


@given(
    truth=st.floats(7e4, 5e7),
    fixed_ms=st.floats(0.05, 5),
    late_ms=st.floats(0.05, 20),
    gain=st.floats(1.05, 50),
)
def test_the_known_cross_over_of_two_devices_is_found(truth, fixed_ms, late_ms, gain):
    """Each takes a fixed time and one that grows with the parameters: the GPU's begins later."""
    slope = gain * late_ms / truth  # of the processor, ms per parameter
    cpu = [fixed_ms + slope * size for size in GRID]
    gpu = [fixed_ms + late_ms + (slope - late_ms / truth) * size for size in GRID]
    logs = [math.log(one / other) for one, other in zip(cpu, gpu, strict=True)]
    found = crossing(GRID, logs)
    low, high = next((low, high) for low, high in pairwise(GRID) if low <= truth <= high)
    assert low * (1 - 1e-6) <= found <= high * (1 + 1e-6)


def test_the_interval_holds_the_truth_as_often_as_it_says(monkeypatch):
    """Three rounds of 3 % scatter, on a ratio that is linear in logarithms: 95 %."""
    monkeypatch.setattr(cross_over, "DRAWS", 400)
    rng, truth, hits = random.Random(3), math.log(2e6), 0
    for trial in range(300):
        points = []
        for size in GRID:
            logs = [0.4 * (math.log(size) - truth) + rng.gauss(0, 0.03) for _ in range(3)]
            mean = sum(logs) / 3
            deviation = math.sqrt(sum((log - mean) ** 2 for log in logs) / 2)
            points.append(Point(size, mean, deviation / math.sqrt(3), 2))
        interval = cross_over.cross_over(points, seed=trial).interval
        hits += interval.low <= math.exp(truth) <= interval.high
    assert 0.92 <= hits / 300 <= 1.0


def test_a_sweep_of_a_net_in_a_framework(tmp_path):
    project = sized_project(tmp_path, crossing_at(1e6))
    (sweep,) = sweeps(project.load())
    assert (sweep.label, sweep.pair.base.name, sweep.pair.new.name) == (
        "MNIST dense fit, batch 32",
        ON_CPU,
        ON_GPU,
    )
    assert [size.parameters for size in sweep.sizes] == list(SIZES.values())
    # Both take 5 ms at a million; the neighbours are 267 thousand and 1.43 million.
    found = sweep.found
    assert found.size == pytest.approx(1e6, rel=0.15)
    assert found.interval.low < found.size < found.interval.high and sweep.shown
    assert found.interval.high / found.interval.low < 1.3
    assert sweep.words.startswith(f"GPU ahead from {amount(found.size)} parameters [")
    assert cross_over.cross_over([s.point for s in sweep.compared]) == found  # every time the same


def test_batch_sizes_are_apart_and_a_net_without_variants_is_no_sweep(tmp_path):
    project = sized_project(tmp_path, crossing_at(1e6), batch_sizes=(32, 256))
    assert [sweep.batch_size for sweep in sweeps(project.load())] == [32, 256]
    alone = sized_project(tmp_path / "alone", crossing_at(1e6), sizes={NET: SIZES[NET]})
    assert sweeps(alone.load()) == []


@pytest.mark.parametrize(
    ("truth", "outcome", "words"),
    [
        (1e3, "none in the range: the GPU is faster at every size", "61 thousand to 60.1 million"),
        (1e9, "none in the range: the GPU is not faster at the largest size", "60.1 million"),
    ],
)
def test_none_in_the_range(tmp_path, truth, outcome, words):
    results = sized_project(tmp_path, crossing_at(truth)).load()
    (sweep,) = sweeps(results)
    assert sweep.outcome == outcome and words in sweep.words and not sweep.shown
    (line,) = csv.DictReader(io.StringIO(cross_over_csv(results)))
    assert line["outcome"] == outcome and line["parameters"] == "NA"
    assert {line["ci95_low"], line["ci95_high"]} <= {"below", "above"}


def test_csv_has_numbers_of_parameters(tmp_path):
    results = sized_project(tmp_path, crossing_at(1e6)).load()
    (line,) = csv.DictReader(io.StringIO(cross_over_csv(results)))
    assert (line["base"], line["new"], line["net"]) == (ON_CPU, ON_GPU, "MNIST dense")
    assert (line["sizes"], line["smallest"], line["largest"]) == ("4", "61035", "60130610")
    assert int(line["ci95_low"]) < int(line["parameters"]) < int(line["ci95_high"])
    assert (line["outcome"], line["times_crossed"], line["missing"]) == ("crosses", "1", "NA")


def test_a_single_run_gives_a_size_and_no_interval(tmp_path):
    results = sized_project(tmp_path, crossing_at(1e6), runs=1).load()
    (sweep,) = sweeps(results)
    assert sweep.found.in_range and sweep.found.interval is None and not sweep.shown
    (line,) = csv.DictReader(io.StringIO(cross_over_csv(results)))
    assert line["parameters"] != "NA" and (line["ci95_low"], line["ci95_high"]) == ("NA", "NA")


def without_a_gpu(project):
    for cell in project.plan["cells"]:
        if cell["column"] == ON_GPU:
            for run in cell["runs"]:
                del project.records[run["record"]]
            cell.update(unsupported="no NVIDIA GPU was found here", runs=[])
    return project


def words_of(figure):
    return " ".join(
        [text.get_text() for axes in figure.axes for text in axes.texts]
        + [axes.get_title(loc="left") for axes in figure.axes]
        + [text.get_text() for axes in figure.axes for text in axes.get_legend().get_texts()]
    )


def test_without_a_gpu_the_processors_times_are_drawn_and_the_reason_stands_there(tmp_path):
    results = without_a_gpu(sized_project(tmp_path, crossing_at(1e6))).load()
    (sweep,) = sweeps(results)
    reason = "no cross-over: Keras 3 (PyTorch), cuda unsupported: no NVIDIA GPU was found here"
    assert sweep.words == reason
    (line,) = cross_overs(results).lines
    assert line[1] == reason
    figure = figure_of(results, load_reference())
    (axes,) = figure.axes
    assert len(axes.lines) == 1 and "Keras 3 (PyTorch), cpu" in words_of(figure)


def test_the_figure_marks_the_cross_over(tmp_path):
    with matplotlib.rc_context({**matplotlib.rcParamsDefault, **RC}):
        figure = figure_of(sized_project(tmp_path, crossing_at(1e6)).load(), load_reference())
    found = words_of(figure)
    assert "MNIST dense fit, batch 32" in found and "GPU ahead from" in found
    (axes,) = figure.axes
    assert len(axes.lines) == 3  # two columns and the cross-over
    assert axes.lines[-1].get_xdata()[0] == pytest.approx(1e6, rel=0.15)


def test_a_table_without_sweeps_has_no_figure_of_them(project, figures):
    text = render(project.load(), load_reference(), figures, TEMPLATES)
    assert 'id="figure-cross_over"' not in text and 'id="cross-over"' not in text
    assert cross_over_csv(project.load()).count("\n") == 1


def test_the_report_says_where_it_crosses_and_what_was_published(tmp_path, figures):
    results = sized_project(tmp_path, crossing_at(1e6)).load()
    text = render(results, load_reference(), figures, TEMPLATES)
    assert 'id="figure-cross_over"' in text and 'id="cross-over"' in text
    assert "In 1 of 1 sweep over the sizes of a model the GPU is faster" in text
    (line,) = cross_overs(results).lines
    assert line[0] == "MNIST dense fit, batch 32: Keras 3 (PyTorch), cuda"
    assert line[4] == "20\u00a0% and 60\u00a0%"
    assert line[6] == "NA and 12"
    published = beside_the_published(results, load_reference().devices)
    gpu, cpu = published.lines  # of the net that is a row; CIFAR-100 is none
    assert gpu[:5] == ("MNIST dense fit, 20 epochs", "GPU", "8", "12.8", "0.9864, 0.9759")
    # 1 + 4e-6 x 266,610 ms on the processor, 1,594 of them an epoch
    assert cpu[1:4] == ("CPU", "6 to 7", "9.7") and cpu[5] == "2.066" and cpu[6] == "3.29"
    assert cpu[7] == "Example CPU" and gpu[7] == "NVIDIA Example"
    for table in (published, cross_overs(results)):
        assert {len(entries) for entries in table.lines} == {len(table.header)}
    assert "RTX 3060" in published.caption


def test_the_framework_of_the_published_comparison_alone_stands_beside_it(tmp_path):
    project = sized_project(tmp_path, crossing_at(1e6))
    for column in project.plan["columns"]:
        column["framework"] = "keras3-jax"
    results = project.load()
    assert load_reference().devices.framework == TORCH
    assert beside_the_published(results, load_reference().devices).lines == ()
