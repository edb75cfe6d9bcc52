"""Wall time is divided among operations: each instant once, by thread, to the innermost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from measure.operations import MOST, NAME_CHARACTERS, Operation, Span, attributed, recorded
from measure.profile import outermost


def span(start, length, name, lane):
    return Span(start, start + length, name, lane)


any_spans = st.lists(
    st.builds(
        span, st.integers(0, 50), st.integers(0, 20), st.sampled_from("abc"), st.sampled_from("12")
    ),
    max_size=14,
)


def by_hand(spans):
    """The same instant by instant: of the spans that are open on a lane, the one that began last;
    of those that began together the shortest.
    """
    found = dict.fromkeys((span.name for span in spans), 0.0)
    for moment in range(100):
        innermost = {}
        for number, each in enumerate(spans):
            if each.start <= moment < each.end:
                key = (each.start, -each.end, number)
                if key > innermost.get(each.lane, (None, (-1,)))[1]:
                    innermost[each.lane] = (each.name, key)
        for name, _ in innermost.values():
            found[name] += 1 / len(innermost)
    return found


@given(any_spans)
def test_every_instant_is_counted_once_and_goes_to_the_innermost(spans):
    found = attributed(spans)
    assert {name: operation.ns for name, operation in found.items()} == pytest.approx(
        by_hand(spans)
    )
    covered = {moment for s in spans for moment in range(int(s.start), int(s.end))}
    assert sum(operation.ns for operation in found.values()) == pytest.approx(len(covered))
    assert sum(operation.count for operation in found.values()) == len(spans)


def test_what_holds_another_operation_ran_and_was_not_launched():
    linear, views = span(0, 100, "aten::linear", 1), span(10, 0, "aten::t", 1)
    addmm, backward = span(20, 60, "aten::addmm", 1), span(50, 40, "aten::mm", 2)
    assert attributed([addmm, linear, backward, views]) == {
        "aten::linear": Operation(ns=20 + 5 + 10, count=1, launched=0),
        "aten::t": Operation(ns=0, count=1, launched=1),
        "aten::addmm": Operation(ns=30 + 15, count=1, launched=1),
        "aten::mm": Operation(ns=15 + 5, count=1, launched=1),
    }


def test_a_record_lists_the_longest_and_sums_up_the_others():
    found = {f"kernel {number}": Operation(1e6 * number, 6, 3) for number in range(1, MOST + 3)}
    part = recorded(found, steps=3)
    names = [entry["name"] for entry in part["operations"]]
    assert names[0] == f"kernel {MOST + 2}" and len(names) == MOST
    assert part["operations"][0] == {
        "name": names[0],
        "ms": pytest.approx((MOST + 2) / 3),
        "count": 2,
        "launched": 1,
    }
    assert part["rest_ms"] == pytest.approx((1 + 2) / 3)
    assert part["rest_launched"] == 2


def test_an_operation_that_calls_others_is_one():
    spans = [(0, 10), (2, 5), (0, 3), (10, 20), (15, 25)]
    assert outermost([Span(*ends, "a", 1) for ends in spans]) == 3
    assert outermost([]) == 0


def test_names_of_any_length_are_cut():
    (name,) = attributed([span(0, 1, "void at::native::" * 50, 0)])
    assert len(name) == NAME_CHARACTERS
