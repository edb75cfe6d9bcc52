"""Is native code worth it? The section of the report, its figure, and the first page."""

import pytest
from drawn_pages import in_our_look, report_of
from native_projects import COMPILED, JAX, NAIVE, NATIVE, by_hand, native_project, of, timed
from results_factory import HOSTILE

from analysis.topics.native.figure import MARK_PT, beside, points
from analysis.topics.native.figure import native as figure_of
from analysis.topics.native.section import cell_facts, earned_back, key_sentences, methods, section

QUESTIONS = ("Is it a problem?", "Can the framework do it itself?", "Does it pay?")


def test_the_first_page_says_where_it_pays_and_the_section_answers_three_questions(
    tmp_path, figures
):
    text = report_of(by_hand(tmp_path), figures)
    top = text.split("</header>")[0]
    assert "built around an operation (ALIGNER fit on plain PyTorch)" in top
    assert 'href="#native"' in top
    heads = [text.index(f"<h3>{head}</h3>") for head in QUESTIONS]
    assert heads == sorted(heads) and text.index(">Is native code worth it?</h2>") < heads[0]
    assert 'id="figure-native"' in text[heads[2] :]


def test_sentences_and_tables_by_hand(tmp_path):
    found = section(by_hand(tmp_path).data())
    assert found["verdicts"] == ["mas in ALIGNER fit: native code pays on plain PyTorch."]
    assert found["itself_verdicts"] == [
        "mas in ALIGNER fit: the framework's best way takes longer than native code on plain "
        "PyTorch (48.00× [48.00×, 48.00×])."
    ]
    title, alone = "ALIGNER fit on plain PyTorch", "48.00×\u00a0[48.00×,\u00a048.00×]"
    share = ("75\u00a0% [75\u00a0%, 75\u00a0%]", "4.00× [4.00×, 4.00×]")
    assert found["problem"].lines == (
        (title, "mas", "PyTorch (compiled)", "24.00", "32.00", *share),
    )
    ((*pays, earns),) = found["pays"].lines
    step = "2.00×\u00a0[2.00×,\u00a02.00×]"
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
    ((_, table),) = section(project.data())["every_way"]
    lines = {line[0]: line for line in table.lines}
    native, missing = lines["PyTorch (eager), native"], lines["PyTorch (eager), naive"]
    assert native[4:8] == ("48.00×", "2.00×", "33", "4.00")
    assert "g++ (Debian 12.2.0-14) 12.2.0: -O3 -march=native -ffast-math" in native[8]
    assert native[9] == "outputs 0 of 0 and losses of 10 steps 1e-07 of 0.0001"
    assert "error: " in missing[1] and "the path differs" in missing[1]
    assert set(missing[2:]) == {"NA"} and table.lines[-1] is missing
    assert {lines["PyTorch (compiled)"][place] for place in (4, 5, 7, 8)} == {"NA"}


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
    found = section(project.data())
    assert note in " ".join(found["notes"]) and found["problem"].lines[0][6].startswith(most)


def test_a_way_that_could_not_be_timed_alone_still_has_a_step(tmp_path):
    project = by_hand(tmp_path)
    project.change(lambda r: r["operation"].update(uses=None, alone_ns=[]))
    found = section(project.data())
    assert found["problem"].lines[0][3:] == ("NA", "32.00", "NA", "NA")
    assert found["pays"].lines[0][2] == "NA" and "pays on plain PyTorch" in found["verdicts"][0]
    assert "no round in which both were timed alone" in found["itself_verdicts"][0]


def test_a_single_run_says_so(tmp_path):
    project = by_hand(tmp_path, runs=1)
    found = section(project.data())
    assert found["pays"].lines[0][4] == "not shown: one run"
    assert found["verdicts"][0].endswith("is not shown to pay on plain PyTorch (one run).")
    assert key_sentences(project.data()) == []


@pytest.mark.parametrize("threads", [1, 2])
def test_threads_of_a_framework_beside_native_code_are_said(tmp_path, threads):
    project = by_hand(tmp_path)
    project.change(lambda r: r["threads"].update(requested=threads))
    caption = section(project.data())["pays"].caption
    assert ("own operations have up to 2 threads here" in caption) == (threads == 2)


def test_a_framework_without_a_native_way_is_only_asked_the_first_questions(tmp_path, figures):
    project = native_project(tmp_path, of(JAX))
    timed(project, JAX, 10.0, 4.0)
    found = section(project.data())
    assert found["problem"].lines[0][1:5] == ("mas", "Keras 3 (JAX)", "4.000", "10.00")
    assert not (found["pays"].lines or found["verdicts"] or found["itself_verdicts"])
    text = report_of(project, figures)
    assert QUESTIONS[1] in text and QUESTIONS[2] not in text and 'id="figure-native"' not in text


def test_a_table_without_operations_says_nothing_of_them(project):
    data = project.data()
    assert section(data) is None and key_sentences(data) == methods(data) == []
    assert cell_facts(data) == {} and points(data).empty


def test_hostile_titles_stay_text(tmp_path, figures):
    project = by_hand(tmp_path)
    project.plan["rows"][0]["title"] = HOSTILE
    for column in project.plan["columns"]:
        column["title"] += HOSTILE
    project.change(lambda r: r["operation"].update(name=HOSTILE[:40]))
    project.change(lambda r: r["operation"]["build"].update(compiler=HOSTILE), NATIVE)
    text = report_of(project, figures)
    assert text.count("<script>") == 1 and "\x1b" not in text and "alert(1)" in text


def marks_of(axes):
    """Without the lines of the intervals and of no gain."""
    return [line for line in axes.lines if line.get_marker() != "None"]


@pytest.fixture
def drawn(tmp_path):
    """The figure of a project, in the look of the report."""

    def draw(project):
        with in_our_look():
            figure = figure_of(project.data())
            figure.savefig(tmp_path / "native.svg")
        return figure

    return draw


def test_the_figure_has_a_mark_for_every_native_way_over_both_costs(tmp_path, drawn):
    figure = drawn(by_hand(tmp_path))
    assert [axes.get_xlabel() for axes in figure.axes] == ["lines of code", "seconds of building"]
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert titles == ["ALIGNER fit, batch 16", ""]
    marks = [marks_of(axes) for axes in figure.axes]
    for of_axes, costs in zip(marks, ([33, 33], [4.0, 3.0]), strict=True):
        assert [mark.get_xdata()[0] for mark in of_axes] == costs
        assert [mark.get_ydata()[0] for mark in of_axes] == pytest.approx([32 / 16, 32 / 26])
        assert all(mark.get_markerfacecolor() != "none" for mark in of_axes)
    # marks of equal cost stand beside each other, different costs where they are
    left, right, later, earlier = (drawn_at(mark) for of_axes in marks for mark in of_axes)
    assert right - left == pytest.approx(beside(2)[1] - beside(2)[0]) == pytest.approx(MARK_PT)
    assert later - earlier > 3 * MARK_PT
    (legend,) = figure.legends
    titles = [text.get_text() for text in legend.get_texts()]
    assert titles[0] == "PyTorch (eager), native" and "PyTorch (compiled)" not in titles


def drawn_at(mark):
    """Points from the left of the page to the middle of a mark."""
    (x, _), dpi = mark.get_transform().transform(mark.get_xydata()[0]), mark.figure.dpi
    return 72 * x / dpi


def test_what_is_not_shown_is_an_empty_mark(tmp_path, drawn):
    marks = [mark for axes in drawn(by_hand(tmp_path, runs=1)).axes for mark in marks_of(axes)]
    assert marks and all(mark.get_markerfacecolor() == "none" for mark in marks)


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
        ((1234, 1100, "never"), "1,234 [1,100, never]"),
        (("never", "never", "never"), "never"),
    ],
)
def test_when_a_build_is_earned_back_is_spelled_out(steps, text):
    assert earned_back(*steps) == text


def test_methods_and_details_of_a_cell_tell_of_its_operation(tmp_path):
    data = by_hand(tmp_path).data()
    (text,) = methods(data)
    assert "(mas)" in text and "the median of 3 calls" in text
    assert "g++ (Debian 12.2.0-14) 12.2.0" in text
    own, native, naive, _ = map(dict, cell_facts(data).values())
    assert own["Its operation alone"] == "mas, framework: 30.00 ms, 1 use a step, 12 lines of code"
    assert native["Its operation alone"] == "mas, native: 0.5000 ms, 1 use a step, 33 lines of code"
    assert "Built" not in own and naive["Built"].startswith("in 3.00 s by g++")
