"""The check of documents and docstrings finds each kind of problem, and nothing else."""

import pytest

import prose
from tests.shared import put

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("The record says why.\n", "banned 'says'"),
        ("Of these runs, one failed.\n", "opening"),
        (f"Runs are {'very ' * 30}slow.\n", "33 words"),
        ("| key | it tells the time |\n|---|---|\n", "banned 'tells'"),
        ("What is a run? A `said` process.\n\n```text\nit says\n```\n\n## What a run is\n", None),
        ("The interval lies within 5 %.\n", None),
    ],
)
def test_a_page(tmp_path, text, problem):
    found = list(prose.of_page(put(tmp_path / "page.md", text)))
    assert [line.startswith(problem) for line in found] == ([True] if problem else [])


DOCSTRINGS = [("The path of a file.", 1), ("Return the path of a file.", 0)]
DOCSTRINGS += [("Return what the file says.", 1), ("Return `said` of a file. asked: the file.", 0)]


@pytest.mark.parametrize(("docstring", "found"), DOCSTRINGS)
def test_a_docstring(tmp_path, docstring, found):
    code = put(tmp_path / "code.py", f'def path():\n    """{docstring}"""\n')
    assert len(list(prose.of_code(code))) == found


def test_a_comment(tmp_path):
    code = put(tmp_path / "code.py", 'a = "it says"  # the file says so\n')
    assert [line.startswith("banned 'says'") for line in prose.of_code(code)] == [True]
