"""Sentences stay readable: rows with the same text together, long lists cut, sizes named."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from quiet_table import JAX, TORCH, on_processor
from record_changes import stretch
from results_factory import FRAMEWORKS, Project, make_plan
from time_changes import step_ns

from analysis.caveats import Severity, collect
from analysis.caveats.core import MOST, places
from analysis.formats.text import ms

EAGER = "pytorch-eager"


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return Project(tmp_path_factory.mktemp("project"), make_plan(runs=1)).load()


def test_every_cell_and_all_columns_are_abbreviated(results):
    cells = list(results.cells)
    assert places(cells, rows=results.rows) == "every cell"
    assert places(cells[:6], rows=results.rows) == "BERT fit: all columns"
    titles = [title for title, *_ in FRAMEWORKS.values()]
    assert places(cells[:6]) == f"BERT fit: {', '.join(titles[:-1])} and {titles[-1]}"


def test_rows_with_the_same_text_are_joined(results):
    cells = [cell for cell in results.cells if cell.column.name == EAGER]
    assert places(cells, rows=results.rows) == "BERT fit and BERT predict: PyTorch (eager)"
    assert places(cells, lambda cell: "1 %") == "BERT fit and BERT predict: PyTorch (eager) 1 %"
    different = places(cells, lambda cell: cell.row.task)
    assert different == "BERT fit: PyTorch (eager) fit; BERT predict: PyTorch (eager) predict"


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_a_list_with_numbers_holds_the_largest_and_counts_the_rest(results, data):
    cells = data.draw(st.lists(st.sampled_from(list(results.cells)), min_size=1, unique=True))
    sizes = {cell: data.draw(st.integers(0, 10**6)) for cell in cells}
    text = places(cells, lambda cell: f"#{sizes[cell]}", sizes.get)
    shown = sorted(int(number) for number in re.findall(r"#(\d+)", text))
    largest = sorted(sizes.values())[-MOST:]
    if len(cells) <= MOST or len(set(sizes.values())) == len(cells):
        # rows that say the same are said once
        assert set(shown) == set(largest)
    left = len(cells) - MOST
    assert (f"and {left} more cell" in text) == (left > 0)


def test_below_a_limit_the_lowest_are_listed(tmp_path):
    project = Project(tmp_path, make_plan(runs=1))
    for steps, record in enumerate(project.records.values(), start=5):
        record["timing"]["blocks"] = [{"steps": steps, "elapsed_ns": steps * step_ns(record)}]
    (caveat,) = (found for found in collect(project.load()) if found.id == "few_steps")
    assert re.findall(r"\) (\d+)", caveat.sentence) == [str(steps) for steps in range(5, 13)]
    assert "and 4 more cells" in caveat.sentence


@pytest.mark.parametrize(("shares", "told"), [((0.05, 0.05, 0.12), ""), ((0.05, 0.16, 0.12), "11")])
def test_the_systems_share_is_the_mean_of_the_runs(quiet, shares, told):
    for run, share in enumerate(shares, start=1):
        quiet.change(lambda r, s=share: r["load"].update(system_cpu_share=s), TORCH, run=run)
    sentences = [found.sentence for found in collect(quiet.load())]
    assert [f"Keras 3 (PyTorch) {told}\u00a0%" in each for each in sentences] == [True] * bool(told)


@pytest.mark.parametrize(
    ("key", "number", "severity", "part"),
    [
        ("parameters", 10_780_162, "note", "differ by 256 of 10,780,418 (0.0024\u00a0%) ("),
        ("trainable_parameters", 5_000_000, "warning", "a factor of 2.2"),
        ("trainable_parameters", 0, "warning", "differ by 10,780,418 of 10,780,418 (100\u00a0%)"),
        ("parameters", 9_000_000, "critical", "not the same work"),
    ],
)
def test_a_difference_of_parameters_is_as_severe_as_it_is_large(quiet, key, number, severity, part):
    quiet.change(lambda r: r["work"].update({key: number}), TORCH)
    (caveat,) = collect(quiet.load())
    assert (caveat.id, caveat.severity.name.lower()) == ("parameters_differ", severity)
    assert part in caveat.sentence
    assert ("not the same work" in caveat.sentence) == (severity != "note")


@pytest.mark.parametrize(
    ("accelerator", "part"),
    [
        ("cuda", "Its known faults show in 1 of 1: missing fence in 1."),
        ("cpu", "None of its known faults shows in 1 such cell"),
    ],
)
def test_a_legacy_difference_is_explained_where_a_fault_shows(quiet, accelerator, part):

    def faster(r):
        words = "host clock, two steps dropped, no fence"
        r["timing"]["legacy"].update(step_ms=0.8 * step_ns(r) / 1e6, method=words)

    quiet.change(faster, TORCH)
    if accelerator == "cpu":
        on_processor(quiet)
    caveats = {caveat.id: caveat for caveat in collect(quiet.load())}
    assert caveats.keys() - {"measured_on_cpu"} == {"legacy_differs"}
    assert part in caveats["legacy_differs"].sentence


def test_a_legacy_difference_without_a_fault_is_a_note_and_not_counted_beside_one(quiet):
    def noisy(r):
        r["timing"]["legacy"].update(step_ms=1.2 * step_ns(r) / 1e6, method="host clock")

    def unfenced(r):
        words = "host clock, two steps dropped, no fence"
        r["timing"]["legacy"].update(step_ms=0.8 * step_ns(r) / 1e6, method=words)

    def told():
        (caveat,) = (found for found in collect(quiet.load()) if found.id == "legacy_differs")
        return caveat.severity, [cell.column.name for cell in caveat.cells]

    quiet.change(noisy, JAX)
    assert told() == (Severity.NOTE, [JAX])
    quiet.change(unfenced, TORCH)
    assert told() == (Severity.WARNING, [TORCH])


def test_a_legacy_difference_names_the_two_times_of_the_runs_that_have_both(quiet):
    """Not the mean of all runs times their ratio, which nobody measured."""
    on_processor(quiet)
    first = {}

    def with_both(r):
        ours = step_ns(r) / 1e6
        first.update(ours=ours, published=1.2 * ours)
        r["timing"]["legacy"].update(step_ms=1.2 * ours)

    def without(r):
        r["timing"]["legacy"] = None
        stretch(r, 2)

    quiet.change(with_both, TORCH, run=1)
    for run in (2, 3):
        quiet.change(without, TORCH, run=run)
    caveats = {caveat.id: caveat for caveat in collect(quiet.load())}
    expected = f"{ms(first['published'])} instead of our {ms(first['ours'])} ms"
    assert expected in caveats["legacy_differs"].sentence
