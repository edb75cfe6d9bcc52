"""Shares from intervals, and what counts as computing in a trace."""

from hypothesis import given
from hypothesis import strategies as st

from measure.frameworks.xplane import computing
from measure.profile import union_ns

spans = st.tuples(st.integers(0, 50), st.integers(0, 20)).map(lambda s: (s[0], s[0] + s[1]))


@given(st.lists(spans, max_size=12))
def test_a_nanosecond_counts_once_however_many_threads_compute_in_it(intervals):
    covered = {t for start, end in intervals for t in range(start, end)}
    assert union_ns(intervals) == len(covered)


HOST = "/host:CPU"
EVENTS = [
    (HOST, "tf_XLAPjRtCpuClient/1", "ynn_fusion.1", 100, 50, {"hlo_op", "run_id"}),
    (HOST, "tf_XLAPjRtCpuClient/1", "end: ynn_fusion.1", 150, 5, set()),
    (HOST, "tf_XLAPjRtCpuClient/1", "ThreadpoolListener::StopRegion", 155, 0, set()),
    (HOST, "tf_Compute/5", "matmul:_MklMatMul", 200, 30, set()),
    (HOST, "tf_Compute/5", "ExecutorState::Process", 190, 60, set()),
    (HOST, "tf_Compute/5", "step/call:StatefulPartitionedCall", 180, 90, set()),
    (HOST, "python", "PjitFunction(<lambda>)", 0, 400, set()),
]


def test_operations_compute_and_dispatch_does_not():
    assert computing(EVENTS) == [(100, 150), (200, 230)]


def test_on_a_gpu_only_its_own_streams_count():
    kernel = ("/device:GPU:0", "Stream #13(Compute)", "fusion", 7, 3, set())
    assert computing([*EVENTS, kernel]) == [(7, 10)]
