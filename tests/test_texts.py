"""The glossary has each term once, as code and texts use it; the check of texts finds problems."""

import re

import pytest
import yaml

import prose
from millistep.analysis import stats, words
from millistep.contracts.settings import DEFAULTS
from millistep.measure.protocol import PROTOCOLS
from tests.shared import ROOT, put

pytestmark = pytest.mark.quick
LINE = re.compile(r"^\| ([^|]+) \| ([^|]+) \|$", re.M)
PAGE = ROOT / "docs/glossary.md"
TERMS = dict(LINE.findall(PAGE.read_text())[1:])
NAMES = [name for term in TERMS for name in term.split(", ")]
TEXTS = [ROOT / "README.md", *sorted(ROOT.glob("docs/*.md"))]
TEXTS += [*ROOT.glob("workflow/millistep/analysis/**/*.j2"), ROOT / "docs/dictionary.yaml"]
# What the field has a term for: not even a part of a name that a user reads.
HOMEMADE = {"canary", "fence", "sitting", "stretch", "block", "seat", "card", "atlas", "way"}
HOMEMADE |= {"stale"}


def test_terms_are_sorted_and_explained_once():
    assert [*TERMS] == sorted(TERMS, key=str.casefold)
    assert len({*NAMES}) == len(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_term_is_used_outside_the_glossary(name):
    used = re.compile(rf"(?<![\w-]){re.escape(name)}(s|es)?(?![\w-])", re.I)
    assert any(used.search(path.read_text()) for path in TEXTS if path != PAGE)


def test_terms_of_the_code_are_those_of_the_glossary():
    assert {*stats.STANDINGS} <= {*NAMES} and words.NA in TERMS
    assert {*re.findall("`([^`]+)`", TERMS["scale"])} == {*PROTOCOLS}
    assert f"`{DEFAULTS['stack']}`" in TERMS["software stack"]


def test_no_name_of_the_output_has_a_homemade_word():
    dictionary = yaml.safe_load((ROOT / "docs/dictionary.yaml").read_text())
    names = [name for file in dictionary.values() for name in file]
    names += yaml.safe_load((ROOT / "config/config.yaml").read_text())
    assert len(names) > 100
    assert [name for name in names if {*re.split(r"\W|_", name)} & HOMEMADE] == []


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
