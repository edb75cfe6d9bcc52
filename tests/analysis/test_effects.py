"""What one thing changes, row by row and over all rows: ratios, verdicts, means, and as files."""

import csv
import io
import math
import re

import pytest
from effect_projects import (
    FASTER_BY_A_QUARTER,
    JAX,
    TF32,
    TORCH,
    project_of,
    scale,
    tf32_project,
)
from results_factory import FRAMEWORKS, uneven

from analysis.comparisons.effects import effects_of
from analysis.comparisons.gains import gain_of
from analysis.report.effects import effect_views
from analysis.statistics.intervals import Verdict
from analysis.tables.effects import effects_csv
from analysis.tables.effects_latex import effects_latex


def test_ratio_interval_and_mean_by_hand(tmp_path):
    # The base takes 8 ms; t(base) / t(new) is 1.25 and 1.6, 1.25, 1.25, of which the mean of the
    # logarithms is ln(1.25) + ln(1.28) / 3.
    project = tf32_project(tmp_path)
    scale(project, TF32, FASTER_BY_A_QUARTER, "fit")
    scale(project, TF32, {1: 0.625, 2: 0.80, 3: 0.80}, "predict")
    (effect,) = effects_of(project.load())
    (pair,) = effect.pairs
    fit, predict = pair.comparisons
    assert fit.gain.ratio.value == pytest.approx(1.25)
    assert fit.gain.verdict is Verdict.FASTER
    mean_log = math.log(1.25) + math.log(1.28) / 3
    error = math.log(1.28) / 3  # sd of (x, 0, 0) is x / sqrt(3), over sqrt(3) runs
    assert predict.gain.ratio.value == pytest.approx(math.exp(mean_log))
    # Two pairs are too few for a prior, so t of two degrees of freedom: 4.302653.
    assert predict.gain.interval.low == pytest.approx(math.exp(mean_log - 4.302653 * error), 1e-5)
    assert predict.gain.verdict is Verdict.AMBIGUOUS
    mean = (math.log(1.25) + mean_log) / 2
    assert pair.mean.value == pytest.approx(math.exp(mean))
    assert (pair.mean.rows, pair.mean.missing) == (("BERT fit", "BERT predict"), ())


def test_base_and_new_swapped_give_the_reciprocal(tmp_path):
    project = tf32_project(tmp_path)
    project.change(uneven)
    for row in project.load().rows:
        one, other = row.cells
        there, back = gain_of(row, other, one), gain_of(row, one, other)
        assert there.ratio.value * back.ratio.value == pytest.approx(1)
        assert there.interval.low * back.interval.high == pytest.approx(1)


def test_a_row_without_a_ratio_says_why_and_the_mean_names_it(tmp_path):
    project = tf32_project(tmp_path)
    project.fail("oom", "all of it", column=TF32, task="fit")
    (view,) = effect_views(project.load())
    ((summary, grid),) = view.pairs
    assert "geometric mean of 1 row" in summary and "it lacks BERT fit" in summary
    reason = "Keras 3 (JAX), tf32 oom: MemoryError: all of it"
    assert grid.lines[0][1:3] == ("NA", "none") and grid.lines[0][4:] == ("oom", reason)
    project.fail("timeout")
    (view,) = effect_views(project.load())
    assert "no row has both" in view.pairs[0][0]
    assert "nothing is shown yet" in view.shown


def test_what_holds_for_all_rows_is_corrected_for_all_of_them(tmp_path):
    # Alone the row shows it at 2.5 %; as one of two, Holm's first step asks for 1.25 %.
    factors = {1: 0.90, 2: 0.94, 3: 0.92}
    for rows, shown in ((1, 1), (2, 0)):
        of = [("bert", "fit", batch, None) for batch in range(1, rows + 1)]
        project = tf32_project(tmp_path / str(rows), rows=of)
        scale(project, TF32, factors)
        if rows == 2:  # the second row is as before

            def back(record):
                if record["cell"]["batch_size"] == 2:
                    for block in record["timing"]["blocks"]:
                        block["elapsed_ns"] /= factors[record["cell"]["run"]]
                        block["elapsed_ns"] = round(block["elapsed_ns"])

            project.change(back, TF32)
        (effect,) = effects_of(project.load())
        first = effect.comparisons[0]
        assert first.gain.verdict is Verdict.FASTER
        assert 0.0125 < first.p_values[Verdict.FASTER] < 0.025
        assert len(effect.shown) == shown


def test_slower_is_shown_as_well_as_faster(tmp_path):
    project = tf32_project(tmp_path)
    scale(project, TF32, dict.fromkeys((1, 2, 3), 1.25), "fit")
    scale(project, TF32, FASTER_BY_A_QUARTER, "predict")
    (view,) = effect_views(project.load())
    assert "(Holm), it is shown to be faster in BERT predict; slower in BERT fit." in view.shown


def test_of_several_pairs_the_report_names_which_is_faster_where(tmp_path):
    project = project_of(tmp_path, JAX, TORCH, TF32, f"{TORCH}+tf32")
    project.change(uneven)
    scale(project, TF32, dict.fromkeys((1, 2, 3), 0.5), "fit")
    scale(project, f"{TORCH}+tf32", dict.fromkeys((1, 2, 3), 0.5))
    (view,) = effect_views(project.load())
    assert "with Keras 3 (JAX), tf32 in BERT fit; " in view.shown
    assert "with Keras 3 (PyTorch), tf32 in every row" in view.shown
    assert len(view.pairs) == 2


def test_a_single_round_shows_nothing(tmp_path):
    (effect,) = effects_of(tf32_project(tmp_path, runs=1).load())
    assert effect.shown == {} and not any(found.undecided for found in effect.comparisons)
    (view,) = effect_views(tf32_project(tmp_path, runs=1).load())
    assert {line[2] for line in view.pairs[0][1].lines} == {"none (a single round shows nothing)"}


def test_an_undecided_row_says_how_many_more_rounds(tmp_path):
    project = tf32_project(tmp_path)
    scale(project, TF32, {1: 0.86, 2: 0.94, 3: 0.90}, "fit")
    scale(project, TF32, {1: 1.5, 2: 0.5, 3: 1.28}, "predict")
    (view,) = effect_views(project.load())
    fit, predict = (line[2] for line in view.pairs[0][1].lines)
    more = int(re.fullmatch(r"not decided; about (\d+) more rounds? would .*", fit)[1])
    assert 1 <= more <= 5
    assert predict == "not decided; even 100 rounds would probably not decide it"


def test_csv_has_a_line_for_every_row_and_one_for_the_mean(tmp_path):
    project = tf32_project(tmp_path)
    scale(project, TF32, FASTER_BY_A_QUARTER, "fit")
    project.fail("oom", "=HYPERLINK()", column=JAX, task="predict")
    fit, predict, mean = csv.DictReader(io.StringIO(effects_csv(project.load())))
    assert (fit["question"], fit["setting"]) == ("What does TF32 change?", "precision")
    assert (fit["from"], fit["to"], fit["new"]) == ("default", "tf32", TF32)
    assert float(fit["speedup"]) == pytest.approx(1.25)
    assert (fit["verdict"], fit["holds_for_all_rows"], fit["rounds"]) == ("FASTER", "True", "3")
    assert (predict["speedup"], predict["verdict"]) == ("NA", "NA")
    assert predict["missing"] == "Keras 3 (JAX) oom: MemoryError: =HYPERLINK()"
    assert (mean["model"], mean["missing"]) == ("geometric mean", "BERT predict")
    assert float(mean["speedup"]) == pytest.approx(1.25)


def test_latex_has_a_float_for_every_question(tmp_path):
    project = project_of(tmp_path, *FRAMEWORKS)
    text = effects_latex(project.load())
    assert text.count(r"\begin{table}") == text.count(r"\end{table}") == 2
    assert (
        r"BERT fit & 8 & 20.04 & 10.02 & +100~\% {[}+100~\%, +100~\%{]} & \textbf{faster} \\"
        in text
    )
    none = effects_latex(project_of(tmp_path, JAX, TORCH).load())
    assert none.startswith("% no two columns") and none.count("\n") == 1
