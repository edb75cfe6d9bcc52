"""Caveats about feeding a GPU, its memory, and entries that nobody read back."""

import pytest
from conditions import counted_differently, fed, fed_differently
from quiet_table import JAX, TORCH, parity, quiet_project
from time_changes import step_ns

from analysis.caveats import collect
from analysis.caveats.thresholds import COPY_SHARE
from analysis.report.parity import card_of, differing


def found(project, caveat_id):
    return [caveat for caveat in collect(project.load()) if caveat.id == caveat_id]


def link(project, value):
    facts = [{"name": "PCIe", "value": value}]
    project.machine_card["sections"].append({"title": "GPU", "facts": facts})


@pytest.mark.parametrize(
    ("lanes", "gb_per_s", "part"),
    [
        ("generation 4, 16 lanes", 16 * 1.969, "PCIe (generation 4, 16 lanes, 31.5 GB/s)"),
        ("generation 5, 8 lanes", 8 * 3.938, "PCIe (generation 5, 8 lanes, 31.5 GB/s)"),
        (None, 16 * 0.985, "15.8 GB/s; assumed, it is not on the machine's card)"),
        ("generation 99, 16 lanes", 16 * 0.985, "15.8 GB/s; assumed"),
    ],
)
def test_a_copy_is_judged_by_the_link_of_the_machine(tmp_path, lanes, gb_per_s, part):
    project = quiet_project(tmp_path)
    fed_differently(project)
    link(project, lanes)
    (caveat,) = found(project, "feeding_differs")
    assert caveat.evidence["gb_per_s"] == pytest.approx(gb_per_s)
    fastest_ms = min(step_ns(r) for r in project.records.values()) / 1e6
    share = 5e6 / gb_per_s / 1e6 / fastest_ms
    assert caveat.evidence["share_of_fastest_step"] == pytest.approx(share, rel=0.1)
    assert part in caveat.sentence
    assert "pinned memory, copied in the step in Keras 3 (PyTorch)" in caveat.sentence
    assert "copying the 5 MB of one takes" in caveat.sentence


def test_a_copy_that_costs_nothing_noticeable_is_no_caveat(tmp_path):
    project = quiet_project(tmp_path)
    fed_differently(project)
    (caveat,) = found(project, "feeding_differs")
    least = 5_000_000 * COPY_SHARE / caveat.evidence["share_of_fastest_step"]
    for size, number in ((1.01 * least, 1), (0.99 * least, 0), (None, 0)):
        for column, part in ((JAX, "copied ahead"), (TORCH, "copied")):
            fed(project, part, column, size and int(size))
        assert len(found(project, "feeding_differs")) == number


def test_columns_fed_alike_or_without_a_device_are_no_caveat(tmp_path):
    project = quiet_project(tmp_path)
    fed(project, "host memory", TORCH)
    fed(project, "host memory, prefetched", JAX)
    assert found(project, "feeding_differs") == found(project, "parity_differs") == []
    fed_differently(project)
    assert found(project, "feeding_differs") and found(project, "parity_differs") == []
    fed(project, "NumPy arrays, prefetched, copied ahead of the step", TORCH)
    assert found(project, "feeding_differs") == []


def test_peaks_that_count_the_same_thing_are_no_caveat(tmp_path):
    project = quiet_project(tmp_path)
    counted_differently(project)
    (caveat,) = found(project, "peaks_counted_differently")
    assert "Keras 3 (JAX): from the start" in caveat.sentence
    project.change(lambda r: r["memory"].update(peak_device_counts="the same"))
    assert found(project, "peaks_counted_differently") == []


def test_an_entry_that_is_only_declared_says_so_wherever_it_is_compared(tmp_path):
    project = quiet_project(tmp_path)
    parity("attention", "sdpa")(project)
    (caveat,) = found(project, "parity_differs")
    assert "eclared" not in caveat.sentence and caveat.evidence["declared"] == {}
    project.change(lambda r: r["parity"].update(declared="attention, threads"), JAX)
    (caveat,) = found(project, "parity_differs")
    assert "Declared, not read back: the attention of Keras 3 (JAX)." in caveat.sentence
    assert caveat.evidence["declared"] == {"attention": ("Keras 3 (JAX)",)}

    (row,) = project.load().rows
    cards = {cell.column.name: dict(card_of(cell)) for cell in row.measured}
    assert cards[JAX]["attention"] == "einsum (declared)"
    assert cards[JAX]["threads"] == "2 (declared)"
    assert cards[TORCH]["attention"] == "sdpa"
    assert "declared" not in cards[JAX]
    # The same value, declared here and read there, is no difference.
    lines = {line[0]: line[1:] for line in differing(row).lines}
    assert lines == {"attention": ("einsum (declared)", "sdpa")}
