"""The glossary has each term once, and its terms are those of the code and of the other texts."""

import re

import pytest
import yaml

from millistep.analysis import stats, words
from millistep.contracts.settings import DEFAULTS
from millistep.measure.protocol import PROTOCOLS
from tests.shared import ROOT

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
