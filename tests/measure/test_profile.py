"""Which events of a trace count as computing, under which names, and what pools compute."""

import json
from enum import Enum
from pathlib import Path
from types import SimpleNamespace

import pytest

from millistep.measure.frameworks import torch_profile
from millistep.measure.frameworks.xplane import Event, NoOperation, Traced, computing
from millistep.measure.operations import Span, attributed, fused_attention
from millistep.measure.profile import profile

from .conftest import Bare

HOST = "/host:CPU"
POOL = "tf_XLAPjRtCpuClient/1"
EVENTS = [
    Event(HOST, POOL, "ynn_fusion.1", 100, 50, {"hlo_op": "ynn_fusion.1", "hlo_module_id": 7}),
    Event(HOST, POOL, "end: ynn_fusion.1", 150, 5, {}),
    Event(HOST, POOL, "ThreadpoolListener::StopRegion", 155, 0, {}),
    Event(HOST, "tf_Compute/5", "bert/query_3/MatMul:_MklMatMul", 200, 30, {}),
    Event(HOST, "tf_Compute/5", "ExecutorState::Process", 190, 60, {}),
    Event(HOST, "tf_Compute/5", "step/call:StatefulPartitionedCall", 180, 90, {}),
    Event(HOST, POOL, "while.2", 90, 80, {"hlo_op": "while.2"}),
    Event(HOST, "python", "PjitFunction(<lambda>)", 0, 400, {}),
]


class Writes(Traced, Bare):
    """A framework whose profiler writes these bytes as the trace of the events above."""

    def __init__(self, trace):
        super().__init__(SimpleNamespace(accelerator="cpu"))
        self.trace = trace

    def start_trace(self, folder):
        self.path = Path(folder, "host.xplane.pb")

    def stop_trace(self):
        self.path.write_bytes(self.trace)

    def events(self, path):
        return EVENTS


def test_a_trace_lies_in_the_runs_scratch_folder_until_it_is_read(tmp_path, monkeypatch):
    monkeypatch.setenv("MILLISTEP_SCRATCH", str(tmp_path))
    framework = Writes(b"")
    framework.begin_profile()
    folder = framework.path.parent
    assert folder.parent == tmp_path and folder.exists()
    framework.end_profile()
    assert not framework.launches_graphs and not folder.exists()


def test_operations_compute_and_dispatch_does_not():
    assert computing(EVENTS, True) == [
        Span(100, 150, "ynn_fusion", (HOST, POOL)),
        Span(200, 230, "MklMatMul in query", (HOST, "tf_Compute/5")),
    ]


def test_on_a_gpu_only_its_own_streams_count():
    stream = ("/device:GPU:0", "Stream #13(Compute)")
    kernels = [
        Event(*stream, "loop_add_fusion_12", 7, 3, {"hlo_op": "loop_add_fusion.12"}),
        Event(*stream, "ampere_sgemm_128x64_tn", 10, 5, {}),
    ]
    assert computing([*EVENTS, *kernels], True) == [
        Span(7, 10, "loop_add_fusion", stream),
        Span(10, 15, "ampere_sgemm_128x64_tn", stream),
    ]


def test_without_an_event_of_the_gpu_nothing_on_the_host_takes_its_place():
    with pytest.raises(NoOperation, match="no event of the device"):
        computing(EVENTS, False, "cuda")


@pytest.mark.parametrize(
    ("field", "words", "complete"),
    [
        (2, "Failed to load libcupti", False),
        (3, "12 events dropped because of buffer limit.", False),
        (3, "the clock of the host was adjusted", True),
    ],
)
def test_a_trace_that_lacks_events_by_its_own_words_is_none(field, words, complete):
    """An XSpace of one text: the field's number and kind, the length, the text."""
    framework = Writes(bytes([field << 3 | 2, len(words)]) + words.encode())
    framework.begin_profile()
    if complete:
        assert framework.end_profile() == computing(EVENTS, True)
    else:
        with pytest.raises(NoOperation, match=words):
            framework.end_profile()


class Fails(Bare):
    """A framework whose step fails under the profiler."""

    profiled = False

    def begin_profile(self):
        self.profiled = True

    def end_profile(self):
        self.profiled = False
        raise NoOperation("what a profiler says that was ended too early")

    def run(self, timer):
        while not timer.tick():
            if self.profiled:
                raise MemoryError("no more")


def test_a_step_that_fails_leaves_no_profiler_on_and_is_what_is_said():
    framework = Fails(None)
    with pytest.raises(MemoryError, match="no more"):
        profile(framework, 1e9)
    assert not framework.profiled


CPU, CUDA = "cpu", "cuda"


def event(name, start_us, end_us, device_type=CPU, annotation=False, thread=1):
    """An event as torch.profiler reports it."""
    times = torch_profile.TimeRange(start_us, end_us)
    return torch_profile.Event(name, times, device_type, 7, thread, annotation)


TORCH_EVENTS = [
    event("Optimizer.step#Adam.step", 0, 25, annotation=True),
    event("aten::_foreach_addcdiv_", 5, 20),
    event("aten::addcdiv_", 10, 20),
    event("aten::_foreach_sqrt", 26, 29),
    event("aten::sqrt", 27, 28),
    event("aten::mm", 12, 14, thread=2),
    event("## Call CompiledFxGraph f3ab ##", 30, 40, annotation=True),
    event("cpp_fused_add_native_layer_norm_3", 31, 35),
    event("cudaLaunchKernel", 42, 44),
    # Ranges on the device, each from its first kernel to its last one.
    event("Optimizer.step#Adam.step", 50, 70, CUDA, annotation=True),
    event("ProfilerStep*", 45, 95, CUDA, annotation=True),
    event("multi_tensor_apply_kernel", 50, 60, CUDA, thread=2),
    event("triton_poi_fused_add_12", 75, 80, CUDA),
]


Device = Enum("Device", "CPU CUDA")


def recorded(name, start_us, end_us, device):
    """An event as the profiler's own library has it."""
    told = {
        "name": name,
        "start_ns": 1000 * start_us,
        "end_ns": 1000 * end_us,
        "device_type": Device[device],
        "device_resource_id": 7,
        "start_thread_id": 1,
        "is_user_annotation": False,
        "is_hidden_event": False,
    }
    return SimpleNamespace(**{key: lambda value=value: value for key, value in told.items()})


def test_an_operation_that_calls_itself_counts_once_and_kernels_that_overlap_each():
    events = [
        recorded("aten::mm", 0, 9, "CPU"),
        recorded("aten::mm", 1, 8, "CPU"),
        recorded("sgemm", 20, 30, "CUDA"),
        recorded("sgemm", 25, 28, "CUDA"),
    ]
    results = SimpleNamespace(events=lambda: events, trace_start_ns=lambda: 0)
    profiler = SimpleNamespace(kineto_results=results)
    found = torch_profile.recorded_events(SimpleNamespace(profiler=profiler))
    starts = [(each.name, each.time_range.start) for each in found]
    assert starts == [("aten::mm", 0), ("sgemm", 20), ("sgemm", 25)]


def test_a_named_range_on_a_gpu_computes_nothing_between_its_kernels():
    stream = (CUDA, 7)
    assert torch_profile.computing(TORCH_EVENTS, CUDA) == [
        Span(50_000, 60_000, "multi_tensor_apply_kernel in Optimizer.step", stream),
        Span(75_000, 80_000, "triton_poi_fused_add", stream),
    ]


def test_on_a_processor_operations_and_compiled_kernels_compute_and_ranges_do_not():
    thread = (CPU, 1)
    assert torch_profile.computing(TORCH_EVENTS) == [
        Span(5_000, 20_000, "aten::_foreach_addcdiv_ in Optimizer.step", thread),
        Span(10_000, 20_000, "aten::addcdiv_ in Optimizer.step", thread),
        Span(26_000, 29_000, "aten::_foreach_sqrt in Optimizer.step", thread),
        Span(27_000, 28_000, "aten::sqrt in Optimizer.step", thread),
        Span(12_000, 14_000, "aten::mm", (CPU, 2)),
        Span(31_000, 35_000, "cpp_fused_add_native_layer_norm", thread),
    ]
    # PyTorch 2.2 has no more fields.
    fields = ("name", "time_range", "device_type", "thread")
    bare = [SimpleNamespace(**{name: getattr(e, name) for name in fields}) for e in TORCH_EVENTS]
    assert torch_profile.computing(bare) == torch_profile.computing(TORCH_EVENTS)


EFFICIENT, FLASH = "scaled_dot_product_efficient_attention", "scaled_dot_product_flash_attention"


@pytest.mark.parametrize(
    ("kernel", "operators"),
    [
        ("fmha_cutlassF_f32_aligned_64x64_rf_sm80(PyTorchMemEffAttention::AttentionK", [EFFICIENT]),
        ("void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128", [FLASH]),
        ("void pytorch_flash::flash_bwd_dot_do_o_kernel<true, Flash_bwd_kernel_traits", [FLASH]),
        ("void cutlass::device_kernel<flash::FlashAttnFwdSm90<flash::CollectiveMainl", [FLASH]),
        (
            "cudnn_generated_fort_native_sdpa_sm80_flash_fprop_wmma_f16_knob_6_64x64x64",
            ["scaled_dot_product_cudnn_attention"],
        ),
        ("triton_tem_fused_mul_flex_attention_flex_attention_backward_3", ["flex_attention"]),
        ("void (anonymous namespace)::softmax_warp_forward<float, float, float, 5>", []),
        ("gemm_fusion_dot(dot) in attention_output", []),
        ("triton_poi_fused__scaled_dot_product_efficient_attention__to_copy_add", []),
    ],
)
def test_kernels_of_a_device_tell_which_attention_ran(kernel, operators):
    assert fused_attention([kernel, "ampere_sgemm_128x64_tn"]) == operators


REAL = json.loads(Path(__file__).with_name("real_trace.json").read_text())
POOLS = [f"tf_XLAEigen/{number}" for number in (1, 2)]
EVENTS_OF_POOLS = "ThreadpoolListener::"


def call(line, name, start, end, number, **facts):
    return Event(HOST, line, name, start, end - start, {"hlo_op": name, "_p": number, **facts})


def said_done(line, name, at, number):
    return Event(HOST, line, f"end: {name}", at, 1, {"_c": number})


def handed_on(line, at, *tasks):
    return [Event(HOST, line, EVENTS_OF_POOLS + "Record", at, 0, {"_p": task}) for task in tasks]


def task(line, start, end, number):
    """The task starts, and what its thread is at stops: two events."""
    return [
        Event(HOST, line, EVENTS_OF_POOLS + "StartRegion", start, 0, {"_c": number}),
        Event(HOST, line, EVENTS_OF_POOLS + "StopRegion", end, 0, {}),
    ]


def test_parts_of_an_operation_compute_until_they_call_what_comes_next_and_count_as_one():
    """The product's call returns at 10, its last part ends at 60, and its end is reported at 160:
    the thread of the last part has run all that waited for the product before.
    """
    events = [
        call(POOL, "dot.1", 0, 10, 70),
        *handed_on(POOL, 2, 1),
        *task(POOLS[0], 20, 50, 1),
        *handed_on(POOLS[0], 21, 2),
        *task(POOLS[1], 25, 161, 2),
        call(POOLS[1], "fusion.2", 60, 90, 71),
        said_done(POOLS[1], "fusion.2", 90, 71),
        *handed_on(POOLS[1], 95, 3),
        *task(POOLS[0], 100, 110, 3),
        call(POOLS[1], "fusion.2", 120, 150, 72),
        said_done(POOLS[1], "dot.1", 160, 70),
    ]
    spans = computing(events, True)
    assert sorted(spans) == [
        (0, 10, "dot", (HOST, POOL), False),
        (20, 50, "dot", (HOST, POOLS[0]), True),
        (25, 60, "dot", (HOST, POOLS[1]), True),
        (60, 90, "fusion", (HOST, POOLS[1]), False),
        (120, 150, "fusion", (HOST, POOLS[1]), False),
    ]
    found = attributed(spans)
    assert {name: (of.ns, of.count, of.launched) for name, of in found.items()} == {
        "dot": (10 + 40, 1, 1),
        "fusion": (60, 2, 2),
    }


def test_a_task_computes_nothing_of_an_operation_that_is_done():
    """YNNPACK's threads take the work of any call; its own calls return when they are done."""
    events = [
        call(POOL, "ynn_fusion.1", 0, 40, 70),
        *handed_on(POOL, 1, 1, 2),
        *task(POOLS[0], 30, 90, 1),
        said_done(POOL, "ynn_fusion.1", 41, 70),
        call(POOL, "ynn_fusion.2", 42, 95, 71),
        *task(POOLS[1], 50, 80, 2),
    ]
    assert sorted(computing(events, True)) == [
        (0, 40, "ynn_fusion", (HOST, POOL), False),
        (30, 41, "ynn_fusion", (HOST, POOLS[0]), True),
        (42, 95, "ynn_fusion", (HOST, POOL), False),
    ]


def test_what_an_operation_hands_on_belongs_to_the_innermost_and_loops_and_others_have_no_parts():
    events = [
        call(POOL, "while.1", 0, 90, 70),
        *handed_on(POOL, 5, 1),
        *task(POOLS[0], 6, 9, 1),
        call(POOL, "call.2", 10, 80, 71),
        call(POOL, "dot.3", 20, 30, 72),
        *handed_on(POOL, 25, 2),
        *task(POOLS[0], 40, 50, 2),
        *handed_on(POOL, 60, 3),
        *task(POOLS[0], 61, 65, 3),
        Event(HOST, "python", "PjitFunction(<lambda>)", 0, 400, {}),
        *handed_on("python", 1, 4),
        *task(POOLS[1], 3, 8, 4),
        *task(POOLS[1], 10, 20, 5),  # it was handed on before the profile
    ]
    assert sorted(computing(events, True)) == [
        (10, 80, "call", (HOST, POOL), False),
        (20, 30, "dot", (HOST, POOL), False),
        (40, 50, "dot", (HOST, POOLS[0]), True),
        (61, 65, "call", (HOST, POOLS[0]), True),
    ]


def real_events():
    """Events of a step of JAX on two processors: three layers of 1,024 values, to which each adds
    what a layer of 4,096 makes of them, for 512 rows, with gradients.
    """
    for start, duration, line, name, number in REAL["events"]:
        event = REAL["names"][name]
        ends = event.endswith("StartRegion") or event.startswith("end: ")
        facts = {"_c" if ends else "_p": number}
        if ": " not in event and "::" not in event:
            facts |= {"hlo_op": event, "program_id": 1}
        yield Event(HOST, REAL["lines"][line], event, start, duration, facts)


def test_products_of_a_real_step_take_no_less_than_one_takes_alone():
    found = attributed(computing(list(real_events()), True))["dot"]
    assert found.count == 6
    # ms of the fastest of many calls of a program of one product, and the time of waiting threads
    assert 34.6 < found.ns / found.count / 1e6 < 1.5 * 34.6
