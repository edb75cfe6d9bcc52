"""When a page so far is shown: after the first row, after a round, when a row is complete."""

from types import SimpleNamespace

import pytest

from planning.jobs import Jobs
from planning.so_far import SoFar

from .test_config import plan

ROWS = {"bert": {"fit": 8, "predict": 32}, "sam": {"predict": 4}}


@pytest.fixture
def shown(tmp_path, monkeypatch):
    """``shown(done, **config)``: the pages that are shown, in order, after so many done blocks."""
    monkeypatch.chdir(tmp_path)

    def of(done=0, scale="laptop", **config):
        config |= {"scale": scale, "models": ROWS, "columns": ["keras3-jax"]}
        made = plan(threads=1, **config)
        first = {run.record for block in made.blocks[:done] for run in block.runs}
        now = {path: "" for path in made.timed if path not in first}
        start = SimpleNamespace(plan=made, to_measure=now, now=now, workflow=None)
        found = SoFar(start, Jobs(start))
        priority = found.priority("{path}")
        order = made.order.priorities
        places = {path: priority({"path": path}) for path in found.files(None)}
        for path, place in places.items():
            before = found.measured_before("{path}")({"path": path})
            assert before and all(order[earlier] > place for earlier in before)
            assert place not in order.values()
        return sorted(places, key=places.__getitem__, reverse=True)

    return of


def test_a_page_follows_the_first_row_and_each_round_and_a_verdict_each_row_that_has_two(shown):
    assert shown(runs=2) == [
        "results/so_far/first_row/report.html",
        "results/so_far/round1/report.html",
        "results/so_far/laptop/bert/fit-b8/round2.txt",
        "results/so_far/laptop/bert/predict-b32/round2.txt",
    ]  # after the last row the report itself
    assert [path for path in shown(done=5, runs=3) if path.endswith("txt")] == [
        "results/so_far/laptop/sam/predict-b4/round2.txt",
        "results/so_far/laptop/bert/fit-b8/round3.txt",
        "results/so_far/laptop/bert/predict-b32/round3.txt",
    ]


@pytest.mark.parametrize(("done", "pages"), [(2, ["round1"]), (3, ["first_row"]), (5, []), (6, [])])
def test_a_start_that_goes_on_shows_what_it_adds(shown, done, pages):
    found = [path for path in shown(done, runs=2) if path.endswith("html")]
    assert found == [f"results/so_far/{page}/report.html" for page in pages]


def test_a_single_round_has_no_verdict_and_nobody_waits_at_smoke_scale(shown):
    assert shown(runs=1) == ["results/so_far/first_row/report.html"]
    assert shown(scale="smoke", runs=3) == []
