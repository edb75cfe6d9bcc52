"""The comment on a pull request."""

import json
import math
import re
from functools import partial

import numpy as np
import pytest
from effect_projects import JAX, TORCH, project_of, scale
from record_changes import stretch
from results_factory import BERT_ROWS

from analysis.answer.__main__ import main
from analysis.answer.comment import as_json, comment
from analysis.answer.compute import POWER, Status, answer, seconds, smallest_shown
from analysis.caveats.core import collect
from analysis.caveats.groups import grouped
from analysis.formats.errors import InputError
from analysis.formats.strict_json import read_json
from analysis.statistics.intervals import Verdict, paired_ratio, verdict

PATCH = f"{JAX}+patch"
NOISE = {1: 1.004, 2: 0.997, 3: 1.002, 4: 0.998, 5: 1.001, 6: 0.999, 7: 1.003, 8: 0.996}


def asked(folder, factor=1.0, task="", change=lambda project: None, runs=8):
    """The answer on a patch that takes so many times the base in a task."""
    pair = (JAX, (PATCH, {"overlay": ["patch"]}))
    project = project_of(folder, *pair, runs=runs, rows=BERT_ROWS)
    setting = 1.1  # what a setting costs in a project that is made up
    scale(project, PATCH, {run: NOISE[run] / setting for run in range(1, runs + 1)})
    scale(project, PATCH, dict.fromkeys(range(1, runs + 1), factor), task)
    change(project)
    data = project.data()
    return answer(data, 0.02, 3), data


def commented(found, data, **more):
    results = data.results
    groups = grouped(collect(results, data), results, data)
    return comment(found, data, groups, more.get("left_out", []), more.get("report", ""))


def test_a_patch_that_makes_one_row_slower(tmp_path, monkeypatch):
    found, data = asked(tmp_path, 1.1, "fit")
    slow, same = found.rows
    assert (slow.verdict, same.verdict) == (Verdict.SLOWER, Verdict.SAME)
    assert found.status is Status.SLOWER and found.decided
    assert slow.interval.low < 1.1 < slow.interval.high
    assert slow.interval == slow.ratio.together(6) and 1.02 < slow.smallest < 1.05
    text = commented(found, data, left_out=["sam/predict/4"], report="https://example.org/r")
    assert "slower by more than 2\u00a0% in 1 of 2 rows; the same within 2\u00a0% in 1 of" in text
    line = next(line for line in text.splitlines() if "BERT fit, batch 8" in line)
    assert "| 8 | +10\u00a0%" in line.replace("+10.0", "+10") and "**slower**" in line
    assert (
        "in one round alone" in text
        and "sam/predict/4" in text
        and "[Report](https://example.org/r)" in text
    )
    assert data.results.digest in text
    content = as_json(found, seconds(data))
    settings = {"left_out": ["sam/predict/4"], "report": "https://example.org/r"}
    settings = json.dumps(settings | {"threshold": 0.02, "looks": 3})
    places = ["--plan", str(tmp_path / "results/plan.json"), "--output-dir", str(tmp_path)]
    monkeypatch.setattr("sys.argv", ["answer", *places, "--settings", settings])
    main()
    assert (tmp_path / "answer.md").read_text() == text
    assert read_json(tmp_path / "answer.json", "answer") == content
    assert content["status"] == 1 and set(content["seconds_of_a_round"]) == {
        "bert/fit/8",
        "bert/predict/16",
    }


def broken(project):
    project.fail("error", "no module 'jax'", column=PATCH, task="fit")


def test_the_headline_says_first_where_the_patch_does_not_run(tmp_path):
    text = commented(*asked(tmp_path, change=broken))
    told = "the patch does not run in BERT fit; is the same within 2\u00a0% in 1 of 2 rows"
    assert text.splitlines()[0] == f"### Millistep: {told}"


def unsteady(project):
    project.change(partial(stretch, factor=3, of=slice(5, None)), column=PATCH, task="fit")


@pytest.mark.parametrize(
    ("how", "status", "told"),
    [
        ({"factor": 1.02}, Status.UNDECIDED, "Undecided is neither slower nor the same"),
        ({"factor": 1.5, "runs": 1}, Status.UNDECIDED, "| 1 | +51"),
        ({"change": broken}, Status.SLOWER, "does not run in BERT fit"),
        ({"change": unsteady, "runs": 1}, Status.UNDECIDED, "undecided: `Keras 3"),
    ],
)
def test_what_shows_too_little_is_undecided_and_what_does_not_run_slower(
    tmp_path, how, status, told
):
    found, data = asked(tmp_path, **how)
    slower = status is Status.SLOWER
    assert found.status is status and found.decided == found.rows[0].decided == slower
    assert ({row.verdict for row in found.rows} == {Verdict.AMBIGUOUS}) != slower
    assert ({row.smallest for row in found.rows} == {None}) == ("runs" in how)
    assert told in commented(found, data)


def test_the_words_of_a_failure_are_code_in_which_nobody_is_called_and_nothing_a_link(tmp_path):
    told = "ask @org/team, #123 or https://example.org about `x | y`"
    found = asked(tmp_path, change=lambda p: p.fail("error", told, column=PATCH, task="fit"))
    (code,) = re.findall(r"\| `([^`]*)` \|", commented(*found))
    assert code.endswith(r"ask @org/team, #123 or https://example.org about 'x \| y'")


def test_other_columns_are_no_question(tmp_path):
    with pytest.raises(InputError, match="two columns of one framework"):
        answer(project_of(tmp_path, JAX, TORCH).data(), 0.02, 1)


def test_the_smallest_slow_down_is_shown_as_often_as_is_said():
    draws, rounds, statements, scatter = np.random.default_rng(1), 8, 6, 0.02

    def ratio(gap):
        logs = math.log(gap) + scatter * draws.normal(size=rounds)
        return paired_ratio(dict(enumerate(np.exp(logs))), dict.fromkeys(range(rounds), 1.0))

    reach = [math.log(smallest_shown(ratio(1), 0.02, statements)) for _ in range(300)]
    gap = math.exp(np.mean(reach))
    shown = [verdict(ratio(gap).together(statements)) is Verdict.SLOWER for _ in range(600)]
    assert abs(np.mean(shown) - POWER) < 0.08
