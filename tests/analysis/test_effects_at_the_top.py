"""What the first page says of effects: verdicts, gains, and means over rows."""

import pytest
from effect_projects import JAX, TF32, TORCH, project_of, scale, tf32_project
from results_factory import uneven

from analysis.comparisons.gains import gain_text
from analysis.statistics.intervals import Verdict
from analysis.topics.effects.compute import effects, means
from analysis.topics.effects.section import key_sentences


def test_what_is_shown_over_rows_alone_stands_at_the_top_too(tmp_path):
    """Each row has its two comparisons to make good for; the mean of the rows rests on both."""
    project = tf32_project(tmp_path)
    scale(project, TF32, {1: 0.90, 2: 0.94, 3: 0.92}, "fit")
    scale(project, TF32, {1: 0.94, 2: 0.92, 3: 0.90}, "predict")
    found = effects(project.data())
    (mean,) = means(found).itertuples()
    assert not found["holds"].any() and mean.verdict == Verdict.FASTER
    (sentence,) = key_sentences(project.data())
    gain = f"+{100 * (mean.speedup - 1):.1f}\u00a0% ["
    assert "no difference of more than 2\u00a0% is shown in any one row. Geo" in sentence.text
    mean = f"Geometric mean of 2 rows: Keras 3 (JAX), tf32 against Keras 3 (JAX) {gain}"
    assert mean in sentence.text and sentence.text.endswith("].")


def test_means_over_rows_stand_at_the_top_all_or_none(tmp_path):
    """One that is told for being shown, of several, would be chosen by its luck."""
    project = project_of(tmp_path, JAX, TF32, TORCH, f"{TORCH}+tf32")
    project.change(uneven)
    scale(project, TF32, {1: 0.45, 2: 0.5, 3: 0.55})
    (sentence,) = key_sentences(project.data())
    assert sentence.text.count("tf32 against Keras 3") == 2
    project.fail("oom", column=TF32, task="fit")
    project.fail("oom", column=f"{TORCH}+tf32", task="fit")
    (sentence,) = key_sentences(project.data())
    assert "Geometric" not in sentence.text  # the mean of one row is that row


@pytest.mark.parametrize("study", [None, {"name": "try", "title": "T", "question": "Q?"}])
def test_what_frameworks_change_stands_at_the_top_of_a_study_alone(tmp_path, study):
    """Elsewhere the findings tell it, and the rows."""
    project = project_of(tmp_path, "pytorch-eager", "pytorch-compiled", study=study)
    project.change(uneven)
    scale(project, "pytorch-compiled", dict.fromkeys((1, 2, 3), 0.5))
    found = [sentence.text for sentence in key_sentences(project.data())]
    assert [text.partition("?")[0] for text in found] == ["What does compiling change"] * bool(
        study
    )


def test_a_study_answers_its_question_also_where_nothing_is_shown_or_can_be(tmp_path):
    def told(project):
        return [sentence.text for sentence in key_sentences(project.data())]

    project = tf32_project(tmp_path, study={"name": "try", "title": "T", "question": "Q?"})
    (nothing,) = told(project)
    assert "no difference of more than 2\u00a0% is shown in any one row. Geometric" in nothing
    assert told(tf32_project(tmp_path / "table")) == []  # there it was not asked
    project.fail("unsupported", "needs a GPU", column=TF32)
    (cannot,) = told(project)
    assert cannot.endswith("change? No row can have both columns here: needs a GPU.")
    # what is shown comes first, in whichever order the columns stand
    jit = f"{JAX}+jit"
    several = tf32_project(tmp_path / "two", (jit,), study=project.plan["study"])
    several.change(uneven)
    scale(several, jit, dict.fromkeys((1, 2, 3), 0.5))
    first, last = told(several)
    assert "compiling in Keras" in first and "no difference" not in first and "TF32" in last
    unfinished = tf32_project(tmp_path / "runs", study=project.plan["study"], runs=1)
    assert told(unfinished) == []


def test_a_large_gain_is_a_factor():
    texts = [gain_text(ratio) for ratio in (1.05, 1.42, 9.99, 10.0, 99.96, 1237.3)]
    assert texts == ["+5\u00a0%", "+42\u00a0%", "+899\u00a0%", "10.0×", "100.0×", "1,237×"]
    # the ends of an interval as the gain itself
    assert gain_text(33.1, 9.5, 115.0) == "33.1× [9.5×, 115×]"
    assert gain_text(9.5, 4.0, 22.5) == "+850\u00a0% [+300\u00a0%, +2150\u00a0%]"
