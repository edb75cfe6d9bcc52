"""What a profile says of the step that was timed without the profiler."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.statistics.profile import divided, longer_ms

numbers = st.tuples(st.floats(0, 100), st.integers(0, 50))


@given(base=numbers, new=numbers)
def test_an_operation_is_slower_as_often_as_both_run_it(base, new):
    longer = float(longer_ms(*base, *new))
    if 0 in (base[1], new[1]):
        assert longer == 0
    elif base[1] == new[1]:
        assert longer == pytest.approx(new[0] - base[0])
    else:
        assert longer == pytest.approx(-float(longer_ms(*new, *base)))


@given(
    timed_ms=st.floats(0.1, 100),
    profiled_ms=st.floats(0.1, 100),
    slower=st.floats(1, 3),
    busy_ms=st.floats(0.001, 100),
)
def test_parts_of_a_step_add_up_to_the_timed_step(timed_ms, profiled_ms, slower, busy_ms):
    idle_ms, factor = divided(timed_ms, profiled_ms, busy_ms, slower)
    assert idle_ms + factor * busy_ms == pytest.approx(timed_ms)
    assert all(idle_ms >= 0) and all(factor >= 0) and factor[0] > 0
    as_profiled, lowest, highest = idle_ms
    assert lowest <= as_profiled <= highest


@pytest.mark.parametrize(
    ("profiled_ms", "slower", "busy_ms", "lowest_ms", "highest_ms"),
    [
        (12.0, 1.2, 7.0, 3.0, 5.0),  # 2 ms are the profiler's: of 5 that compute nothing, or of 7
        (12.0, 1.2, 11.0, 0.0, 1.0),  # no more than there is
        (12.0, 1.2, 1.0, 9.0, 10.0),  # on the other side, too
        (8.0, 1.0, 6.0, 2.5, 2.5),  # no cost: all a quarter longer, as the timed step is
        (16.0, 1.0, 8.0, 5.0, 5.0),  # or shorter
        (7.0, 1.0, 8.0, 0.0, 0.0),  # what computed ended after the clock was read
    ],
)
def test_what_the_profiler_adds_lies_in_operations_or_in_the_time_in_which_nothing_computes(
    profiled_ms, slower, busy_ms, lowest_ms, highest_ms
):
    idle, factor = divided(10.0, profiled_ms, busy_ms, slower)
    assert idle[1:] == pytest.approx((lowest_ms, highest_ms))
    assert idle[0] == pytest.approx(10.0 * max(0.0, 1 - busy_ms / profiled_ms))
    assert factor * busy_ms == pytest.approx(10.0 - idle)
