"""What one thing changes, row by row and over all rows: ratios, verdicts, means, and as files."""

import csv
import io
import math
import re

import pytest
from effect_projects import FASTER_BY_A_QUARTER, JAX, TF32, TORCH, project_of, scale, tf32_project
from results_factory import FRAMEWORKS, uneven

from analysis.caveats import collect
from analysis.statistics.best_set import Standing
from analysis.statistics.intervals import Verdict
from analysis.topics.effects.compute import effects, means
from analysis.topics.effects.figure import effects as figure_of
from analysis.topics.effects.latex import effects as latex_of
from analysis.topics.effects.section import key_sentences, section, table_notes
from analysis.topics.effects.table import effects as table_of
from analysis.writing.files import to_csv


def only_view(project):
    """Return what the section shows of its only question."""
    (view,) = section(project.data())["effects"]
    return view


def lines_of(project):
    """Return the lines of the only table of the section."""
    ((_, grid),) = only_view(project)["pairs"]
    return grid.lines


def csv_lines(project):
    return [*csv.DictReader(io.StringIO(to_csv(table_of(project.data()))))]


def test_ratio_interval_and_mean_by_hand(tmp_path):
    # The base takes 8 ms; t(base) / t(new) is 1.25 and 1.6, 1.25, 1.25, of which the mean of the
    # logarithms is ln(1.25) + ln(1.28) / 3.
    project = tf32_project(tmp_path)
    scale(project, TF32, FASTER_BY_A_QUARTER, "fit")
    scale(project, TF32, {1: 0.625, 2: 0.80, 3: 0.80}, "predict")
    found = effects(project.data())
    fit, predict = found.itertuples()
    assert (fit.speedup, fit.verdict) == (pytest.approx(1.25), Verdict.FASTER)
    mean_log = math.log(1.25) + math.log(1.28) / 3
    error = math.log(1.28) / 3  # sd of (x, 0, 0) is x / sqrt(3), over sqrt(3) runs
    assert predict.speedup == pytest.approx(math.exp(mean_log))
    # Two pairs are too few for a prior, so t of two degrees of freedom: 4.302653.
    assert predict.ci95_low == pytest.approx(math.exp(mean_log - 4.302653 * error), 1e-5)
    assert predict.verdict == Verdict.AMBIGUOUS
    (mean,) = means(found).itertuples()
    assert mean.speedup == pytest.approx(math.exp((math.log(1.25) + mean_log) / 2))
    assert (mean.rows, mean.missing) == (2, [])


def test_rows_without_a_ratio_say_why_and_the_mean_names_them(tmp_path):
    project = tf32_project(tmp_path)
    project.fail("unsupported", "needs a GPU", column=TF32, task="fit")
    assert only_view(project)["pairs"]  # the other row can
    project.fail("oom", "all of it", column=TF32, task="fit")
    ((summary, grid),) = only_view(project)["pairs"]
    assert "geometric mean of 1 row" in summary and "it lacks BERT fit" in summary
    reason = "Keras 3 (JAX), tf32 oom: MemoryError: all of it"
    assert grid.lines[0][1:3] == ("NA", "none") and grid.lines[0][4:] == ("oom", reason)
    project.fail("unsupported", "needs a GPU", column=TF32)
    view = only_view(project)
    assert "No row can have both columns here: needs a GPU." in view["says"]
    assert view["pairs"] == []
    project.fail("timeout")
    view = only_view(project)
    assert "no row has both" in view["pairs"][0][0] and "nothing is shown yet" in view["says"]
    *_, mean = csv_lines(project)
    assert (mean["speedup"], mean["missing"]) == ("NA", "every row")


def test_a_row_of_the_figure_without_a_ratio_says_why(tmp_path):
    project = tf32_project(tmp_path)
    project.change(lambda r: r["load"].update(foreign_cpu_share=0.5), TF32, "fit")
    texts = [text.get_text() for text in figure_of(project.data()).axes[0].texts]
    assert "disturbed" in texts and "no round" not in texts


@pytest.mark.parametrize(("rows", "holds"), [(1, [True]), (2, [False, False])])
def test_what_holds_for_all_rows_is_corrected_for_all_of_them(tmp_path, rows, holds):
    """Alone the row shows it at 2.5 %; as one of two, Holm's first step asks for 1.25 %."""
    of = [("bert", task, 8, None) for task in ("fit", "predict")[:rows]]
    project = tf32_project(tmp_path, rows=of)
    scale(project, TF32, {1: 0.90, 2: 0.94, 3: 0.92}, "fit")
    found = effects(project.data())
    assert found["verdict"].iloc[0] == Verdict.FASTER
    assert 0.0125 < found["p_value"].iloc[0] < 0.025
    assert found["holds"].tolist() == holds


def test_slower_is_shown_as_well_as_faster(tmp_path):
    project = tf32_project(tmp_path)
    scale(project, TF32, dict.fromkeys((1, 2, 3), 1.25), "fit")
    scale(project, TF32, FASTER_BY_A_QUARTER, "predict")
    says = only_view(project)["says"]
    assert "(Holm), it is shown to be faster in BERT predict; slower in BERT fit." in says
    (sentence,) = key_sentences(project.data())
    faster, slower = ("+25\u00a0%", "-20\u00a0%")
    assert sentence.text == (
        "What does TF32 change? Corrected for 2 comparisons (Holm), it is shown to be faster in "
        f"BERT predict ({faster} [{faster}, {faster}]); "
        f"slower in BERT fit ({slower} [{slower}, {slower}])."
    )
    assert sentence.address == f"#{only_view(project)['anchor']}"


def test_of_several_pairs_the_report_names_which_is_faster_where(tmp_path):
    project = project_of(tmp_path, JAX, TORCH, TF32, f"{TORCH}+tf32")
    project.change(uneven)
    scale(project, TF32, dict.fromkeys((1, 2, 3), 0.5), "fit")
    scale(project, f"{TORCH}+tf32", dict.fromkeys((1, 2, 3), 0.5))
    view = only_view(project)
    assert "with Keras 3 (JAX), tf32 in BERT fit; " in view["says"]
    assert "with Keras 3 (PyTorch), tf32 in every row" in view["says"]
    assert len(view["pairs"]) == 2
    for run in (2, 3):
        project.fail("timeout", column=f"{TORCH}+tf32", run=run)
    with_interval, without = (summary for summary, _ in only_view(project)["pairs"])
    assert with_interval.endswith(").") and without.endswith("\u00a0%.")


def test_a_single_round_shows_nothing(tmp_path):
    project = tf32_project(tmp_path, runs=1)
    assert not effects(project.data())["holds"].any()
    assert key_sentences(project.data()) == []
    assert {line[2] for line in lines_of(project)} == {"none (a single round shows nothing)"}
    assert {line["verdict"] for line in csv_lines(project)} == {"NA"}
    assert {line["holds_for_all_rows"] for line in csv_lines(project)} == {"NA"}


def test_an_undecided_row_says_how_many_more_rounds(tmp_path):
    project = tf32_project(tmp_path)
    scale(project, TF32, {1: 0.86, 2: 0.94, 3: 0.90}, "fit")
    scale(project, TF32, {1: 1.5, 2: 0.5, 3: 1.28}, "predict")
    fit, predict = (line[2] for line in lines_of(project))
    more = int(re.fullmatch(r"not decided; about (\d+) more rounds? would .*", fit)[1])
    assert 1 <= more <= 5
    assert predict == "not decided; even 100 rounds would probably not decide it"
    assert [line["rounds_to_decide"] for line in csv_lines(project)] == [str(3 + more), "NA", "NA"]


def test_csv_has_a_line_for_every_row_and_one_for_the_mean(tmp_path):
    project = tf32_project(tmp_path)
    scale(project, TF32, FASTER_BY_A_QUARTER, "fit")
    project.fail("oom", "=HYPERLINK()", column=JAX, task="predict")
    fit, predict, mean = csv_lines(project)
    expected = {"setting": "precision", "from": "default", "to": "tf32", "new": TF32}
    expected |= {"batch_size": "8", "verdict": "FASTER", "holds_for_all_rows": "True"}
    assert {**expected, "rounds": "3"}.items() <= fit.items()
    assert float(fit["speedup"]) == pytest.approx(1.25)
    assert (predict["speedup"], predict["verdict"]) == ("NA", "NA")
    assert predict["missing"] == "Keras 3 (JAX) oom: MemoryError: =HYPERLINK()"
    assert (mean["model"], mean["missing"]) == ("geometric mean", "BERT predict")
    assert float(mean["speedup"]) == pytest.approx(1.25)


def test_latex_has_a_table_for_every_pair(tmp_path):
    text = latex_of(project_of(tmp_path, *FRAMEWORKS).data())
    assert text.count(r"\begin{longtable}") == text.count(r"\end{longtable}") == 2
    line = r"BERT fit & 8 & 20.04 & 10.02 & +100~\% {[}+100~\%, +100~\%{]} & \textbf{faster} \\"
    assert f"\n{line}\n" in text
    none = latex_of(project_of(tmp_path, JAX, TORCH).data())
    assert none.startswith("% no two columns") and none.count("\n") == 1


def test_without_a_pair_there_is_no_section(tmp_path):
    data = project_of(tmp_path, JAX, TORCH).data()
    assert section(data) is None and table_notes(data) == [] and table_of(data).empty


def test_other_differences_are_listed_in_the_row_and_the_subject_is_not(tmp_path):
    project = tf32_project(tmp_path)
    project.change(lambda r: r["parity"].update(matmul_precision="tf32", attention="sdpa"), TF32)
    project.change(lambda r: r["work"].update(parameters=7), TF32, "fit")
    attention = "attention sdpa instead of einsum"
    both = f"{attention}; parameters 7 instead of 10,780,418"
    assert [line[-1] for line in lines_of(project)] == [both, attention]
    assert [line["not_the_same"] for line in csv_lines(project)] == [both, attention, "NA"]
    named = {key for c in collect(project.load()) for key in c.evidence.get("keys", ())}
    assert "attention" in named and "matmul_precision" not in named


def test_a_difference_that_nobody_asked_for_stays_a_caveat(tmp_path):
    """TF32 beside float32 in two frameworks with the same setting, though others have another."""
    project = project_of(tmp_path, JAX, TORCH, (TF32, {"precision": "tf32"}))
    for column in (TORCH, TF32):
        project.change(lambda r: r["parity"].update(matmul_precision="tf32"), column)
    (caveat,) = [c for c in collect(project.load()) if c.id == "precision_differs"]
    assert caveat.evidence["values"] == {
        "float32": ["Keras 3 (JAX)"],
        "float32 / tf32": ["Keras 3 (PyTorch)"],
    }
    assert {cell.column.name for cell in caveat.cells} == {JAX, TORCH}


def test_compiling_is_the_subject_of_eager_against_compiled(tmp_path):
    project = project_of(tmp_path, "pytorch-eager", "pytorch-compiled")
    graphs = {"graphs": 2, "graph_breaks": 1, "left_eager": "aten::mm", "compile_mode": "default"}
    graphs |= {"cuda_graphs": False, "cuda_graphs_skipped": "on a processor"}
    graphs |= {"image_data_format": "channels_first, inductor's choice"}
    project.change(lambda r: r["parity"].update(image_data_format="channels_first"))
    project.change(lambda r: r["parity"].update(graphs), "pytorch-compiled")
    data = project.data()
    assert effects(data)["not_the_same"].isna().all()
    named = {caveat.id for caveat in collect(data.results)}
    assert {"execution_differs", "parity_differs"}.isdisjoint(named)
    data = project_of(tmp_path, "keras2-tensorflow", "keras3-tensorflow").data()
    assert "execution jit instead of graph" in effects(data)["not_the_same"].iloc[0]
    assert "execution_differs" in {caveat.id for caveat in collect(data.results)}


BARELY_SLOWER = {1: 1.08, 2: 1.12, 3: 1.16}  # p = 2.3 %, one-sided: enough alone, not of two
MUCH_SLOWER = {1: 1.30, 2: 1.31, 3: 1.32}
AS_FAST = {1: 1.06, 2: 1.00, 3: 1.02}


@pytest.mark.parametrize(
    ("predict", "differs"), [(AS_FAST, True), (MUCH_SLOWER, False)], ids=["differ", "agree"]
)
def test_slower_in_the_table_and_not_shown_for_all_rows(tmp_path, predict, differs):
    """One row of two: 2.5 % in the table, 1.25 % for the effect unless the other row goes first."""
    project = tf32_project(tmp_path)
    scale(project, TF32, BARELY_SLOWER, "fit")
    scale(project, TF32, predict, "predict")
    data = project.data()
    assert data.results.rows[0].standings[TF32] is Standing.SLOWER
    in_the_effect = (
        "The table calls the slower column of BERT fit significantly slower, and that is not shown "
        "here: the table is corrected for the columns of one row, this for all 2 comparisons of "
        "the question."
    )
    assert (in_the_effect in only_view(project)["says"]) == differs
    assert table_notes(data) == differs * [
        "Significantly slower here, but not under Effects, for “What does TF32 change?” (BERT "
        "fit): this table is corrected for the columns of a row, Effects for all rows and pairs "
        "of a question."
    ]


def test_slower_as_a_pair_alone_and_undecided_in_the_table(tmp_path):
    """A third column, as fast as the fastest, makes two comparisons of the row's one."""
    project = tf32_project(tmp_path, more=(TORCH,))
    scale(project, TF32, BARELY_SLOWER, "fit")
    scale(project, TF32, AS_FAST, "predict")
    scale(project, TORCH, AS_FAST)
    data = project.data()
    assert data.results.rows[0].standings[TF32] is Standing.UNDECIDED
    assert only_view(project)["says"].endswith(
        "The verdict in BERT fit is that of the pair alone; the table, corrected for all columns "
        "of the row, calls its slower column undecided."
    )
    assert table_notes(data) == [
        "Undecided here, corrected for the columns of a row, but decided as a pair alone for "
        "“What does TF32 change?” (BERT fit)."
    ]
