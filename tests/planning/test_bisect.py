"""Bisection of a range of commits by regression checks."""

import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from millistep.planning import bisect
from millistep.planning.config import Problem

from ..shared import commit, put


@given(st.data())
def test_the_first_slow_commit_is_among_the_suspects(data):
    number = data.draw(st.integers(1, 40))
    first = data.draw(st.integers(0, number - 1))
    undecided = data.draw(st.sets(st.integers(0, number - 2))) if number > 1 else set()
    looked = []

    def slower(n):
        looked.append(n)
        return None if n in undecided else n >= first

    found = bisect.suspects(number, slower)
    assert first in found
    assert len(looked) == len({*looked})
    # All other suspects were undecided, next to the first slow commit.
    assert {*found} - {found[-1]} <= undecided
    if not undecided:
        assert len(found) == 1 and len(looked) <= number.bit_length() + 1


@pytest.fixture
def clone(tmp_path, monkeypatch):
    folder = tmp_path / "clone"
    for number in range(6):
        put(folder / "pyproject.toml", f"# {number}\n")
        commit(folder, f"change {number}")
    monkeypatch.chdir(tmp_path)
    return folder


def bisected(monkeypatch, capsys, clone, statuses, *options):
    """Return status and output; statuses: of the answers, by the number of the change."""

    class Asked:
        def __init__(self, asked):
            assert asked.base == f"{clone}@HEAD~5"
            revision = asked.patch[0].rpartition("@")[2]
            command = ["git", "-C", str(clone), "log", "-1", "--format=%s", revision]
            subject = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            self._status = statuses[int(subject.split()[1])]

        def answered(self):
            if self._status == "no answer":
                raise Problem("snakemake environments ended with status 1")
            if self._status == "broken":
                return {"status": 1, "slower": False}
            return {"status": self._status, "slower": self._status == 1}

    monkeypatch.setattr(bisect, "Asked", Asked)
    command = ["bisect", "--clone", str(clone), "--good", "HEAD~5", *options]
    monkeypatch.setattr(sys, "argv", command)
    return bisect.main(), capsys.readouterr()


def test_one_commit_is_found(monkeypatch, capsys, clone):
    statuses = {1: 0, 2: 0, 3: 0, 4: 1, 5: 1}
    status, said = bisected(monkeypatch, capsys, clone, statuses)
    assert status == 0
    assert re.search(r"first slower commit:\n  \w+ change 4\n$", said.out)


def test_undecided_commits_remain(monkeypatch, capsys, clone):
    statuses = {1: 0, 2: 3, 3: 3, 4: 1, 5: 1}
    status, said = bisected(monkeypatch, capsys, clone, statuses)
    assert status == 0
    assert re.search(r"one of:\n  \w+ change 2\n  \w+ change 3\n  \w+ change 4\n$", said.out)


def test_a_commit_that_does_not_run_is_not_called_slower(monkeypatch, capsys, clone):
    statuses = {1: 0, 2: "broken", 3: "no answer", 4: 1, 5: 1}
    status, said = bisected(monkeypatch, capsys, clone, statuses)
    assert status == 0
    assert re.search(r"one of:\n  \w+ change 2\n  \w+ change 3\n  \w+ change 4\n$", said.out)
    assert "change 3: undecided: snakemake environments ended with status 1" in said.out


@pytest.mark.parametrize("last", [0, 3])
def test_an_end_that_is_not_slower_is_no_answer(monkeypatch, capsys, clone, last):
    status, said = bisected(monkeypatch, capsys, clone, {5: last})
    assert status == 3 and "HEAD is not shown to be slower than HEAD~5" in said.out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--bad", "nowhere"], "--clone: "),
        (["--bad", "HEAD~5"], "--good: no commit between HEAD~5 and HEAD~5"),
    ],
)
def test_a_wrong_range_is_one_line(monkeypatch, capsys, clone, options, words):
    status, said = bisected(monkeypatch, capsys, clone, {}, *options)
    assert status == 2 and said.err.startswith(f"millistep: {words}") and said.err.count("\n") == 1
