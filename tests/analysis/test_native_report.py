"""Is native code worth it? The section of the report, its figure, and the first page."""

import matplotlib
import pytest
from drawn_pages import report_of
from hostile import HOSTILE
from native_projects import COMPILED, EAGER, JAX, by_hand, native_project, of, timed
from results_factory import Project, make_plan

from analysis.data import Data
from analysis.figures.style import RC
from analysis.topics.native.figure import MARK_PT, beside, points
from analysis.topics.native.figure import native as figure_of
from analysis.topics.native.grids import earned_back
from analysis.topics.native.methods import methods
from analysis.topics.native.section import cell_facts, key_sentences, values

NATIVE, NAIVE = f"{EAGER}+native", f"{EAGER}+naive"
HEADING = "Is native code worth it?"
QUESTIONS = ("Is it a problem?", "Can the framework do it itself?", "Does it pay?")


def page_of(project, figures):
    return report_of(project, figures)


def section_of(project):
    return values(Data(project.load()))


def lines_of(table):
    """Texts of a table, with plain spaces."""
    return [[text.replace("\u00a0", " ") for text in line] for line in table.lines]


def test_the_first_page_says_where_it_pays_and_the_section_answers_three_questions(
    tmp_path, figures
):
    text = page_of(by_hand(tmp_path), figures)
    top = text.split("</header>")[0]
    assert "built around an operation (ALIGNER fit on plain PyTorch)" in top
    assert 'href="#native"' in top
    heads = [text.index(f"<h3>{head}</h3>") for head in QUESTIONS]
    assert heads == sorted(heads) and text.index(f">{HEADING}</h2>") < heads[0]
    assert 'id="figure-native"' in text[heads[2] :]


def test_sentences_and_tables_by_hand(tmp_path):
    found = section_of(by_hand(tmp_path))
    assert found["verdicts"] == ["mas in ALIGNER fit: native code pays on plain PyTorch."]
    assert found["itself_verdicts"] == [
        "mas in ALIGNER fit: the framework's best way takes longer than native code on plain "
        "PyTorch (48.00× [48.00×, 48.00×])."
    ]
    title, alone = "ALIGNER fit on plain PyTorch", "48.00× [48.00×, 48.00×]"
    way = ("PyTorch (compiled)", "24.00", "32.00")
    assert lines_of(found["problem"]) == [
        [title, "mas", *way, "75 % [75 %, 75 %]", "4.00× [4.00×, 4.00×]"]
    ]
    ((*pays, earns),) = lines_of(found["pays"])
    step = "2.00× [2.00×, 2.00×]"
    assert pays == [
        *(title, "PyTorch (eager), native", alone, step, "yes", "33 (12)", "4.00", "none")
    ]
    assert earns.startswith("25") and earns.endswith("]")
    (note,) = found["notes"]
    assert "PyTorch (eager), naive, built with -O3, takes 10.00×" in note
    assert "the time of PyTorch (eager), native in the operation alone" in note


def test_every_way_has_its_compiler_flags_and_agreement(tmp_path):
    project = by_hand(tmp_path)
    project.fail("error", "WrongResult: the path differs", column=NAIVE)
    ((_, table),) = section_of(project)["every_way"]
    lines = {line[0]: line for line in table.lines}
    native, missing = lines["PyTorch (eager), native"], lines["PyTorch (eager), naive"]
    assert native[4:8] == ("48.00×", "2.00×", "33", "4.00")
    assert "g++ (Debian 12.2.0-14) 12.2.0: -O3 -march=native -ffast-math" in native[8]
    assert native[9] == "outputs 0 of 0 and losses of 10 steps 1e-07 of 0.0001"
    assert "error: " in missing[1] and "the path differs" in missing[1]
    assert set(missing[2:]) == {"NA"} and table.lines[-1] is missing
    own = lines["PyTorch (compiled)"]
    assert (own[4], own[5], own[7], own[8]) == ("NA", "NA", "NA", "NA")


@pytest.mark.parametrize(
    ("alone_ms", "note", "most"),
    [
        (8.0, "more than the share of the operation allows (1.33× at most)", "1.33×"),
        (40.0, "alone the operation takes longer than the whole step (125", "no limit"),
    ],
)
def test_what_a_share_does_not_say_is_said_in_words(tmp_path, alone_ms, note, most):
    project = by_hand(tmp_path)
    timed(project, COMPILED, 32.0, alone_ms)
    found = section_of(project)
    assert note in " ".join(found["notes"]) and found["problem"].lines[0][6].startswith(most)


def test_a_way_that_could_not_be_timed_alone_still_has_a_step(tmp_path, figures):
    project = by_hand(tmp_path)
    project.change(lambda r: r["operation"].update(uses=None, alone_ns=[]))
    found = section_of(project)
    assert found["problem"].lines[0][3:] == ("NA", "32.00", "NA", "NA")
    assert found["pays"].lines[0][2] == "NA"
    assert "pays on plain PyTorch" in found["verdicts"][0]
    assert "no round in which both were timed alone" in found["itself_verdicts"][0]
    assert HEADING in page_of(project, figures)


def test_a_single_run_says_so(tmp_path):
    project = by_hand(tmp_path, runs=1)
    found = section_of(project)
    assert found["pays"].lines[0][4] == "not shown: one run"
    assert found["verdicts"][0].endswith("is not shown to pay on plain PyTorch (one run).")
    assert key_sentences(Data(project.load())) == []


@pytest.mark.parametrize("threads", [1, 2])
def test_threads_of_a_framework_beside_native_code_are_said(tmp_path, threads):
    project = by_hand(tmp_path)
    project.change(lambda r: r["threads"].update(requested=threads))
    caption = section_of(project)["pays"].caption
    assert ("own operations have up to 2 threads here" in caption) == (threads == 2)


def test_a_framework_without_a_native_way_is_only_asked_the_first_questions(tmp_path, figures):
    project = native_project(tmp_path, of(JAX))
    timed(project, JAX, 10.0, 4.0)
    found = section_of(project)
    assert found["problem"].lines[0][1:5] == ("mas", "Keras 3 (JAX)", "4.000", "10.00")
    assert not (found["pays"].lines or found["verdicts"] or found["itself_verdicts"])
    text = page_of(project, figures)
    assert QUESTIONS[1] in text and QUESTIONS[2] not in text and 'id="figure-native"' not in text


def test_a_table_without_operations_has_no_such_section(project, figures):
    data = Data(project.load())
    assert values(data) is None and key_sentences(data) == methods(data) == []
    text = page_of(project, figures)
    assert HEADING not in text and 'href="#native"' not in text


def test_hostile_titles_stay_text(tmp_path, figures):
    project = by_hand(tmp_path)
    project.plan["rows"][0]["title"] = HOSTILE
    for column in project.plan["columns"]:
        column["title"] += HOSTILE
    project.change(lambda r: r["operation"].update(name=HOSTILE[:40]))
    project.change(lambda r: r["operation"]["build"].update(compiler=HOSTILE), NATIVE)
    text = page_of(project, figures)
    assert text.count("<script>") == 1 and "\x1b" not in text and "alert(1)" in text


def marks_of(axes):
    """Without the lines of the intervals and of no gain."""
    return [line for line in axes.lines if line.get_marker() != "None"]


@pytest.fixture
def drawn(tmp_path):
    """The figure of a project, in the look of the report."""

    def draw(project):
        with matplotlib.rc_context({**matplotlib.rcParamsDefault, **RC}):
            figure = figure_of(Data(project.load()))
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
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert titles == ["ALIGNER fit, batch 16", ""]
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


def test_rows_beyond_those_that_are_drawn_are_counted(tmp_path, drawn):
    rows = tuple(("aligner", "fit", size, None) for size in range(1, 15))
    figure = drawn(by_hand(tmp_path, rows=rows))
    assert len(figure.axes) == 24
    note = "The first 24 of 28 panels; the tables have them all."
    assert figure.get_supxlabel() == note


def test_without_native_ways_the_figure_says_so(project, drawn):
    assert "no operation was measured" in drawn(project).texts[0].get_text()
    assert points(Data(project.load())).empty


@pytest.mark.parametrize("spread", [[1.0, 16.0, 900.0], [16.0, 16.0, 16.0]])
def test_wildly_different_runs_do_not_break_the_axes(tmp_path, drawn, spread):
    project = by_hand(tmp_path)
    timed(project, NATIVE, spread, 0.5)
    assert all(axes.get_ylim()[1] < 1e3 for axes in drawn(project).axes)


@pytest.mark.parametrize(
    ("steps", "text"),
    [
        ((None, None, None), "NA"),
        ((1234, None, None), "1,234"),
        ((1234, 1100, 1500), "1,234 [1,100, 1,500]"),
        ((1234, 1100, "never"), "1,234 [1,100, never]"),
        (("never", "never", "never"), "never"),
    ],
)
def test_when_a_build_is_earned_back_is_spelled_out(steps, text):
    assert earned_back(*steps) == text


def test_methods_say_how_operations_were_timed(tmp_path):
    (text,) = methods(Data(by_hand(tmp_path).load()))
    assert "(mas)" in text and "the median of 3 calls" in text
    assert "g++ (Debian 12.2.0-14) 12.2.0" in text


def test_details_of_a_cell_have_its_operation(tmp_path):
    project = by_hand(tmp_path)
    own, native, naive, _ = map(dict, cell_facts(Data(project.load())).values())
    assert own["Its operation alone"] == "mas, framework: 30.00 ms, 1 use a step, 12 lines of code"
    assert native["Its operation alone"] == "mas, native: 0.5000 ms, 1 use a step, 33 lines of code"
    assert "Built" not in own and naive["Built"].startswith("in 3.00 s by g++")
    assert own["Its results"].endswith("outputs 0 of 0 and losses of 10 steps 1e-07 of 0.0001")
    assert cell_facts(Data(Project(tmp_path / "none", make_plan()).load())) == {}
