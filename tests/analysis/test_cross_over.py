"""From how many parameters on a GPU is faster: by hand, for made-up devices, in table and page."""

import csv
import io
import math
import random
from itertools import pairwise

import pandas as pd
import pytest
from device_projects import NET, ON_CPU, ON_GPU, SIZES, crossing_at, sized_project
from drawn_pages import in_our_look, report_of
from hypothesis import given
from hypothesis import strategies as st

from analysis.results.reference import load_reference
from analysis.statistics import cross_over
from analysis.statistics.cross_over import ABOVE, BELOW, crossing
from analysis.statistics.intervals import Ratio, ratio_of
from analysis.topics.cross_over.compute import amount, shown, sweeps, words
from analysis.topics.cross_over.compute import cross_over as table_of
from analysis.topics.cross_over.figure import cross_over as figure_of
from analysis.topics.cross_over.section import beside_the_published, cross_overs
from analysis.writing.files import to_csv

GRID = [61_035 * 2.68**step for step in range(8)]  # 61 thousand to 60 million
PUBLISHED = load_reference()


def only_sweep(project):
    ((sweep, _),) = sweeps(project.data(PUBLISHED))
    return sweep


def csv_lines(project):
    return [*csv.DictReader(io.StringIO(to_csv(table_of(project.data(PUBLISHED)))))]


@pytest.mark.parametrize(
    ("sizes", "logs", "expected"),
    [
        # Half as fast at ten thousand, twice as fast at a million: equal midway, in logarithms.
        ([1e4, 1e6], [-math.log(2), math.log(2)], 1e5),
        ([1e3, 8e3, 9e3], [-1, 2, 3], 2000),  # 1/3 of the way from 1,000 to 8,000
        ([1e3, 8e3], [0.1, 0.2], BELOW),
        ([1e3, 8e3], [0.1, -0.2], ABOVE),
        ([1e3, 8e3], [-0.1, 0.0], ABOVE),  # as fast is not faster
    ],
)
def test_by_hand(sizes, logs, expected):
    assert crossing(sizes, logs) == pytest.approx(expected)


def test_the_last_crossing_counts_and_all_are_counted():
    points = [
        (size, Ratio(log, None, 0, 1)) for size, log in ((1, 1), (10, -1), (100, -1), (1000, 1))
    ]
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
            points.append((size, ratio_of(logs, 3)))
        interval = cross_over.cross_over(points, seed=trial).interval
        hits += interval.low <= math.exp(truth) <= interval.high
    assert 0.92 <= hits / 300 <= 1.0


def test_a_sweep_of_a_net_in_a_framework(tmp_path):
    project = sized_project(tmp_path, crossing_at(1e6))
    ((sweep, measured),) = sweeps(project.data(PUBLISHED))
    assert (sweep.label, sweep.base, sweep.new) == ("MNIST dense fit, batch 32", ON_CPU, ON_GPU)
    assert measured["parameters"].tolist() == list(SIZES.values())
    # Both take 5 ms at a million; the neighbours are 267 thousand and 1.43 million.
    assert sweep.parameters == pytest.approx(1e6, rel=0.15)
    assert sweep.ci95_low < sweep.parameters < sweep.ci95_high < 1.3 * sweep.ci95_low
    assert shown(sweep)
    assert words(sweep).startswith(f"GPU ahead from {amount(sweep.parameters)} parameters [")
    assert [amount(found) for found in (999_499, 999_500)] == ["999 thousand", "1 million"]
    assert only_sweep(project).equals(sweep)  # every time the same
    single = only_sweep(sized_project(tmp_path / "single", crossing_at(1e6), runs=1))
    assert single.outcome == "crosses" and pd.isna(single.ci95_low) and not shown(single)
    (line,) = csv_lines(project)
    assert (line["base"], line["new"], line["net"]) == (ON_CPU, ON_GPU, "MNIST dense")
    assert (line["sizes"], line["smallest"], line["largest"]) == ("4", "61035", "60130610")
    names = ("ci95_low", "parameters", "ci95_high")
    assert [line[name] for name in names] == [str(round(sweep[name])) for name in names]
    assert (line["outcome"], line["times_crossed"], line["missing"]) == ("crosses", "1", "NA")


def test_batch_sizes_are_apart_and_a_net_without_variants_is_no_sweep(tmp_path):
    project = sized_project(tmp_path, crossing_at(1e6), batch_sizes=(32, 256))
    assert [sweep.batch_size for sweep, _ in sweeps(project.data(PUBLISHED))] == [32, 256]
    alone = sized_project(tmp_path / "alone", crossing_at(1e6), sizes={NET: SIZES[NET]})
    assert sweeps(alone.data(PUBLISHED)) == []


@pytest.mark.parametrize(
    ("truth", "expected", "end"),
    [
        (1e3, "none in the range: the GPU is faster at every size", "below"),
        (1e9, "none in the range: the GPU is not faster at the largest size", "above"),
    ],
)
def test_none_in_the_range(tmp_path, truth, expected, end):
    project = sized_project(tmp_path, crossing_at(truth))
    sweep = only_sweep(project)
    assert sweep.outcome == expected and not shown(sweep)
    assert words(sweep) == f"{expected} (61 thousand to 60.1 million parameters)"
    (line,) = csv_lines(project)
    assert line["outcome"] == expected and line["parameters"] == "NA"
    assert (line["ci95_low"], line["ci95_high"]) == (end, end)


def drawn(project):
    """Return the only panel, and the words in it."""
    with in_our_look():
        (axes,) = figure_of(project.data(PUBLISHED)).axes
    texts = [text.get_text() for text in (*axes.texts, *axes.get_legend().get_texts())]
    return axes, [axes.get_title(loc="left"), *texts]


def test_without_a_gpu_the_processors_times_are_drawn_and_the_reason_stands_there(tmp_path):
    project = sized_project(tmp_path, crossing_at(1e6))
    for cell in project.plan["cells"]:
        if cell["column"] == ON_GPU:
            for run in cell["runs"]:
                del project.records[run["record"]]
            cell.update(unsupported="no NVIDIA GPU was found here", runs=[])
    reason = "Keras 3 (PyTorch), cuda unsupported: no NVIDIA GPU was found here"
    (line,) = cross_overs(project.data(PUBLISHED)).lines
    assert line[1] == words(only_sweep(project)) == f"no cross-over: {reason}"
    (line,) = csv_lines(project)
    assert (line["sizes"], line["outcome"], line["missing"]) == ("0", "NA", reason)
    axes, found = drawn(project)
    assert len(axes.lines) == 1 and "Keras 3 (PyTorch), cpu" in found


def test_the_figure_marks_the_cross_over(tmp_path):
    axes, found = drawn(sized_project(tmp_path, crossing_at(1e6)))
    assert found[0] == "MNIST dense fit, batch 32" and found[1].startswith("GPU ahead from")
    assert len(axes.lines) == 3  # two columns and the cross-over
    assert axes.lines[-1].get_xdata()[0] == pytest.approx(1e6, rel=0.15)


def test_a_table_without_sweeps_has_no_line(project):
    assert csv_lines(project) == []


def test_the_report_says_where_it_crosses_and_what_was_published(tmp_path, figures):
    project = sized_project(tmp_path, crossing_at(1e6))
    text = report_of(project, figures)
    assert 'id="figure-cross_over"' in text and 'id="cross_over"' in text
    assert "In 1 of 1 sweep over the sizes of a model the GPU is faster from some size on" in text
    assert "The cross-over of two devices is the size of a net" in text
    data = project.data(PUBLISHED)
    (line,) = cross_overs(data).lines
    assert line[0] == "MNIST dense fit, batch 32: Keras 3 (PyTorch), cuda"
    assert line[4] == "20\u00a0% and 60\u00a0%"
    assert line[6] == "NA and 12"
    gpu, cpu = beside_the_published(data).lines  # of the net that is a row; CIFAR-100 is none
    assert gpu[:5] == ("MNIST dense fit, 20 epochs", "GPU", "8", "12.8", "0.9864, 0.9759")
    # 1 + 4e-6 x 266,610 ms on the processor, 1,594 of them an epoch
    assert cpu[1:4] == ("CPU", "6 to 7", "9.7") and cpu[5] == "2.066" and cpu[6] == "3.29"
    assert cpu[7] == "Example CPU" and gpu[7] == "NVIDIA Example"
    assert "RTX 3060" in beside_the_published(data).caption
    for column in project.plan["columns"]:
        column["framework"] = "keras3-jax"  # of which nothing was published
    assert beside_the_published(project.data(PUBLISHED)).lines == ()
