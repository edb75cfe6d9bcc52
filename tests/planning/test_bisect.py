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
            # A revision such as HEAD@{5} has an @ of its own, so commits are named.
            self._status = statuses[self._change(asked.patch[0])]
            assert self._change(asked.base) == 0

        def _change(self, given):
            revision = given.removeprefix(f"{clone}@")
            assert re.fullmatch("[0-9a-f]{40}", revision)
            command = ["git", "-C", str(clone), "log", "-1", "--format=%s", revision]
            subject = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            return int(subject.split()[1])

        def answered(self):
            if self._status == "no answer":
                raise Problem("snakemake environments ended with status 1; see the lines above")
            if self._status == "broken":
                return {"status": 1, "slower": False}
            return {"status": self._status, "slower": self._status == 1}

    monkeypatch.setattr(bisect, "Asked", Asked)
    command = ["bisect", "--clone", str(clone), "--good", "HEAD~5", *options]
    monkeypatch.setattr(sys, "argv", command)
    return bisect.main(), capsys.readouterr()


SUSPECTS = r"one of:\n  \w+ change 2\n  \w+ change 3\n  \w+ change 4\n$"
UNDECIDED = (
    "change 3: inconclusive: snakemake environments ended with status 1; see the lines above"
)


@pytest.mark.parametrize(
    ("second", "third", "words"),
    [
        (0, 0, [r"first slower commit:\n  \w+ change 4\n$"]),
        (3, 3, [SUSPECTS]),
        ("broken", "no answer", [SUSPECTS, UNDECIDED]),  # neither is called slower
    ],
)
def test_one_or_those_undecided_are_found(monkeypatch, capsys, clone, second, third, words):
    statuses = {1: 0, 2: second, 3: third, 4: 1, 5: 1}
    status, said = bisected(monkeypatch, capsys, clone, statuses)
    assert status == 0 and all(re.search(word, said.out) for word in words)


@pytest.mark.parametrize("last", [0, 3])
def test_an_end_that_is_not_slower_is_no_answer(monkeypatch, capsys, clone, last):
    status, said = bisected(monkeypatch, capsys, clone, {5: last})
    assert status == 3 and "HEAD is not shown to be slower than HEAD~5" in said.out


WRONG = [("nowhere", "--clone: "), ("HEAD~5", "--good: no commit between HEAD~5 and HEAD~5")]


@pytest.mark.parametrize(("bad", "words"), WRONG)
def test_a_wrong_range_is_one_line(monkeypatch, capsys, clone, bad, words):
    status, said = bisected(monkeypatch, capsys, clone, {}, "--bad", bad)
    assert status == 2 and said.err.startswith(f"millistep: {words}") and said.err.count("\n") == 1
