"""Caveats of one cause are read as one: its title, the cells it is about, where it stands."""

import math
import re
from functools import partial
from html import unescape

from conditions import CONDITIONS
from drawn_pages import groups_of, pages_of, report_of
from quiet_table import JAX, TORCH, quiet_project
from record_changes import stretch
from results_factory import BERT_ROWS, Project, make_plan

from analysis.caveats import Severity, collect
from analysis.caveats.groups import FIRST, SHOWN
from analysis.report.key_sentences import key_sentences

TF = "keras3-tensorflow"


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
