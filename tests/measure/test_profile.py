"""What counts as computing in a trace, and under which name."""

import sys
from types import ModuleType, SimpleNamespace

import pytest

from measure.frameworks import torch_profile
from measure.frameworks.compiled_kernels import announced
from measure.frameworks.hlo import programs, with_place, without_number
from measure.frameworks.xplane import Event, NoOperation, computing

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


def test_operations_compute_and_dispatch_does_not():
    assert computing(EVENTS, {}, True) == [
        (100, 150, "ynn_fusion", (HOST, POOL)),
        (200, 230, "MklMatMul in query", (HOST, "tf_Compute/5")),
    ]


def test_an_operation_lasts_until_its_last_part_is_done_on_other_threads():
    """Not until another turn of it is, where its own end was not recorded."""
    facts = {"hlo_op": "dot.1"}
    starts = [Event(HOST, POOL, "dot.1", start, 10, facts) for start in (0, 100, 200)]
    ends = [Event(HOST, "tf_XLAEigen/2", "end: dot.1", at, 1, {}) for at in (35, 210)]
    assert computing([*ends, *starts], {}, True) == [
        (0, 35, "dot", (HOST, POOL, "on other threads")),
        (100, 110, "dot", (HOST, POOL)),
        (200, 210, "dot", (HOST, POOL)),
    ]


def test_without_operations_of_the_programs_a_trace_does_not_tell_what_computes():
    """As TensorFlow 2.15 writes it on the host; its kernels around them do not stand for all."""
    outside = [event._replace(facts={}) for event in EVENTS]
    with pytest.raises(NoOperation, match="no operation of XLA's programs"):
        computing(outside, {}, True)
    assert [span.name for span in computing(outside, {}, False)] == ["MklMatMul in query"]
    on_a_gpu = Event("/device:GPU:0", "Stream #13(Compute)", "ampere_sgemm", 10, 5, {})
    assert len(computing([*outside, on_a_gpu], {}, True)) == 1


def test_on_a_gpu_only_its_own_streams_count():
    stream = ("/device:GPU:0", "Stream #13(Compute)")
    kernels = [
        Event(
            *stream, "loop_add_fusion_12", 7, 3, {"hlo_op": "loop_add_fusion.12", "program_id": 7}
        ),
        Event(*stream, "ampere_sgemm_128x64_tn", 10, 5, {}),
    ]
    assert computing([*EVENTS, *kernels], {}, True) == [
        (7, 10, "loop_add_fusion", stream),
        (10, 15, "ampere_sgemm_128x64_tn", stream),
    ]


def field(number, value):
    """A field of a protobuf message, as on the wire."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def varint(value):
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*found, value])


def instruction(name, opcode, scope="", called=b""):
    metadata = field(7, field(2, scope)) if scope else b""
    return field(2, field(1, name) + field(2, opcode) + metadata + called)


def trace(number=2**63 + 9):
    """A trace with one program: a fusion of a product and an addition, in a layer."""
    fused = instruction("p", "parameter") + instruction("d", "dot") + instruction("a", "add")
    scope = "jit(step)/transpose(jvp(bert))/layer_1_query_2/dot_general"
    main = instruction("ynn_fusion.1", "fusion", scope, field(38, bytes([5])))
    main += instruction("copy.3", "copy") + instruction("add.4", "add", "jit(step)/adamw/add")
    computations = field(3, fused + field(5, 5)) + field(3, main + field(5, 300))
    proto = field(1, field(1, "jit_step") + computations)
    event = (
        field(1, number) + field(2, f"jit_step({number})") + field(5, field(1, 1) + field(6, proto))
    )
    plane = field(2, "/host:metadata") + field(4, field(1, 1) + field(2, event))
    return field(1, field(2, HOST)) + field(1, plane)


def test_the_programs_in_a_trace_tell_what_a_fusion_does_and_where():
    program = programs(trace())[2**63 + 9]
    assert (
        program.described("ynn_fusion.1", "ynn_fusion.1") == "ynn_fusion(add, dot) in layer_query"
    )
    assert program.described("copy.3", "copy.3") == "copy"
    assert program.described("add.4", "loop_add_4") == "loop_add(add) in adamw"
    assert program.described("unknown.8", "unknown.8") == "unknown"
    # An event tells the program by a signed number.
    event = EVENTS[0]._replace(facts={"hlo_op": "copy.3", "hlo_module_id": -(2**63) + 9})
    assert computing([event], programs(trace()), True)[0].name == "ynn_fusion(copy)"


@pytest.mark.parametrize("broken", [b"\x0a\xff", b"\x0b", b"\x0a\x05abc"])
def test_what_is_no_trace_is_no_program(broken):
    with pytest.raises(ValueError):
        programs(broken)


@pytest.mark.parametrize(
    ("operation", "path", "expected"),
    [
        ("MatMul", "gradient_tape/bert/dense_12/MatMul/MatMul_1", "MatMul in dense"),
        ("Mul", "Mul", "Mul"),
        ("dot", "jit(step)/bert/query_1/abc,cde->abde/dot_general", "dot in query"),
        ("exp", "jit(f)/jit(_softmax)/exp", "exp in _softmax"),
    ],
)
def test_places_are_layers_without_their_numbers(operation, path, expected):
    assert with_place(operation, path) == expected


def test_instances_have_no_numbers_and_sizes_keep_theirs():
    assert without_number("broadcast_add_fusion.3.clone") == "broadcast_add_fusion"
    assert without_number("sm80_xmma_gemm_f32f32_tn_n") == "sm80_xmma_gemm_f32f32_tn_n"


CPU, CUDA = "cpu", "cuda"


def event(name, start_us, end_us, device_type=CPU, annotation=False, thread=1):
    """As torch.profiler tells it."""
    return SimpleNamespace(
        name=name,
        time_range=SimpleNamespace(start=start_us, end=end_us),
        device_type=device_type,
        is_user_annotation=annotation,
        thread=thread,
        device_resource_id=7,
    )


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
    # What a range covers on the device, from its first kernel to its last one.
    event("Optimizer.step#Adam.step", 50, 70, CUDA, annotation=True),
    event("ProfilerStep*", 45, 95, CUDA, annotation=True),
    event("multi_tensor_apply_kernel", 50, 60, CUDA, thread=2),
    event("triton_poi_fused_add_12", 75, 80, CUDA),
]


def test_a_named_range_on_a_gpu_computes_nothing_between_its_kernels():
    stream = (CUDA, 7)
    assert torch_profile.computing(TORCH_EVENTS, CUDA) == [
        (50_000, 60_000, "multi_tensor_apply_kernel in Optimizer.step", stream),
        (75_000, 80_000, "triton_poi_fused_add", stream),
    ]


def test_on_a_processor_operations_and_compiled_kernels_compute_and_ranges_do_not():
    thread = (CPU, 1)
    assert torch_profile.computing(TORCH_EVENTS) == [
        (5_000, 20_000, "aten::_foreach_addcdiv_ in Optimizer.step", thread),
        (10_000, 20_000, "aten::addcdiv_ in Optimizer.step", thread),
        (26_000, 29_000, "aten::_foreach_sqrt in Optimizer.step", thread),
        (27_000, 28_000, "aten::sqrt in Optimizer.step", thread),
        (12_000, 14_000, "aten::mm", (CPU, 2)),
        (31_000, 35_000, "cpp_fused_add_native_layer_norm", thread),
    ]


def test_a_compiled_graph_whose_kernels_cannot_be_told_computes_as_a_whole():
    found = torch_profile.computing([e for e in TORCH_EVENTS if not e.name.startswith("cpp_")])
    assert found[-1] == (30_000, 40_000, "CompiledFxGraph", (CPU, 1))


def test_compiled_kernels_are_announced_while_a_profile_is_taken_and_not_changed(monkeypatch):
    told = []

    class Record:
        def __init__(self, name):
            self.name = name

        def __enter__(self):
            told.append(self.name)

        def __exit__(self, *exception):
            pass

    def kernel(x):
        return 2 * x

    generated = ModuleType("generated")
    vars(generated).update(cpp_fused_mul_0=kernel, cpp_fused_text="", other=kernel)
    cache = SimpleNamespace(PyCodeCache=SimpleNamespace(modules=[generated]))
    monkeypatch.setitem(sys.modules, "torch._inductor.codecache", cache)
    profiler = SimpleNamespace(_profiler=SimpleNamespace(_RecordFunctionFast=Record))
    with announced(SimpleNamespace(_C=profiler)):
        assert (generated.cpp_fused_mul_0(3), generated.other(3)) == (6, 6)
    assert told == ["cpp_fused_mul_0"] and generated.cpp_fused_mul_0 is kernel
