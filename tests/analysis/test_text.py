import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.formats.text import (
    csv_text,
    interval_ms,
    latex,
    listed,
    markdown,
    markdown_code,
    ms,
    percent,
    plain,
)
from analysis.statistics.intervals import Interval

LATEX_ESCAPE = re.compile(
    r"\\(textbackslash|textasciitilde|textasciicircum|textless|textgreater|textbar)\{\}"
    r"|\\[{}$&#%_]|\{[\[\]]\}"
)


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        (0.012345, "0.01235"), (0.5, "0.5000"), (1, "1.000"), (7.9276, "7.928"), (9.9994, "9.999"),
        (9.99996, "10.00"), (20.07, "20.07"), (99.996, "100.0"), (214.49, "214.5"),
        (999.96, "1000"), (1306.85, "1307"), (10932.59, "10933"), (None, "NA"),
    ],
)  # fmt: skip
def test_the_digit_rule(value, printed):
    assert ms(value) == printed


def test_an_interval_has_the_digits_of_its_time_and_a_gain_none():
    assert interval_ms(214.49, Interval(9.9, 1000.0)) == ("9.9", "1000.0")


def test_an_end_that_is_no_use_has_one_digit_and_is_never_zero():
    assert interval_ms(4.619, Interval(1.07e-10, 200206504625.3)) == ("1e-10", "2e+11")


@given(st.floats(min_value=1e-6, max_value=1e9))
def test_printed_time_is_within_half_a_unit_of_the_fourth_digit(value):
    exponent = math.floor(math.log10(value))
    assert abs(float(ms(value)) - value) <= 0.5001 * 10 ** min(exponent - 3, 0) or value >= 1000
    if value >= 1000:
        assert abs(float(ms(value)) - value) <= 0.5


@pytest.mark.parametrize(
    ("share", "signed", "printed"),
    [
        (0.2, False, "20"), (0.02, False, "2"), (0.0995, False, "10"), (0.0349, False, "3.5"),
        (0.0005, False, "0.1"), (0.05, True, "+5"), (-0.0349, True, "-3.5"), (1.4, True, "+140"),
        (0.0005, True, "+0.05"), (0.004, True, "+0.4"), (-0.00004, False, "0"),
        (-0.00004, True, "+0"),
    ],
)  # fmt: skip
def test_a_share_and_a_difference_are_spelled_by_one_rule(share, signed, printed):
    assert percent(share, signed) == f"{printed}\u00a0%"


@given(st.text())
def test_no_text_is_more_than_text_in_any_format(text):
    left = LATEX_ESCAPE.sub("", latex(text)).replace(
        "~", " "
    )  # letters that it knows, without live commands
    assert re.fullmatch("[ -\u017f–—‘’“”…]*", left) and not set(left) & set("\\{}$&#%_~^<>|")
    escaped = markdown(text)  # stays in its table's cell
    assert "\n" not in escaped and not re.search(r"(?<!\\)(\\\\)*[|<>`*\[\]]", escaped)
    code = markdown_code(text)  # ends where it ends
    assert code.startswith("`") and code.endswith("`") and code.count("`") == 2
    assert "\n" not in code and not re.search(r"(?<!\\)\|", code)
    # a terminal and a spreadsheet get no orders
    assert not re.search(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e]", plain(text))
    assert not csv_text(text).startswith(("=", "+", "-", "@"))


def test_a_quotation_begins_with_its_opening_mark_in_latex():
    assert latex('say "a" ("b"): "`c` 1" 2"') == "say “a'' (“b''): “`c` 1'' 2''"


@pytest.mark.parametrize(
    ("items", "text"),
    [
        ([], "none"),
        (["a", "b", "c"], "a, b and c"),
        (["a, b"], "a, b"),
        (["a", "b, c"], "a and b, c"),
        (["a", "b, c", "d"], "a; b, c and d"),
    ],
)
def test_items_of_a_sentence_are_told_apart(items, text):
    assert listed(items) == text
