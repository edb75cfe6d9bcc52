"""The first page: what this run shows, before what one decides something by it."""

import re

import pytest
from drawn_pages import groups_of, pages_of
from quiet_table import JAX, TORCH
from record_changes import slow_down, takes
from results_factory import Project, make_plan
from whole_table import whole_table

from analysis.report.conclusion import conclusion
from analysis.report.key_sentences import MOST, key_sentences

TF = "keras3-tensorflow"
MOST_TEXT = 40_000  # characters of the report that are read, figures aside


def sentences(project):
    return [found.text for found in key_sentences(project.load())]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return whole_table(tmp_path_factory.mktemp("whole"), runs=3)


@pytest.fixture(scope="module")
def whole_pages(whole, figures):
    return pages_of(whole, figures)


def text_of(page):
    """What is read: neither style and script nor what stands in figures."""
    page = re.sub(r"<(style|script|svg)\b.*?</\1>", "", page, flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]*>", " ", page).split())


def test_a_whole_table_is_read_in_minutes(whole_pages):
    report, appendix = whole_pages
    assert len(text_of(report)) <= MOST_TEXT < len(text_of(appendix))


def test_a_whole_table_has_sentences_each_with_its_evidence(whole, whole_pages):
    best, slower, keras2, pytorch, where = sentences(whole)
    assert best.startswith("Best or equal") and "Keras 3 (JAX) in 11 of 11 rows." in best
    # the factory's columns are that many times as slow
    assert "Keras 3 (PyTorch) in 11" in slower
    assert "takes 3.79× [3.69×, 3.90×] the time of Keras 3 (JAX)" in slower
    assert slower.endswith(", by an interval for whichever cell is the slowest.")
    assert keras2.startswith("Keras 3 on its fastest backend against Keras 2: faster in 11 of 11")
    # a key finding keeps its question and verdict, not what is said at the top
    told = " ".join(keras2.partition(": ")[2].split())
    assert text_of(whole_pages[0]).count(told) == 1
    assert "; and a reduced MISTRAL (" in text_of(whole_pages[0])  # the methods' list has an end
    assert pytorch.startswith("Keras 3 on its fastest backend against plain PyTorch: faster in 11")
    assert "63 of 66 cells have a time, each from 2 to 3 runs." in where
    evidence = re.findall(r'href="#([^"]+)" aria-label="Evidence of sentence', whole_pages[0])
    assert len(evidence) == MOST and all(f'id="{anchor}"' in whole_pages[0] for anchor in evidence)


def test_what_is_said_of_all_rows_is_corrected_for_all_rows(tmp_path):
    """The second row's p of 2.1 % is enough for its own, and not among those of twelve."""
    rows = tuple(("bert", "fit", batch, 32) for batch in range(1, 13))
    project = Project(tmp_path, make_plan(columns=(JAX, TORCH), rows=rows))
    slow = {1: (20.0, 20.1, 20.2), 2: (11.0, 11.5, 12.0)}
    for record in project.records.values():
        cell = record["cell"]
        times = slow.get(cell["batch_size"]) if cell["column"] == TORCH else None
        takes(record, times[cell["run"] - 1] if times else 10.0)
    _, slower, *_ = sentences(project)
    assert slower.startswith(
        "Significantly slower than the fastest of its row, corrected for all rows: "
        "Keras 3 (PyTorch) in 1 of 12 rows (1 cell; the table, which corrects each row by itself, "
        "marks 2); for example in "
    )


def test_a_sentence_that_shows_nothing_is_not_printed(tmp_path):
    fit, predict, where = sentences(Project(tmp_path, make_plan(runs=1)))
    assert "BERT fit: from 8.008 ms on Keras 3 (JAX) to 30.03 ms on Keras 3 (PyTorch)" in fit
    assert "the lowest steady time is from one run, so none is called best" in predict
    assert "12 of 12 cells have a time, each from 1 run." in where
    (only,) = sentences(whole_table(tmp_path / "whole", runs=1))
    assert only.startswith("Measured at ")


def test_no_column_is_best_where_one_that_was_not_steady_took_less(tmp_path, project):
    project.change(slow_down, "keras3-jax", "fit")
    fit, predict, *_ = sentences(project)
    assert "; undecided: Keras 3 (TensorFlow); " in fit
    assert fit.endswith("; Keras 3 (JAX) took less and could not be compared.")
    (said,) = (text for text in conclusion(project.load()).sentences if "BERT fit" in text)
    assert "; Keras 3 (JAX) took less and could not be compared: remove results/records/" in said
    assert "/bert/fit-b8 and start again" in said
    assert predict.startswith("BERT predict: from 8.016 ms on Keras 3 (JAX) to 30.06 ms on Keras 3")
    assert predict.endswith("best or equal: Keras 3 (JAX).")
    project.change(slow_down, task="fit")
    assert "every time was disturbed by other work or not steady, so none" in sentences(project)[0]
    many = whole_table(tmp_path / "many", runs=3)
    many.change(slow_down, "keras3-jax", "fit")
    (best, *_), rows = sentences(many), many.load().rows
    less = sum(bool(row.took_less) for row in rows)
    # no more is said: in a row with a best one others may be undecided
    assert less > 1 and f"; none in {less} rows, {less} of them for a column that took less" in best


def test_a_setting_is_answered_before_the_families(tmp_path):
    columns = ("keras3-jax", "keras3-jax+float32", "keras3-torch", "keras2-tensorflow")
    texts = sentences(Project(tmp_path, make_plan(columns=columns)))
    assert texts[2].startswith("What does ") and "slower" in texts[2]
    assert texts[3].startswith("Keras 3 on its fastest backend against Keras 2")


def test_what_changes_a_conclusion_comes_first(whole):
    groups = groups_of(whole)
    ranks = [(-group.severity, -group.cause.changes) for group in groups]
    assert ranks == sorted(ranks)
    titles = [group.title for group in groups]
    compiled = titles.index("Columns of a row were compiled in different ways")
    assert compiled < titles.index("Frameworks warned")


@pytest.mark.parametrize("share", [0.24, 0.33])
def test_a_number_that_others_disturbed_is_grey_and_never_wins(project, figures, share):
    project.change(lambda r: r["load"].update(foreign_cpu_share=share), "keras3-jax")
    page = "".join(pages_of(project, figures))
    disturbed = page.count('<td class="ok disturbed"')
    texts = " ".join(sentences(project))
    if share < 0.25:
        assert disturbed == 0 and "best or equal: Keras 3 (JAX)" in texts
        return
    assert disturbed == 2 * 2  # in the table, and beside the published one
    assert "best or equal" not in texts and "; undecided: Keras 3 (TensorFlow); " in texts
    assert texts.count("Keras 3 (JAX) took less and could not be compared") == 2
    assert "disturbed: other processes took at least 25\u00a0% of the processors" in page
