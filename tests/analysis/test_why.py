"""Why a column is slower: parts of a step, and of the difference of two, calculated by hand."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from quiet_table import JAX, TORCH
from real_table import real_results
from record_changes import profile
from results_factory import BERT_ROWS, Project, make_plan

from analysis.caveats import collect
from analysis.comparisons.operation_groups import Group, group_of, rules
from analysis.comparisons.profiler_cost import profiler_cost, shown_cost
from analysis.comparisons.why import against_fastest, mean_parts, other_ms, same_ms, why_slower
from analysis.report.why import why_views
from analysis.results.profiles import HostOverhead, Operation
from analysis.tables.why import why_csv

MATMUL, GELU, COPY = "aten::mm", "aten::gelu", "aten::copy_"


@pytest.fixture
def pair(tmp_path):
    """JAX at 8 ms and PyTorch at 16 ms, nothing else in the row."""
    project = Project(tmp_path, make_plan(columns=(JAX, TORCH), rows=BERT_ROWS[:1], runs=3))
    for column, step_ms in ((JAX, 8.0), (TORCH, 16.0)):

        def change(record, step_ms=step_ms):
            for block in record["timing"]["blocks"]:
                block["elapsed_ns"] = round(1e6 * block["steps"] * step_ms)

        project.change(change, column)
    return project


def profiled(project, column, of_8_or_16_ms, idle, run=0, slower=1.0):
    """Its operations by ms of the timed step and calls."""
    step_ms = 8.0 if column == JAX else 16.0
    shares = {name: (ms / step_ms, calls) for name, (ms, calls) in of_8_or_16_ms.items()}
    found = profile(step_ms, idle / step_ms, slower, shares)
    project.change(lambda r: r.update(host_overhead=found), column, run=run)


def differing(project):
    """Idle 1 and 4 ms; 10 products of 0.5 and 8 of 1 ms; 4 elementwise of 0.5 and 8 of 0.375 ms;
    copies of 1 ms in one of the two.
    """
    profiled(project, JAX, {MATMUL: (5.0, 10), GELU: (2.0, 4)}, idle=1.0)
    profiled(project, TORCH, {MATMUL: (8.0, 8), GELU: (3.0, 8), COPY: (1.0, 2)}, idle=4.0)


def test_the_difference_of_two_columns_as_calculated_by_hand(pair):
    differing(pair)
    (why,) = why_slower(pair.load().rows[0])
    assert (why.fastest.column.name, why.cell.column.name) == (JAX, TORCH)
    found = [spread.mean for spread in (why.difference, why.idle, why.same(), why.other())]
    # Products: 8 (1 - 0.5) = 4 slower, 2 fewer at 0.5 are -1. Elementwise: 4 (0.375 - 0.5) = -0.5
    # faster, 4 more at 0.375 are 1.5. Copies are in one alone: 1.
    assert found == pytest.approx([8.0, 3.0, 4.0 - 0.5, -1.0 + 1.5 + 1.0])
    assert why.same(Group.PRODUCTS).mean == pytest.approx(4.0)
    assert why.other(Group.ELEMENTWISE).mean == pytest.approx(1.5)
    assert why.same(Group.COPIES).mean == 0.0
    assert why.groups[Group.COPIES].mean == pytest.approx(1.0)
    assert why.shown and len(why.rounds) == 3


names = st.sampled_from([MATMUL, GELU, COPY, "operations that are not listed"])
times = st.dictionaries(names, st.tuples(st.floats(0, 100), st.integers(0, 50)))


@given(times, times)
def test_parts_of_a_group_add_up_to_its_difference(first, second):
    base, new = (
        {n: Operation(n, ms, m, m) for n, (ms, m) in each.items()} for each in (first, second)
    )
    whole = sum(each.ms for each in new.values()) - sum(each.ms for each in base.values())
    assert same_ms(base, new) + other_ms(base, new) == pytest.approx(whole, abs=1e-9)
    assert base.keys() & new.keys() or not same_ms(base, new)


@given(
    timed_ms=st.floats(0.1, 100),
    profiled_ms=st.floats(0.1, 100),
    slower=st.floats(1, 3),
    parts=st.lists(st.floats(0.001, 40), min_size=1, max_size=4),
    rest_ms=st.floats(0, 10),
)
def test_parts_of_a_step_add_up_to_the_timed_step(timed_ms, profiled_ms, slower, parts, rest_ms):
    divided = divided_by_hand(timed_ms, profiled_ms, slower, parts, rest_ms)
    times = [operation.ms for operation in divided.operations]
    assert divided.idle_ms + sum(times) == pytest.approx(timed_ms)
    assert divided.idle_ms >= 0
    for ms, before in zip(times, parts, strict=False):
        assert ms / before == pytest.approx(times[0] / parts[0])


def divided_by_hand(timed_ms, profiled_ms, slower, parts, rest_ms=0.0):
    operations = [{"name": "a", "ms": ms, "count": 1, "launched": 1} for ms in parts]
    data = {"share": 0.5, "method": "m", "steps": 1, "step_ms": profiled_ms}
    found = HostOverhead.from_json({**data, "operations": operations, "rest_ms": rest_ms})
    return found.divided(timed_ms, slower)


@pytest.mark.parametrize(
    ("profiled_ms", "slower", "busy_ms", "idle_ms"),
    [
        (12.0, 1.2, 7.0, 3.0),  # 2 of 5 ms in which nothing computes are the profiler's
        (12.0, 1.2, 11.0, 0.0),  # 1 ms is, and 1 of the operations' 11
        (8.0, 1.0, 6.0, 2.5),  # no cost is shown: all a quarter longer, as the timed step is
        (16.0, 1.0, 8.0, 5.0),  # or shorter
    ],
)
def test_what_the_profiler_adds_is_taken_from_the_time_in_which_nothing_computes(
    profiled_ms, slower, busy_ms, idle_ms
):
    divided = divided_by_hand(10.0, profiled_ms, slower, [busy_ms])
    assert divided.idle_ms == pytest.approx(idle_ms)
    assert divided.operations[0].ms == pytest.approx(10.0 - idle_ms)


def test_less_than_its_scatter_is_no_cost_of_the_profiler(pair):
    """A tenth longer in one block and shorter in the next is noise, whatever its mean."""
    differing(pair)
    (why,) = why_slower(pair.load().rows[0])

    def scatter(record):
        pairs = [{"plain_ms": 10.0, "profiled_ms": ms} for ms in (9.0, 11.5, 10.8)]
        mine = [pairs[record["cell"]["run"] - 1]]
        record["host_overhead"] = {**record["host_overhead"], "pairs": mine}

    pair.change(scatter)
    results = pair.load()
    cost = profiler_cost(results.rows[0].cells[0])
    assert cost.value > 1 > cost.interval.low and shown_cost(results.rows[0].cells[0]) == 1.0
    (again,) = why_slower(results.rows[0])
    assert again.idle == why.idle


def test_columns_whose_operations_are_not_named_alike_are_compared_by_groups_alone(pair):
    differing(pair)
    pair.change(lambda r: r["host_overhead"].update(method="another profiler"), JAX)
    results = pair.load()
    (why,) = why_slower(results.rows[0])
    assert why.same() is why.other() is None
    assert why.groups[Group.PRODUCTS].mean == pytest.approx(3.0)
    reasons, unlike = why_views(results)[0].sentences
    assert "of the same names" not in reasons
    assert unlike == (
        "The operations of Keras 3 (JAX) are not named as those of Keras 3 (PyTorch), so that "
        "groups are all that is compared."
    )
    step = next(csv.DictReader(io.StringIO(why_csv(results))))
    assert (step["same_operations_ms"], step["column_launched"]) == ("NA", "18.0")


def test_a_range_over_rounds_and_a_round_without_a_profile(pair):
    differing(pair)
    profiled(pair, TORCH, {MATMUL: (10.0, 8)}, idle=6.0, run=2)
    pair.change(lambda r: r.update(host_overhead=None), TORCH, run=3)
    (why,) = why_slower(pair.load().rows[0])
    assert len(why.rounds) == 2
    assert (why.idle.low, why.idle.mean, why.idle.high) == pytest.approx((3.0, 4.0, 5.0))


def test_older_records_and_disturbed_columns_are_not_compared(pair):
    differing(pair)
    pair.change(lambda r: r["load"].update(foreign_cpu_share=0.4), TORCH)
    assert why_slower(pair.load().rows[0]) == []
    pair.change(lambda r: r["load"].update(foreign_cpu_share=0.0), TORCH)
    old = {"share": 0.1, "method": "profiler", "steps": 3}
    pair.change(lambda r: r.update(host_overhead=old), JAX)
    results = pair.load()
    assert why_slower(results.rows[0]) == [] and mean_parts(results.rows[0].cells[0]) is None
    assert why_views(results) == [] and why_csv(results).count("\n") == 1


def test_operations_that_are_not_listed_are_in_no_group(pair):
    profiled(pair, JAX, {MATMUL: (5.0, 10)}, idle=1.0)
    parts = mean_parts(pair.load().rows[0].cells[0])
    assert parts.ms(Group.OTHER) == pytest.approx(2.0)
    caveats = [found for found in collect(pair.load()) if found.id == "other_operations"]
    assert [list(found.evidence["share"].values()) for found in caveats] == [[pytest.approx(0.25)]]


def test_the_report_says_it_in_a_sentence_and_the_csv_in_numbers(pair):
    differing(pair)
    results = pair.load()
    (view,) = why_views(results)
    assert view.summary == "Keras 3 (JAX) is the fastest, at 8.000 ms/step"
    assert view.sentences == (
        "Keras 3 (PyTorch) takes 8.000 ms more: +3.000 ms (38\u00a0%) is time in which nothing "
        "computes, +3.000 ms (38\u00a0%) is matrix products and convolutions, +1.000 ms "
        "(12\u00a0%) is elementwise, +1.000 ms (12\u00a0%) is copies and casts. Operations of "
        "the same names take +3.500 ms longer, what one has more of or alone +1.500 ms.",
    )
    lines = {line["part"]: line for line in csv.DictReader(io.StringIO(why_csv(results)))}
    assert list(lines) == ["step", "nothing computes", *map(str, Group)]
    step = lines["step"]
    assert float(step["difference_ms"]) == pytest.approx(8.0)
    assert float(step["same_operations_ms"]) == pytest.approx(3.5)
    assert (step["fastest"], step["column"], step["rounds"]) == (JAX, TORCH, "3")
    parts = [float(line["difference_ms"]) for part, line in lines.items() if part != "step"]
    assert sum(parts) == pytest.approx(8.0)


def test_a_difference_that_is_not_shown_is_said_to_be_so(pair):
    differing(pair)

    def change(record):
        for block in record["timing"]["blocks"]:
            block["elapsed_ns"] = round(
                1e6 * block["steps"] * (8.05 + 0.05 * record["cell"]["run"])
            )

    pair.change(change, TORCH)
    (view,) = why_views(pair.load())
    (sentence,) = view.sentences
    assert sentence == "Keras 3 (PyTorch) is not shown to be more than 2\u00a0% slower."


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    """As it was measured."""
    return real_results(tmp_path_factory.mktemp("real"))


def test_products_of_a_real_table_are_the_same_operations_compiled_or_not(real):
    """Both ran 16 aten::mm, 8 aten::addmm and 6 aten::bmm, which hold what computes nothing."""
    cells = [c for c in real.rows[0].cells if c.column.family == "pytorch"]
    (why,) = against_fastest(real.rows[0], cells)
    for parts in (part for both in why.rounds for part in both):
        assert sum(o.count for o in parts.of(Group.PRODUCTS)) == 30
    assert why.alike and why.other(Group.PRODUCTS).mean == pytest.approx(0.0, abs=1e-9)
    assert why.same(Group.PRODUCTS).mean == pytest.approx(why.groups[Group.PRODUCTS].mean)
    # What one compiled piece does in the other column's stead is named otherwise there.
    assert why.other(Group.NORMALISATION).mean == pytest.approx(
        why.groups[Group.NORMALISATION].mean
    )


def test_parts_of_real_steps_add_up_and_nothing_is_said_of_what_tells_nothing(real):
    for row in real.rows:
        for cell in row.measured:
            parts = mean_parts(cell)
            busy = sum(parts.ms(group) for group in Group)
            assert parts.idle_ms + busy == pytest.approx(parts.step_ms)
    bert, gemma = why_views(real)
    missing = [sentence for sentence in bert.sentences if "is not compared: other" in sentence]
    assert [sentence.partition(" is")[0] for sentence in missing] == [
        *("Keras 2 (TensorFlow)", "Keras 3 (TensorFlow)", "Keras 3 (JAX)", "Keras 3 (PyTorch)"),
    ]
    torch = next(s for s in gemma.sentences if s.startswith("Keras 3 (PyTorch)"))
    assert torch.startswith(
        "Keras 3 (PyTorch) takes 92.72 ms more: +75.29 ms (81\u00a0%) is time in which nothing "
    )
    assert gemma.sentences[-1].startswith("The operations of Keras 3 (JAX) are not named as those")


NAMES = {
    Group.PRODUCTS: (
        *("aten::addmm", "aten::bmm", "aten::convolution_backward", "mkldnn::_linear_pointwise"),
        *("ynn_fusion(add, dot, tanh) in query", "dot in self_attention", "convolution in conv"),
        *("MklMatMul in dense", "FusedConv2D in patch_embed", "BatchMatMulV2 in softmax"),
        *("ampere_sgemm_128x64_tn", "nvjet_tst_128x160_64x5", "gemm_fusion_dot"),
        *("custom-call(__cublas$gemm) in query", "sm80_xmma_fprop_implicit_gemm_tf32"),
        *("triton_tem_fused_addmm", "aten::einsum"),
    ),
    Group.ATTENTION: (
        *("aten::_scaled_dot_product_flash_attention_for_cpu", "aten::_softmax"),
        *("void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128>>", "Softmax"),
        *("fusion(exponential, subtract) in softmax", "Mul in Softmax", "cpp_fused__softmax_mul"),
        *("fmha_cutlassF_bf16_aligned_64x64_rf_sm80", "softmax_warp_forward<float, float>"),
    ),
    Group.NORMALISATION: (
        *("aten::native_layer_norm_backward", "cpp_fused_add_native_layer_norm", "aten::rsqrt"),
        *("fusion(multiply, reduce) in self_attention_layer_norm", "FusedBatchNormV3"),
        *("cpp_fused_add_mean_mul_pow_rsqrt", "void at::native::vectorized_layer_norm_kernel<f>"),
    ),
    Group.ELEMENTWISE: (
        *("aten::gelu", "aten::mul", "aten::_log_softmax", "cpp_fused_add_view", "AddV2 in add"),
        *("fusion(add, multiply) in dense", "tanh", "BiasAddGrad", "triton_poi_fused_add_gelu"),
        *(
            "SparseSoftmaxCrossEntropyWithLogits",
            "aten::nll_loss_forward",
            "loop_add_fusion",
            "aten::__or__",
        ),
        *("cpp_fused__scaled_dot_product_flash_attention_for_cpu_add_cat",),
    ),
    Group.COPIES: (
        *(
            "aten::copy_",
            "aten::_to_copy",
            "aten::t",
            "aten::as_strided",
            "aten::zero_",
            "aten::meshgrid",
        ),
        *("copy", "transpose(copy, transpose) in key", "wrapped_transpose", "Cast", "ConcatV2"),
        *("cpp_fused_clone_transpose_view", "Memcpy HtoD (Pageable -> Device)", "StridedSlice"),
        *("copy_bitcast_fusion", "ReadVariableOp in query", "PyFunc"),
    ),
    Group.OPTIMISER: (
        *("aten::mul_ in Optimizer.step", "aten::_foreach_add_", "multiply(add, sqrt) in adamw"),
        *("ResourceApplyAdam", "Mul in adam_w", "aten::_fused_adamw_", "multi_tensor_apply_kernel"),
    ),
    Group.EMBEDDING: (
        *("aten::embedding_dense_backward", "gather in token_embedding", "ResourceGather"),
        *("aten::index_select", "cpp_fused_embedding", "void indexSelectLargeIndex<float>"),
        *("fusion(add, scatter) in embeddings",),
    ),
    Group.OTHER: (
        *("CompiledFxGraph", "ynn_fusion", "while", "nobody::knows", "PartitionedCall"),
        *("operations that are not listed",),
    ),
}


@pytest.mark.parametrize(
    ("name", "group"), [(name, group) for group, names in NAMES.items() for name in names]
)
def test_groups_of_names_as_profilers_give_them(name, group):
    assert group_of(name) is group


def test_every_group_but_other_has_a_rule():
    assert {rule.group for rule in rules()} >= set(Group) - {Group.OTHER}
