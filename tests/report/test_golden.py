"""Everything that is written about three real result sets, word by word, and how much it is."""

import re

import pytest

from tests.report import golden

MOST_WORDS = {"report.txt": 2500, "appendix.txt": 15_000}
MOST_OF_FIRST_PAGE = 450


@pytest.fixture(scope="module", params=golden.SETS)
def rendered(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    return request.param, golden.texts(request.param, folder), folder / "results"


def test_no_text_changes_unseen(rendered):
    name, texts, _ = rendered
    changed = golden.difference(name, texts)
    assert not changed, f"{changed}\nTo accept this, see tests/report/golden.py."


def test_nobody_reads_more_words_than_these(rendered):
    _, texts, folder = rendered
    for name, most in MOST_WORDS.items():
        assert len(texts[name].split()) <= most, name
    first, *_ = (folder / "report.html").read_text().partition("<nav")
    first = re.sub(r"<table.*?</table>", "", first, flags=re.DOTALL)
    assert len(golden.words(first).split()) <= MOST_OF_FIRST_PAGE
