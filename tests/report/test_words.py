"""Numbers and lists as they are printed."""

import pytest

from millistep.analysis.words import listed, number, percent, some, times

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [(28.74, 3, "28.7"), (999.96, 4, "1,000"), (0.0, 3, "0.00"), (-1e-9, 1, "-0.000000001")],
)
def test_a_number_has_its_digits(value, digits, text):
    assert number(value, digits) == text
    assert number(-0.0) == "0.00"  # never -0.00


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.12, "12 %"), (0.05, "5 %"), (0.058, "5.8 %"), (0.0, "0 %"), (0.00003, "0.003 %"),
     (float("inf"), "NA"), (float("nan"), "NA")],
)  # fmt: skip
def test_a_share_that_is_not_0_is_not_printed_as_0(share, text):
    assert percent(share).replace("\u00a0", " ") == text


@pytest.mark.parametrize(
    ("ratio", "text"),
    [(1.3, "1.30"), (12.84, "12.8"), (0.1, "0.10"), (0.0123, "0.0123"), (0.004, "0.00400"),
     (float("nan"), "NA"), (float("inf"), "NA")],
)  # fmt: skip
def test_a_ratio_of_times_is_never_0(ratio, text):
    assert times(ratio) == text


def test_items_with_commas_are_separated_by_semicolons():
    assert listed([]) == "none" and listed(["a"]) == "a" and listed(["a", "b"]) == "a and b"
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert listed(["a", "b, batch 8", "c"]) == "a; b, batch 8; and c"


def test_the_first_items_are_named_and_the_others_counted():
    assert some("aabc") == "a, b and c"
    assert some("abcde") == "a, b, c and 2 more"
    assert some(["a", "b, batch 8", "c", "d"]) == "a; b, batch 8; c; and 1 more"
