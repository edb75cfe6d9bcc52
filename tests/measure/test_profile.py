"""Shares from intervals, and what counts as computing in a trace."""

from types import SimpleNamespace

from hypothesis import given
from hypothesis import strategies as st

from measure.frameworks import torch
from measure.frameworks.xplane import computing
from measure.profile import outermost, union_ns

spans = st.tuples(st.integers(0, 50), st.integers(0, 20)).map(lambda s: (s[0], s[0] + s[1]))


@given(st.lists(spans, max_size=12))
def test_a_nanosecond_counts_once_however_many_threads_compute_in_it(intervals):
    covered = {t for start, end in intervals for t in range(start, end)}
    assert union_ns(intervals) == len(covered)


def test_an_operation_that_calls_others_is_one():
    assert outermost([(0, 10), (2, 5), (0, 3), (10, 20), (15, 25)]) == 3
    assert outermost([]) == 0


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


CPU, CUDA = "cpu", "cuda"


def event(name, start_us, end_us, device_type=CPU, annotation=False):
    """As torch.profiler tells it."""
    span = SimpleNamespace(start=start_us, end=end_us)
    return SimpleNamespace(
        name=name, time_range=span, device_type=device_type, is_user_annotation=annotation
    )


TORCH_EVENTS = [
    event("Optimizer.step#Adam.step", 0, 90, annotation=True),
    event("aten::addcdiv_", 10, 20),
    event("## Call CompiledFxGraph 1 ##", 30, 40, annotation=True),
    event("cudaLaunchKernel", 42, 44),
    # What a range covers on the device, from its first kernel to its last one.
    event("Optimizer.step#Adam.step", 50, 80, CUDA, annotation=True),
    event("ProfilerStep*", 45, 95, CUDA, annotation=True),
    event("multi_tensor_apply_kernel", 50, 60, CUDA),
    event("ampere_sgemm_128x64_tn", 75, 80, CUDA),
]


def test_a_named_range_on_a_gpu_computes_nothing_between_its_kernels():
    assert torch.computing(TORCH_EVENTS, CUDA) == [(50_000, 60_000), (75_000, 80_000)]


def test_on_a_processor_operations_and_compiled_graphs_compute_and_other_ranges_do_not():
    assert torch.computing(TORCH_EVENTS) == [(10_000, 20_000), (30_000, 40_000)]
