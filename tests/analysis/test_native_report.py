"""Is native code worth it? The section of the report, its figure, and the first page."""

import matplotlib
import pytest
from hostile import HOSTILE
from native_projects import COMPILED, EAGER, JAX, by_hand, native_project, of, timed
from record_changes import profile
from results_factory import Project, make_plan

from analysis.comparisons.native import PayBack
from analysis.figures.native import MARK_PT, beside, points
from analysis.figures.native import native as figure_of
from analysis.figures.style import RC
from analysis.report.native import native_view, pay_back_text
from analysis.report.native_text import native_text
from analysis.report.operations import timed_alone
from analysis.report.page import render
from analysis.report.rendering import TEMPLATES
from analysis.results.reference import load_reference

NATIVE, NAIVE = f"{EAGER}+native", f"{EAGER}+naive"
HEADING = "Is native code worth it?"


def page_of(results, figures):
    return render(results, load_reference(), figures, TEMPLATES)


def spaced(text):
    return text.replace("\u00a0", " ")


def test_the_three_questions_are_answered_in_order(tmp_path, figures):
    text = page_of(by_hand(tmp_path).load(), figures)
    heads = [text.index(f"<h3>{head}</h3>") for head in QUESTIONS]
    assert heads == sorted(heads) and text.index(f">{HEADING}</h2>") < heads[0]
    assert 'id="figure-native"' in text[heads[2] :]


QUESTIONS = ("Is it a problem?", "Can the framework do it itself?", "Does it pay?")


def test_sentences_and_tables_by_hand(tmp_path):
    view = native_view(by_hand(tmp_path).load())
    assert view.verdicts == ("mas in ALIGNER fit: native code pays on native PyTorch.",)
    (problem,), (itself,), (pays,) = view.problem.lines, view.itself.lines, view.pays.lines
    assert [spaced(text) for text in problem] == [
        *("ALIGNER fit on native PyTorch", "mas", "75 % [75 %, 75 %]"),
        "4.00× [4.00×, 4.00×]",
    ]
    of_compiled = ("PyTorch (compiled)", "24.00", "32.00", "48.00× [48.00×, 48.00×]")
    assert tuple(map(spaced, itself[1:])) == (*of_compiled, "PyTorch (eager) 40.00")
    assert view.itself_verdicts == (
        "mas in ALIGNER fit: the framework's best way takes longer than native code on native "
        "PyTorch (48.00× [48.00×, 48.00×]).",
    )
    assert pays[1] == "PyTorch (eager), native"
    assert [spaced(text) for text in pays[2:4]] == [
        *("48.00× [48.00×, 48.00×]", "2.00× [2.00×, 2.00×]")
    ]
    assert pays[4:8] == ("yes", "33 (12)", "4.00", "none")
    assert pays[8].startswith("25") and pays[8].endswith("]")
    for table in (view.problem, view.itself, view.pays, view.ceiling_table, view.every_way[0][1]):
        assert {len(line) for line in table.lines} <= {len(table.header)}


def test_the_naive_build_is_named_beside_the_tuned_one(tmp_path):
    (note,) = native_view(by_hand(tmp_path).load()).notes
    assert "PyTorch (eager), naive, built with -O3, takes 10.00×" in note
    assert "the time of PyTorch (eager), native in the operation alone" in note


def test_every_way_has_its_compiler_flags_and_agreement(tmp_path):
    project = by_hand(tmp_path)
    project.fail("error", "WrongResult: the path differs", column=NAIVE)
    ((_, table),) = native_view(project.load()).every_way
    lines = {line[0]: line for line in table.lines}
    native, missing = lines["PyTorch (eager), native"], lines["PyTorch (eager), naive"]
    assert "g++ (Debian 12.2.0-14) 12.2.0: -O3 -march=native -ffast-math" in native[8]
    assert native[9] == "outputs 0 of 0 and losses of 10 steps 1e-07 of 0.0001"
    assert "error: " in missing[1] and "the path differs" in missing[1]
    own = lines["PyTorch (compiled)"]
    assert (own[4], own[5], own[7], own[8]) == ("NA", "NA", "NA", "NA")


def test_a_gain_beyond_the_share_is_said_in_words(tmp_path):
    project = by_hand(tmp_path)
    timed(project, COMPILED, 32.0, 8.0)
    notes = " ".join(native_view(project.load()).notes)
    assert "more than the share of the operation allows (1.33× at most)" in notes


def test_an_operation_that_takes_longer_alone_is_said_to(tmp_path):
    project = by_hand(tmp_path)
    timed(project, COMPILED, 32.0, 40.0)
    view = native_view(project.load())
    assert "alone the operation takes longer than the whole step (125" in " ".join(view.notes)
    assert "no limit" in view.problem.lines[0][3]


def test_a_way_that_could_not_be_timed_alone_still_has_a_step(tmp_path, figures):
    project = by_hand(tmp_path)
    project.change(lambda r: r["operation"].update(uses=None, alone_ns=[]))
    results = project.load()
    view = native_view(results)
    assert view.problem.lines[0][2:] == ("NA", "NA") and view.pays.lines[0][2] == "NA"
    assert "pays on native PyTorch" in view.verdicts[0]
    assert "no round in which both were timed alone" in view.itself_verdicts[0]
    assert HEADING in page_of(results, figures)


def test_a_single_run_says_so(tmp_path, figures):
    results = by_hand(tmp_path, runs=1).load()
    view = native_view(results)
    assert view.pays.lines[0][4] == "not shown: one run"
    (sentence,) = view.verdicts
    assert (
        sentence
        == "mas in ALIGNER fit: native code is not shown to pay on native PyTorch (one run)."
    )
    assert 'href="#native"' not in page_of(results, figures).split("</header>")[0]


@pytest.mark.parametrize("threads", [1, 2])
def test_threads_of_a_framework_beside_native_code_are_said(tmp_path, threads):
    project = by_hand(tmp_path)
    project.change(lambda r: r["threads"].update(requested=threads))
    caption = native_view(project.load()).pays.caption
    assert ("own operations have up to 2 threads here" in caption) == (threads == 2)


def test_the_first_page_says_where_it_pays(tmp_path, figures):
    text = page_of(by_hand(tmp_path).load(), figures)
    assert "built around an operation (ALIGNER fit on native PyTorch)" in text
    assert 'href="#native"' in text.split("</header>")[0]


def test_a_framework_without_a_native_way_is_only_asked_the_first_questions(tmp_path, figures):
    project = native_project(tmp_path, of(JAX))
    timed(project, JAX, 10.0, 4.0)
    results = project.load()
    view = native_view(results)
    assert view.problem.lines and view.itself.lines and not view.pays.lines and not view.verdicts
    assert not view.itself_verdicts and view.itself.lines[0][4] == "NA"
    text = page_of(results, figures)
    assert QUESTIONS[1] in text and QUESTIONS[2] not in text and 'id="figure-native"' not in text


def test_a_table_without_operations_shows_ceilings_alone(tmp_path, figures):
    project = Project(tmp_path, make_plan())
    project.change(lambda r: r.update(host_overhead=profile(10.0, 0.2)), JAX)
    text = page_of(project.load(), figures)
    assert HEADING in text and QUESTIONS[0] in text and QUESTIONS[1] not in text
    assert "1.25×" in text and "native_code" in text


def test_a_table_without_either_has_no_such_section(project, figures):
    results = project.load()
    assert native_view(results).empty
    text = page_of(results, figures)
    assert HEADING not in text and 'href="#native"' not in text


def test_hostile_titles_stay_text(tmp_path, figures):
    project = by_hand(tmp_path)
    project.plan["rows"][0]["title"] = HOSTILE
    for column in project.plan["columns"]:
        column["title"] += HOSTILE
    project.change(lambda r: r["operation"].update(name=HOSTILE[:40]))
    project.change(lambda r: r["operation"]["build"].update(compiler=HOSTILE), NATIVE)
    text = page_of(project.load(), figures)
    assert text.count("<script>") == 1 and "\x1b" not in text and "alert(1)" in text


def marks_of(axes):
    """Without the lines of the intervals and of no gain."""
    return [line for line in axes.lines if line.get_marker() != "None"]


@pytest.fixture
def drawn(tmp_path):
    """The figure of a project, in the look of the report."""

    def draw(project):
        with matplotlib.rc_context({**matplotlib.rcParamsDefault, **RC}):
            figure = figure_of(project.load(), load_reference())
            figure.savefig(tmp_path / "native.svg")
        return figure

    return draw


def test_the_figure_has_a_mark_for_every_native_way_over_both_costs(tmp_path, drawn):
    figure = drawn(by_hand(tmp_path))
    assert [axes.get_xlabel() for axes in figure.axes] == ["lines of code", "seconds of building"]
    marks = [marks_of(axes) for axes in figure.axes]
    gains = [32 / 16, 32 / 26]
    for of_axes, costs in zip(marks, ([33, 33], [4.0, 3.0]), strict=True):
        assert [mark.get_xdata()[0] for mark in of_axes] == costs
        assert [mark.get_ydata()[0] for mark in of_axes] == pytest.approx(gains)
        assert all(mark.get_markerfacecolor() != "none" for mark in of_axes)
    assert figure.axes[0].get_title(loc="left") == "ALIGNER fit, batch 16"
    (legend,) = figure.legends
    titles = [text.get_text() for text in legend.get_texts()]
    assert titles[0] == "PyTorch (eager), native" and "PyTorch (compiled)" not in titles


def test_marks_of_equal_cost_are_drawn_beside_each_other(tmp_path, drawn):
    lines, seconds = map(marks_of, drawn(by_hand(tmp_path)).axes)
    left, right = map(drawn_at, lines)
    assert right - left == pytest.approx(beside(2)[1] - beside(2)[0]) == pytest.approx(MARK_PT)
    later, earlier = map(drawn_at, seconds)
    assert later - earlier > 3 * MARK_PT  # different costs lie where they are


def drawn_at(mark):
    """Points from the left of the page to the middle of a mark."""
    (x, _), dpi = mark.get_transform().transform(mark.get_xydata()[0]), mark.figure.dpi
    return 72 * x / dpi


def test_what_is_not_shown_is_an_empty_mark(tmp_path, drawn):
    figure = drawn(by_hand(tmp_path, runs=1))
    marks = [mark for axes in figure.axes for mark in marks_of(axes)]
    assert marks and all(mark.get_markerfacecolor() == "none" for mark in marks)


def test_without_native_ways_the_figure_says_so(tmp_path, project, drawn):
    assert "no operation was measured" in drawn(project).texts[0].get_text()
    assert points(project.load()) == {}


@pytest.mark.parametrize("spread", [[1.0, 16.0, 900.0], [16.0, 16.0, 16.0]])
def test_wildly_different_runs_do_not_break_the_axes(tmp_path, drawn, spread):
    project = by_hand(tmp_path)
    timed(project, NATIVE, spread, 0.5)
    assert all(axes.get_ylim()[1] < 1e3 for axes in drawn(project).axes)


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (None, "NA"),
        (PayBack(1234, None, None), "1,234"),
        (PayBack(1234, 1100, None), "1,234 [1,100, never]"),
        (PayBack(None, None, None), "never"),
    ],
)
def test_when_a_build_is_earned_back_is_spelled_out(found, text):
    assert pay_back_text(found) == text


def test_methods_say_how_operations_were_timed(tmp_path, project):
    (text,) = native_text(by_hand(tmp_path / "by_hand").load())
    assert "(mas)" in text and "the median of 3 calls" in text
    assert "g++ (Debian 12.2.0-14) 12.2.0" in text
    assert native_text(project.load()) == []


def test_details_of_a_cell_have_its_operation(tmp_path):
    results = by_hand(tmp_path).load()
    facts = [dict(timed_alone(cell)) for cell in results.cells]
    assert [found["Its operation alone"] for found in facts[:2]] == [
        "mas, framework: 30.00 ms, 1 use a step, 12 lines of code",
        "mas, native: 0.5000 ms, 1 use a step, 33 lines of code",
    ]
    assert "Built" not in facts[0] and facts[2]["Built"].startswith("in 3.00 s by g++")
    assert facts[0]["Its results"].endswith("outputs 0 of 0 and losses of 10 steps 1e-07 of 0.0001")
