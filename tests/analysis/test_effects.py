"""What one thing changes: which columns are compared, and what the report shows of them."""

import copy
import csv
import io
import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from results_factory import FRAMEWORKS, Project, make_column, make_plan, uneven

from analysis.caveats import collect
from analysis.comparisons.effects import effects_of
from analysis.comparisons.gains import gain_of
from analysis.comparisons.questions import differing_settings, questions
from analysis.report.effects import effect_views
from analysis.results.plan import Column
from analysis.statistics.intervals import Verdict
from analysis.tables.effects import effects_csv
from analysis.tables.effects_latex import effects_latex

JAX, TORCH = "keras3-jax", "keras3-torch"
TF32 = f"{JAX}+tf32"
FASTER_BY_A_QUARTER = {1: 0.80, 2: 0.80, 3: 0.80}


def columns(*asked):
    """Columns of a plan from names, or names with settings."""
    pairs = [(entry, {}) if isinstance(entry, str) else entry for entry in asked]
    return [Column(**make_column(name, **settings)) for name, settings in pairs]


def project_of(folder, *asked, **more):
    """A project with these columns, each as fast as its framework."""
    pairs = [(entry, {}) if isinstance(entry, str) else entry for entry in asked]
    plan = make_plan(columns=tuple(name for name, _ in pairs), **more)
    plan["columns"] = [make_column(name, **settings) for name, settings in pairs]
    return Project(folder, plan)


def tf32_project(folder, **more):
    """Two columns of one framework that take the same time."""
    project = project_of(folder, JAX, (TF32, {"precision": "tf32"}), **more)
    base, new = (
        [r for r in project.records.values() if r["cell"]["column"] == c] for c in (JAX, TF32)
    )
    for one, other in zip(base, new, strict=True):
        other["timing"]["blocks"] = copy.deepcopy(one["timing"]["blocks"])
    return project


def scale(project, column, factors, task=""):
    """Multiply the times of a column by a factor for each run."""
    for run, factor in factors.items():

        def change(record, factor=factor):
            for block in record["timing"]["blocks"]:
                block["elapsed_ns"] = round(block["elapsed_ns"] * factor)

        project.change(change, column=column, task=task, run=run)


def asked(found):
    """Question, base and new column of every pair."""
    return [(q.text, pair.base.name, pair.new.name) for q in found for pair in q.pairs]


def test_the_default_table_asks_two_questions():
    assert asked(questions(columns(*FRAMEWORKS))) == [
        ("What does Keras 3 change on TensorFlow?", "keras2-tensorflow", "keras3-tensorflow"),
        ("What does compiling change?", "pytorch-eager", "pytorch-compiled"),
    ]


@pytest.mark.parametrize(
    ("base", "new", "question"),
    [
        (("keras3-torch+cpu", {}), (TORCH, {"accelerator": "cuda"}), "What does the GPU change?"),
        ((JAX, {}), (TF32, {"precision": "tf32"}), "What does TF32 change?"),
        ((JAX, {}), (f"{JAX}+float32", {"precision": "float32"}), "What does float32 change?"),
        (
            (f"{JAX}+2024-03", {"stack": "2024-03"}),
            (JAX, {}),
            "What did the releases from 2024-03 to 2026-11 change?",
        ),
        (
            (JAX, {}),
            (f"{JAX}+keras", {"overlay": ["keras"]}),
            "What does this patch change: keras?",
        ),
        (
            (f"{JAX}+a", {"overlay": ["a 1", "c"]}),
            (f"{JAX}+b", {"overlay": ["b 2", "c"]}),
            "What does this patch change: b 2 instead of a 1?",
        ),
        ((JAX, {}), (f"{JAX}+1-thread", {"threads": 1}), "What does 1 thread change?"),
        ((JAX, {}), (f"{JAX}+4-threads", {"threads": 4}), "What do 4 threads change?"),
        (
            ("pytorch-compiled", {"mode": "reduce-overhead"}),
            ("pytorch-compiled+default", {"mode": "default"}),
            "What does compiling in mode default change?",
        ),
        (
            (TORCH, {"jit_compile": "auto"}),
            (f"{TORCH}+jit", {"jit_compile": True}),
            "What does compiling in Keras change?",
        ),
        (
            (TORCH, {}),
            (f"{TORCH}+python-1a2b3c", {"interpreter": "/a/python"}),
            "What does another interpreter change?",
        ),
    ],
)
def test_a_setting_has_its_question_and_its_base_whatever_the_order(base, new, question):
    expected = [(question, base[0], new[0])]
    assert asked(questions(columns(base, new))) == expected
    if not base[0].endswith("+a"):  # where neither is the default, the first is the base
        assert asked(questions(columns(new, base))) == expected


def test_several_values_of_a_setting_stand_against_one_base():
    modes = ("max-autotune", "reduce-overhead", "default")
    names = {"reduce-overhead": "pytorch-compiled"}
    found = columns(
        *((names.get(mode, f"pytorch-compiled+{mode}"), {"mode": mode}) for mode in modes)
    )
    assert asked(questions(found)) == [
        (
            f"What does compiling in mode {mode} change?",
            "pytorch-compiled",
            f"pytorch-compiled+{mode}",
        )
        for mode in ("max-autotune", "default")
    ]


def test_what_only_one_framework_takes_does_not_part_a_pair():
    found = columns(
        "pytorch-eager",
        ("pytorch-compiled", {"mode": "reduce-overhead"}),
        ("pytorch-compiled+max-autotune", {"mode": "max-autotune"}),
        ("pytorch-eager+tf32", {"precision": "tf32"}),
    )
    compiling, tf32, mode = questions(found)
    assert [pair.new.name for pair in compiling.pairs] == [found[1].name, found[2].name]
    assert (tf32.text, mode.setting) == ("What does TF32 change?", "mode")


def test_one_setting_of_several_frameworks_is_one_question():
    found = columns(JAX, TORCH, *((f"{n}+tf32", {"precision": "tf32"}) for n in (JAX, TORCH)))
    (question,) = questions(found)
    assert (question.setting, question.base, question.new) == ("precision", "default", "tf32")
    assert [(p.base.name, p.new.name) for p in question.pairs] == [
        (JAX, TF32),
        (TORCH, f"{TORCH}+tf32"),
    ]


VALUES = {
    "accelerator": ("cpu", "cuda"),
    "precision": ("default", "float32", "tf32"),
    "threads": (1, 2),
    "overlay": ([], ["keras 3.1"]),
}
SETTINGS = st.fixed_dictionaries({name: st.sampled_from(of) for name, of in VALUES.items()})


def apart(one, other):
    """In how many things two columns differ."""
    return (one.framework != other.framework) + len(differing_settings(one, other))


@given(st.lists(st.tuples(st.sampled_from([JAX, "pytorch-eager", "pytorch-compiled"]), SETTINGS)))
def test_pairs_differ_in_one_thing_and_nobody_with_such_a_neighbour_is_left_out(asked_for):
    found = columns(*((f"{name}+{n}", settings) for n, (name, settings) in enumerate(asked_for)))
    named = [column for column in found if column.framework != "pytorch-compiled" or column.against]
    pairs = [pair for question in questions(found) for pair in question.pairs]
    assert all(apart(pair.base, pair.new) == 1 for pair in pairs)
    compared = {column.name for pair in pairs for column in (pair.base, pair.new)}
    for column in named:
        twins = [other for other in found if apart(column, other) == 0]
        near = [
            other
            for other in found
            if apart(column, other) == 1
            and (
                column.framework == other.framework
                or column.framework in other.against
                or other.framework in column.against
            )
        ]
        assert bool(near) == any(twin.name in compared for twin in twins)


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


def test_other_differences_are_listed_in_the_row_and_the_subject_is_not(tmp_path):
    project = tf32_project(tmp_path)
    project.change(lambda r: r["parity"].update(matmul_precision="tf32", attention="sdpa"), TF32)
    project.change(lambda r: r["work"].update(parameters=7), TF32, "fit")
    results = project.load()
    fit, predict = effects_of(results)[0].comparisons
    assert predict.differences == ["attention sdpa instead of einsum"]
    assert fit.differences == [*predict.differences, "parameters 7 instead of 10,780,418"]
    named = {key for c in collect(results) for key in c.evidence.get("keys", ())}
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
    results = project_of(tmp_path, "pytorch-eager", "pytorch-compiled").load()
    assert all(found.differences == [] for found in effects_of(results)[0].comparisons)
    assert "execution_differs" not in {caveat.id for caveat in collect(results)}
    upgrade = project_of(tmp_path, "keras2-tensorflow", "keras3-tensorflow").load()
    assert "execution jit instead of graph" in effects_of(upgrade)[0].comparisons[0].differences
    assert "execution_differs" in {caveat.id for caveat in collect(upgrade)}


def test_steps_that_were_not_steady_are_listed(tmp_path):
    project = tf32_project(tmp_path)

    def slow_down(record):
        for block in record["timing"]["blocks"][5:]:
            block["elapsed_ns"] = block["elapsed_ns"] * 11 // 10

    project.change(slow_down, TF32, "fit", 1)
    fit, predict = effects_of(project.load())[0].comparisons
    assert fit.differences == ["steps of Keras 3 (JAX), tf32 were not steady"]
    assert predict.differences == []


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
