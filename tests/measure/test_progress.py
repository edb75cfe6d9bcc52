"""The lines that a user sees while runs are measured, one for each, with its outcome."""

import io
import json

import pytest

from supervise.progress import Progress, duration
from supervise.terminal import CLEAR, Terminal

from .conftest import identity


def test_progress_counts_runs_as_planned_and_estimates_the_rest(tmp_path):
    runs = [
        {"record": f"{n}/run1.json", "identity": identity(changes={"seed": n})} for n in range(4)
    ]
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps({"cells": [{"runs": runs[:2]}, {"runs": runs[2:]}]}))
    for n in range(3):
        content = {"identity": runs[n]["identity"], "total_s": 10.0 + n, "timing": None}
        (tmp_path / f"{n}").mkdir()
        (tmp_path / f"{n}/run1.json").write_text(json.dumps(content))
    (tmp_path / "2/run1.json").write_text(json.dumps({"identity": "older", "total_s": 1000}))
    now = Progress(plan, runs[2]["identity"], tmp_path).now()
    assert now == "[3/4] fake fit, batch 4, fake, run 1; about 21 s left"
    for place in ("a@n1", "b@n2", "c@n3"):
        (tmp_path / ".running").mkdir(exist_ok=True)
        (tmp_path / f".running/{place}.txt").touch()
    (tmp_path / ".running/d@n4.ended").touch()
    several = Progress(plan, runs[2]["identity"], tmp_path).now()
    assert several.endswith("run 1; about 7 s left, 3 blocks at once")
    again = Progress(plan, identity(changes={"again": True}), tmp_path)
    assert again.now() == "fake fit, batch 4, fake, run 1, once more for the self-test"
    failed = again.result({"status": "oom", "reason": "no memory"})
    assert failed.endswith(", once more for the self-test: oom: no memory")
    nothing = Progress(tmp_path / "none.json", runs[0]["identity"])
    assert nothing.now() == "fake fit, batch 4, fake, run 1"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        *((89, "about 89 s left"), (90, "about 2 min left"), (5399, "about 90 min left")),
        *((5400, "about 1.5 h left"), (86_400, "about 24.0 h left")),
    ],
)
def test_the_time_left_is_said_in_units_that_fit_it(seconds, words):
    assert duration(seconds) == words


class Screen(io.StringIO):
    def isatty(self):
        return True

    def fileno(self):
        raise OSError


def test_on_a_terminal_the_line_stays_in_place_and_in_a_file_each_is_plain():
    screen, file = Screen(), io.StringIO()
    for stream in (screen, file):
        terminal = Terminal(stream)
        terminal.stay("[1/2] now " + "x" * 100)
        terminal.leave("[1/2] done\x1b[2J", "| row |")
        terminal.stay("[2/2] now")
        terminal.leave()
    first, rest = screen.getvalue().split(CLEAR, 2)[1:]
    assert len(first) == 79
    assert rest == f"[1/2] done [2J\n| row |\n{CLEAR}[2/2] now{CLEAR}"
    assert file.getvalue().splitlines() == [
        "[1/2] now " + "x" * 100,
        *("[1/2] done [2J", "| row |", "[2/2] now"),
    ]


def test_a_terminal_that_was_closed_costs_nothing():
    class Closed(Screen):
        def write(self, text):
            raise OSError(5, "Input/output error")

    with Terminal(Closed()).during("[1/2] now"):
        pass
