"""Wall time is divided among operations: each instant once, by thread, to the innermost."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from millistep.measure.operations import MOST, Operation, Span, attributed, recorded

# Spans of a step of BERT fit at smoke scale, as each framework's profiler reported them.
RECORDED = json.loads(Path(__file__).with_name("real_spans.json").read_text())


def span(start, length, name, lane, part):
    return Span(start, start + length, name, lane, part)


numbers = (st.integers(0, most) for most in (50, 20))
names_and_lanes = map(st.sampled_from, ("abc", "12"))
any_spans = st.lists(st.builds(span, *numbers, *names_and_lanes, st.booleans()), max_size=14)


def by_hand(spans):
    """Wall time of operations, counted instant by instant: of the open spans on a lane, the one
    that began last; of those that began together the shortest.
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
    assert {name: of.ns for name, of in found.items()} == pytest.approx(by_hand(spans))
    covered = {moment for s in spans for moment in range(int(s.start), int(s.end))}
    assert sum(operation.ns for operation in found.values()) == pytest.approx(len(covered))
    whole = [span for span in spans if not span.part]
    assert sum(operation.count for operation in found.values()) == len(whole)


PRODUCTS = {"aten::addmm": 8, "aten::bmm": 6, "aten::mm": 16}  # calls in a step
LAUNCHED = {
    "pytorch-eager": PRODUCTS,
    "pytorch-compiled": PRODUCTS,
    "keras3-torch": {"aten::bmm": 18, "aten::mm": 12},
    "keras2-tensorflow": {"dot in einsum": 18, "MatMul(dot) in MatMul": 8},
    "keras3-tensorflow": {"MatMul(dot) in MatMul": 16, "dot in MatMul": 4},
    "keras3-jax": {"ynn_fusion(dot) in query": 3, "ynn_fusion(dot) in logits": 2},
}
# Operations that only hand on, and those that they call.
HANDS_ON = {
    "pytorch-eager": ("aten::embedding", "aten::index_select"),
    "keras3-torch": ("aten::_foreach_sqrt in Optimizer.step", "aten::sqrt in Optimizer.step"),
    "keras3-tensorflow": (
        "call(add, compare, concatenate, convert, multiply, or, select, shift-left) in "
        "stateless_random_uniform",
        "convert_bitcast_fusion(convert, slice)",
    ),
}


@pytest.mark.parametrize("framework", LAUNCHED)
def test_what_computes_was_launched_whatever_it_holds_and_what_hands_on_was_not(framework):
    """In a real step `aten::addmm` contains the copy of its bias."""
    names, spans = RECORDED[framework]["names"], RECORDED[framework]["spans"]
    found = attributed([Span(start, end, names[name], lane) for start, end, name, lane in spans])
    for name, calls in LAUNCHED[framework].items():
        assert (found[name].count, found[name].launched) == (calls, calls), name
    if framework in HANDS_ON:
        name, what = HANDS_ON[framework]
        assert found[name].count > found[name].launched == 0
        assert 0 < found[what].launched == found[what].count


def test_a_record_lists_the_longest_and_sums_up_the_others():
    found = {f"kernel {number}": Operation(1e6 * number, 3) for number in range(1, MOST + 3)}
    part = recorded(found, steps=3)
    names = [entry["name"] for entry in part["operations"]]
    assert names[0] == f"kernel {MOST + 2}" and len(names) == MOST
    longest = {"name": names[0], "ms": pytest.approx((MOST + 2) / 3)}
    assert part["operations"][0] == {**longest, "count": 1, "launched": 1}
    assert part["rest_ms"] == pytest.approx((1 + 2) / 3)
    assert part["rest_launched"] == 2
