"""The first page: sentences that may be quoted, and letters that lead to caveats."""

import re

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text
from record_changes import slow_down
from results_factory import Project, make_plan
from whole_table import whole_table

from analysis.caveats import collect
from analysis.caveats.groups import grouped
from analysis.data import Data
from analysis.figures.relative import HUES, WHITE_FROM, relative
from analysis.report.caveat_views import MOST_OPEN
from analysis.report.key_sentences import MOST, key_sentences
from analysis.report.page import render
from analysis.report.rendering import TEMPLATES
from analysis.results.reference import load_reference


def groups_of(results):
    return grouped(collect(results), results)


def sentences(project):
    results = project.load()
    return [found.text for found in key_sentences(results, groups_of(results))]


def page_of(project, figures):
    return render(project.load(), load_reference(), figures, TEMPLATES)


def test_a_whole_table_has_five_sentences_each_with_its_evidence(tmp_path, figures):
    project = whole_table(tmp_path, runs=3)
    first, keras2, pytorch, backend, where = sentences(project)
    best = "Best or equal, so that no other column that is compared could be more than 2"
    assert first.startswith(best)
    assert "Keras 3 (JAX) in 11 of 11 rows. More rows are no rank: " in first
    assert keras2.startswith("Keras 3 on its fastest backend against Keras 2: faster in 11 of 11")
    assert pytorch.startswith("Keras 3 on its fastest backend against native PyTorch: faster in 11")
    assert backend.startswith("Of Keras 3's backends, Keras 3 (JAX) is alone in the best set")
    assert "63 of 66 cells have a time, each from 2 and 3 runs" in where
    assert "2 of them critical: not compiled in the same way and runs that gave no time." in where
    page = page_of(project, figures)
    evidence = re.findall(r'href="#([^"]+)" aria-label="Evidence of sentence', page)
    assert len(evidence) == MOST and all(f'id="{anchor}"' in page for anchor in evidence)


def test_one_run_shows_nothing_and_says_so(tmp_path):
    fit, predict, keras2, *_, where = sentences(Project(tmp_path, make_plan(runs=1)))
    assert "BERT fit: from 8.008 ms on Keras 3 (JAX) to 30.03 ms on Keras 3 (PyTorch)" in fit
    assert "the lowest steady time is from one run, so none is called best" in predict
    assert "faster by the mean of one run in 2 of 2 rows, which shows nothing yet" in keras2
    assert "12 of 12 cells have a time, each from 1 run;" in where


def test_few_rows_are_described_one_by_one(project):
    fit, predict, *_ = sentences(project)
    assert "BERT fit: from 8.016 ms on Keras 3 (JAX) to 30.06 ms on Keras 3 (PyTorch)" in fit
    assert predict.endswith("best or equal: Keras 3 (JAX).")


def test_a_lower_time_that_was_not_steady_stands_beside_the_best(tmp_path, project):
    project.change(slow_down, "keras3-jax", "fit")
    fit, predict, *_ = sentences(project)
    assert fit.endswith("; not compared, since not steady: Keras 3 (JAX).")
    assert "not steady" not in predict
    many = whole_table(tmp_path / "many", runs=3)
    many.change(slow_down, "keras3-jax", "fit")
    assert "rows a column that was not steady took less" in sentences(many)[0]


def test_why_none_is_best_is_said(project):
    project.change(slow_down, task="fit")
    assert "every time was disturbed by other work or not steady, so none" in sentences(project)[0]


def test_a_setting_is_answered_before_the_families(tmp_path):
    columns = ("keras3-jax", "keras3-jax+float32", "keras3-torch", "keras2-tensorflow")
    texts = sentences(Project(tmp_path, make_plan(columns=columns)))
    assert texts[2].startswith("What does ") and "slower" in texts[2]
    assert texts[3].startswith("Keras 3 on its fastest backend against Keras 2")


def test_letters_lead_to_what_touches_a_cell_and_not_all_others(tmp_path, figures):
    project = Project(tmp_path, make_plan())
    project.change(lambda r: r["load"].update(foreign_cpu_share=0.1), "keras3-jax", "fit")
    page = page_of(project, figures)
    table = page.partition('id="table"')[2].partition("<figure")[0]
    ((letter, title),) = re.findall(
        r'<sup class="letters"><a href="#caveat-(\w+)" title="(.*?)"', table
    )
    assert title == "Other processes used the processors"
    assert f'id="caveat-{letter}"' in page
    everywhere = table.partition("Of every number:")[2]
    assert 'title="Measured on the processor"' in everywhere and title not in everywhere


def test_eight_titles_are_open_and_the_others_folded(tmp_path, figures):
    section = page_of(whole_table(tmp_path, runs=1), figures).partition('id="caveats"')[2]
    section = section.partition("</section>")[0]
    shown, folded = section.split('<details class="fold">')
    assert shown.count('<li class="') == MOST_OPEN
    assert folded.count('<li class="') == int(re.search(r"<summary>(\d+) more", folded)[1]) > 0


def test_the_same_difference_in_several_rows_is_one_caveat_with_a_matrix(project, figures):
    project.change(lambda r: r["parity"].update(attention="sdpa"), "keras3-torch", "fit")
    project.change(lambda r: r["parity"].update(attention="flash"), "keras3-jax", "predict")
    found = [g for g in groups_of(project.load()) if g.title.startswith("Attention")]
    assert [(len(group.members), len(group.cells)) for group in found] == [(2, 12)]
    matrix = page_of(project, figures).partition("<strong>Attention")[2].partition("</table>")[0]
    assert (
        '<th scope="row">BERT fit</th>' in matrix and '<th scope="row">BERT predict</th>' in matrix
    )
    assert (matrix.count("<td>sdpa</td>"), matrix.count("<td>flash</td>")) == (1, 1)


def test_digits_in_the_picture_have_contrast_on_every_hue():
    for share in (number / 100 for number in range(101)):
        linear = [v / 12.92 if v <= 0.04 else ((v + 0.055) / 1.055) ** 2.4 for v in HUES(share)]
        light = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] + 0.05
        assert (1.05 / light if share >= WHITE_FROM else light / 0.05) >= 4.5


def test_what_changes_a_conclusion_comes_first(tmp_path):
    project = whole_table(tmp_path, runs=1)
    project.change(lambda r: r["warnings"].append("careful"))
    ranks = [(-g.severity, g.letter) for g in groups_of(project.load())]
    assert ranks == sorted(ranks)
    titles = [group.title for group in groups_of(project.load())]
    assert titles.index("Not compiled in the same way") < titles.index("Random weights")


@pytest.mark.parametrize("share", [0.24, 0.33])
def test_a_number_that_others_disturbed_is_grey_and_never_wins(project, figures, share):
    project.change(lambda r: r["load"].update(foreign_cpu_share=share), "keras3-jax", run=2)
    page = page_of(project, figures)
    disturbed = page.count('<td class="ok disturbed">')
    texts = " ".join(sentences(project))
    if share < 0.25:
        assert disturbed == 0 and "best or equal: Keras 3 (JAX)" in texts
        return
    assert disturbed == 2 * 2  # in the table, and beside the published one
    assert "best or equal: Keras 3 (TensorFlow)" in texts and "Keras 3 (JAX)" not in texts
    assert "disturbed: other processes took at least 25\u00a0% of the processors" in page


def test_a_picture_of_two_columns_holds_all_that_is_written_in_it(tmp_path):
    results = Project(tmp_path, make_plan(columns=("keras3-jax", "keras3-torch"))).load()
    figure = relative(Data(results))
    drawn = FigureCanvasAgg(figure).get_renderer()
    extents = [text.get_window_extent(drawn) for text in figure.findobj(Text) if text.get_text()]
    assert len(extents) > 4
    assert all(e.x0 >= 0 and e.x1 <= figure.bbox.width for e in extents)
