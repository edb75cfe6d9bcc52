"""The first page: what this run shows, before what one decides something by it."""

import math
import re
from functools import partial
from html import unescape

import pytest
from conditions import CONDITIONS
from drawn_pages import pages_of, report_of
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text
from quiet_table import JAX, TORCH, quiet_project
from record_changes import slow_down, stretch, takes
from results_factory import BERT_ROWS, Project, make_plan, unsupported
from whole_table import whole_table

from analysis.caveats import Severity, collect
from analysis.caveats.groups import FIRST, SHOWN, grouped
from analysis.data import Data
from analysis.figures.relative import CELL_IN, HUES, WHITE_FROM, relative
from analysis.report.conclusion import conclusion
from analysis.report.key_sentences import MOST, key_sentences

TF = "keras3-tensorflow"
MOST_TEXT = 40_000  # characters of the report that are read, figures aside


def groups_of(project):
    results = project.load()
    return grouped(collect(results), results)


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


def letters(page):
    table = page.partition('id="table"')[2].partition("<figure")[0]
    return re.findall(r'<sup class="letters"><a href="#(caveat-\w+)" title="(.*?)"', table)


def test_a_letter_marks_what_sets_a_cell_apart_from_its_row(tmp_path, figures):
    project = Project(tmp_path, make_plan())
    # other columns have other settings in every row: no letter says so
    assert letters(report_of(project, figures)) == []
    project.change(lambda r: r["load"].update(foreign_cpu_share=0.1), "keras3-jax", "fit")
    page = report_of(project, figures)
    ((anchor, title),) = letters(page)
    assert title.startswith("This machine was not quiet") and f'id="{anchor}"' in page
    project.change(lambda r: r["load"].update(foreign_cpu_share=0.1), task="fit")
    assert letters(report_of(project, figures)) == []  # the whole row


MANY = ("execution_differs", "precision_differs", "parity_differs", "parameters_differ")
MANY += ("foreign_load", "random_weights", "framework_warnings", "energy_counters_differ")
MANY += ("thread_policies_differ", "deployments_differ", "variables_set", "several_machines")
MANY += ("peaks_counted_differently", "warm_up_left_out", "harness_error", "monitor_costs")
MANY += ("not_the_pages_version", "drift_unknown")


def test_few_caveats_are_in_the_report_and_all_in_the_appendix(quiet, figures):
    for name in MANY:
        CONDITIONS[name](quiet)
    assert len(groups_of(quiet)) > SHOWN
    report, appendix = pages_of(quiet, figures)
    first = report.partition('class="doubts"')[2].partition("</ul>")[0]
    assert first.count("<li ") == FIRST
    assert not re.search(r"</strong>\s*</li>", first)  # each says what to do
    for title, remedy in re.findall(r"<strong>(.*?)\.</strong> (.*?)</li>", first):
        assert f"<strong>{title}</strong>" in report and f"<strong>{title}</strong>" in appendix
        assert report.count(remedy) == 1 and remedy in appendix  # and does not say it again below
    shown = re.findall(r'<li class="\w+" id="(caveat-\w+)"', report)
    everything = re.findall(r'<li class="\w+" id="(caveat-\w+)"', appendix)
    assert len(shown) == SHOWN and shown == everything[:SHOWN]
    assert len(everything) == len(groups_of(quiet))
    assert all(caveat.sentence in unescape(appendix) for caveat in collect(quiet.load()))


def test_a_noisy_hour_is_one_caveat_that_says_which_differences_mean_nothing(quiet):
    # ratios of 1, 1.1 and 1.21 over three rounds
    for run, factor in ((1, 1.0), (2, 1.1), (3, 1.21)):
        quiet.change(partial(stretch, factor=factor), TORCH, run=run)
    quiet.canaries[1].update(python_loop_ms=60.0)
    quiet.change(lambda r: r["load"].update(foreign_cpu_share=0.1), JAX)
    groups = groups_of(quiet)
    (noise,) = (group for group in groups if group.cause.name == "noise")
    ids = {member.id for member in noise.members}
    assert ids >= {"session_drifted", "foreign_load"}
    # few runs have wide intervals on a quiet machine, too
    assert ["wide_interval"] in [[member.id for member in group.members] for group in groups]
    # Student's t of two degrees of freedom times the standard error of their logarithms
    reach = math.exp(4.3027 * math.log(1.1) / math.sqrt(3)) - 1
    mostly = "between two columns of a row mostly mean nothing"
    assert f"differences under {100 * reach:.0f}\u00a0% {mostly}" in noise.title
    assert "In the one pair of columns the 95 % interval of the ratio is wider" in noise.summary
    assert "half" not in str(noise)


def test_beside_what_mostly_means_nothing_stands_what_half_of_the_pairs_cannot_tell(tmp_path):
    project = Project(tmp_path, make_plan(columns=(TF, JAX, TORCH), rows=BERT_ROWS[:1], runs=3))
    project.change(lambda r: r["load"].update(foreign_cpu_share=0.1), JAX)
    for run, factor in ((1, 1.0), (2, 1.1), (3, 1.21)):
        project.change(partial(stretch, factor=factor), TF, run=run)
        project.change(partial(stretch, factor=factor**3), TORCH, run=run)
    (noise,) = (group for group in groups_of(project) if group.cause.name == "noise")
    # of the logarithms of three ratios, whose steps from round to round are 1, 2 and 3 of 1.1
    first, half = (math.exp(4.3027 * math.log(1.1) * steps / math.sqrt(3)) - 1 for steps in (1, 2))
    lowest = first + 0.2 * (half - first)
    lowest, half = (f"{100 * reach:.0f}\u00a0%" for reach in (lowest, half))
    assert f"nothing; half of the pairs cannot tell {half}" in noise.title
    assert f"is wider than ±{lowest}, in half of them than ±{half};" in noise.summary


def test_a_note_asks_for_nothing_and_makes_no_warning_larger(tmp_path):
    """64 parameters of ten million are one model; a warning about another row is not about it."""
    project = quiet_project(tmp_path, rows=BERT_ROWS[:2])

    def change(column, task, **work):
        project.change(lambda r: r["work"].update(work), column, task=task)
        (group,) = (g for g in groups_of(project) if g.cause.name == "parameters_differ")
        return group

    noted = change(TORCH, "predict", parameters=10_780_354)
    assert noted.severity is Severity.NOTE and not noted.remedy and len(noted.cells) == 2
    assert [caveat.as_json()["remedy"] for caveat in noted.members] == [""]
    change(JAX, "fit", trainable_parameters=1000)
    warned = change(TORCH, "fit", trainable_parameters=936)
    assert warned.remedy and {cell.row.task for cell in warned.cells} == {"fit"}
    # those 64 are the ones that are not held either
    same = change(TORCH, "fit", parameters=10_780_354)
    assert [m.sentence for m in same.members] == [m.sentence for m in warned.members]


def test_single_runs_show_no_difference_on_a_machine_that_was_not_quiet(tmp_path):
    project = Project(tmp_path, make_plan(runs=1))
    project.change(lambda r: r["load"].update(foreign_cpu_share=0.1), JAX)
    assert "This machine was not quiet: single runs show no difference" in {
        group.title for group in groups_of(project)
    }


def test_of_a_machine_on_which_nothing_could_be_compared_both_say_so(tmp_path):
    project = Project(tmp_path, make_plan(rows=(*BERT_ROWS, ("bert", "fit", 4, None))))
    project.change(lambda r: r["load"].update(foreign_cpu_share=0.5))
    assert "This machine was not quiet: no two columns could be compared" in {
        group.title for group in groups_of(project)
    }
    first, _ = key_sentences(project.load())
    assert first.text.startswith("In none of 3 rows could anything be compared")


def test_notes_alone_neither_call_the_machine_noisy_nor_stand_on_the_first_page(quiet, figures):
    CONDITIONS["busy_before"](quiet)
    assert [group.title for group in groups_of(quiet)] == ["A high load before a run"]
    report = report_of(quiet, figures)
    assert "A high load before a run" in report and 'class="doubts"' not in report


def test_settings_that_differ_are_one_caveat_with_rows_and_values(project, figures):
    project.change(lambda r: r["parity"].update(attention="sdpa"), "keras3-torch", "fit")
    project.change(lambda r: r["parity"].update(attention="flash"), "keras3-jax", "predict")
    project.change(lambda r: r["parity"].update(prompt="three"), "keras3-jax", "predict")
    appendix = pages_of(project, figures)[1]
    (told,) = re.findall(r"<strong>Columns of a row did not run.*?</li>", appendix, re.DOTALL)
    attention = r"columns differ in attention and attention kernel \((.*?)\)"
    (fit,) = re.findall(f"<p>BERT fit: {attention}, so part", told)
    (predict,) = re.findall(f"<p>BERT predict: {attention}, so part", told)
    assert fit.startswith("einsum in Keras 2 (TensorFlow), ")
    assert fit.endswith("; sdpa in Keras 3 (PyTorch)")
    assert predict.endswith("; flash in Keras 3 (JAX)")


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


def test_digits_in_the_picture_have_contrast_on_every_hue():
    for share in (number / 100 for number in range(101)):
        linear = [v / 12.92 if v <= 0.04 else ((v + 0.055) / 1.055) ** 2.4 for v in HUES(share)]
        light = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] + 0.05
        assert (1.05 / light if share >= WHITE_FROM else light / 0.05) >= 4.5


def test_a_picture_of_two_columns_holds_all_that_is_written_in_it(tmp_path):
    results = Project(tmp_path, make_plan(columns=("keras3-jax", "keras3-torch"))).load()
    figure = relative(Data(results))
    drawn = FigureCanvasAgg(figure).get_renderer()
    figure.draw_without_rendering()
    extents = [text.get_window_extent(drawn) for text in figure.findobj(Text) if text.get_text()]
    assert len(extents) > 4
    assert all(e.x0 >= 0 and e.x1 <= figure.bbox.width for e in extents)
    assert all(e.y0 >= 0 and e.y1 <= figure.bbox.height for e in extents)
    assert figure.axes[0].bbox.height / figure.dpi / 2 > 0.9 * CELL_IN[1]  # of two rows
    (axes,) = figure.axes
    numbers = {text.get_position(): text.get_text() for text in axes.texts}
    assert [label.get_text() for label in axes.get_yticklabels()] == ["BERT fit", "BERT predict"]
    for y in axes.get_yticks():  # each beside its row and below its column
        assert [numbers[x, y] for x in axes.get_xticks()] == ["1.00", "3.75"]  # 8 and 30 ms


def test_a_box_of_the_picture_without_a_ratio_says_why(tmp_path):
    project = Project(tmp_path, unsupported(make_plan(), "keras2-tensorflow", "refused"))
    project.fail("oom", column="keras3-jax")
    project.change(lambda r: takes(r, 1500.0), "pytorch-eager")
    project.change(slow_down, "pytorch-compiled")
    project.records = {p: r for p, r in project.records.items() if TORCH not in p}
    texts = [text.get_text() for text in relative(project.data()).axes[0].texts]
    assert texts == ["NA", "1.00", "oom", "not\nmeasured", "150", "1.26*"] * 2  # not steady
