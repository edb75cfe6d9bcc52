"""Why a column is slower: parts of a step, and of the difference of two, calculated by hand."""

import numpy as np
import pytest
from quiet_table import JAX, TORCH
from real_table import real_results
from record_changes import profile
from results_factory import BERT_ROWS, Project, make_plan
from time_changes import takes

from analysis.caveats import collect
from analysis.data import Data
from analysis.data.operation_groups import Group
from analysis.results.profiles import REST
from analysis.topics.why import differences as table
from analysis.topics.why.ceilings import ceilings
from analysis.topics.why.cells import cell_details
from analysis.topics.why.compute import GROUPS, IDLE, cell_operations, cell_parts
from analysis.topics.why.differences import STEP, differences
from analysis.topics.why.figure import why
from analysis.topics.why.section import rows, section
from analysis.writing.files import to_csv

MATMUL, GELU, COPY, UPDATE = "aten::mm", "aten::gelu", "aten::copy_", "aten::_foreach_add_"


@pytest.fixture
def pair(tmp_path):
    """JAX at 8 ms and PyTorch at 16 ms, nothing else in the row."""
    project = Project(tmp_path, make_plan(columns=(JAX, TORCH), rows=BERT_ROWS[:1], runs=3))
    project.change(lambda r: takes(r, 8.0), JAX)
    project.change(lambda r: takes(r, 16.0), TORCH)
    return project


def profiled(project, column, of_8_or_16_ms, idle, run=0):
    """Its operations by ms of the timed step and calls."""
    step_ms = 8.0 if column == JAX else 16.0
    shares = {name: (ms / step_ms, calls) for name, (ms, calls) in of_8_or_16_ms.items()}
    found = profile(step_ms, idle / step_ms, operations=shares)
    project.change(lambda r: r.update(host_overhead=found), column, run=run)


def differing(project):
    """Idle 1 and 4 ms; 10 products of 0.5 and 8 of 1 ms; 4 elementwise of 0.5 and 8 of 0.375 ms;
    copies of 1 ms in one of the two.
    """
    profiled(project, JAX, {MATMUL: (5.0, 10), GELU: (2.0, 4)}, idle=1.0)
    profiled(project, TORCH, {MATMUL: (8.0, 8), GELU: (3.0, 8), COPY: (1.0, 2)}, idle=4.0)
    project.change(lambda r: r["host_overhead"].pop("pairs", 0), JAX)  # as in older records


def parts_of(project):
    """The differences of the only pair, by part."""
    return differences(project.data()).set_index("part")


def test_the_difference_of_two_columns_as_calculated_by_hand(pair):
    differing(pair)
    found = parts_of(pair)
    step = found.loc[STEP]
    assert (step["fastest"], step["column"]) == (JAX, TORCH)
    # Products: 8 (1 - 0.5) = 4 slower, 2 fewer at 0.5 are -1. Elementwise: 4 (0.375 - 0.5) = -0.5
    # faster, 4 more at 0.375 are 1.5. Copies are in one alone: 1.
    assert found["difference_ms"][[STEP, IDLE]].tolist() == pytest.approx([8.0, 3.0])
    same, other = found["same_operations_ms"], found["other_operations_ms"]
    assert (same[STEP], other[STEP]) == pytest.approx((4.0 - 0.5, -1.0 + 1.5 + 1.0))
    assert same[Group.PRODUCTS] == pytest.approx(4.0) and same[Group.COPIES] == 0.0
    assert other[Group.ELEMENTWISE] == pytest.approx(1.5)
    assert found["difference_ms"][Group.COPIES] == pytest.approx(1.0)
    assert (step["standing"], step["rounds"]) == ("significantly slower", 3)


def test_kernels_of_a_gpu_take_what_the_device_says_whatever_the_profiled_step_took(pair):
    """5 ms of kernels in steps of 8 and 16 ms; the profiled step of the second took 20 ms."""
    pair.change(lambda r: r["cell"].update(accelerator="cuda"))
    profiled(pair, JAX, {MATMUL: (5.0, 10)}, idle=3.0)
    found = profile(20.0, 15 / 20, 1.0, {MATMUL: (5 / 20, 10)})
    pair.change(lambda r: r.update(host_overhead=found), TORCH)
    parts = parts_of(pair)
    assert parts["difference_ms"][[STEP, IDLE]].tolist() == pytest.approx([8.0, 8.0])
    assert parts["column_ms"][IDLE] == pytest.approx(16.0 - 5.0)
    assert parts["same_operations_ms"][STEP] == pytest.approx(0.0, abs=1e-9)
    assert ceilings(pair.data())["share"].tolist() == pytest.approx([3 / 8, 11 / 16])


def test_operations_that_are_not_listed_are_never_the_same(pair):
    """Each has 2 ms of them; that of the slower column takes longer in as many calls."""
    profiled(pair, JAX, {MATMUL: (5.0, 10)}, idle=1.0)
    profiled(pair, TORCH, {MATMUL: (5.0, 10)}, idle=1.0)
    pair.change(lambda r: r["host_overhead"].update(rest_launched=4.0))
    found = parts_of(pair).loc[Group.OTHER]
    times = found[["fastest_ms", "column_ms", "same_operations_ms", "other_operations_ms"]]
    assert times.tolist() == pytest.approx([2.0, 10.0, 0.0, 8.0])
    results = pair.load()
    assert cell_parts(Data(results))[Group.OTHER].tolist() == pytest.approx([2.0, 10.0])
    (caveat,) = (caveat for caveat in collect(results) if caveat.id == "other_operations")
    assert list(caveat.evidence["share"].values()) == pytest.approx([0.25, 10 / 16])
    assert REST in set(cell_operations(Data(results))["name"])


IN_TURNS = {JAX: (1.09, 1.1, 1.11), TORCH: (0.91, 1.1, 1.33)}  # as long: one is shown, one not


def costing(project):
    """Of either step a tenth computes nothing, and a profiler makes it 1.1 times as long on the
    mean; the slower column has an optimizer, which takes 7.68 of its 16 ms.
    """
    shares = {JAX: {MATMUL: (0.9, 10)}, TORCH: {MATMUL: (0.42, 10), UPDATE: (0.48, 4)}}
    for column, step_ms in ((JAX, 8.0), (TORCH, 16.0)):

        def change(record, column=column, step_ms=step_ms):
            found = profile(step_ms, 0.1, 1.1, shares[column])
            times = IN_TURNS[column][record["cell"]["run"] - 1]
            found["pairs"] = [{"plain_ms": 10.0, "profiled_ms": 10.0 * times}]
            record["host_overhead"] = found

        project.change(change, column)


def test_no_difference_is_told_that_one_profiler_may_have_made_or_be_known_better(pair):
    costing(pair)
    found = parts_of(pair)
    times = {column: np.prod(of_runs) ** (1 / 3) for column, of_runs in IN_TURNS.items()}
    idle, updates = found.loc[IDLE], found.loc[Group.OPTIMIZER]
    assert (idle["fastest_ms"], idle["column_ms"]) == pytest.approx((0.8, 1.6))
    # All of it is one profiler's, and the other's lies within operations.
    assert idle["lowest_ms"] == pytest.approx(16.0 * (1 - 0.9 * times[TORCH]) - 0.8 * times[JAX])
    assert idle["highest_ms"] == pytest.approx(1.6 * times[TORCH] - 8.0 * (1 - 0.9 * times[JAX]))
    spread = updates[["lowest_ms", "difference_ms", "highest_ms"]] / 7.68
    assert spread.tolist() == pytest.approx([(1 - 0.1 * times[TORCH]) / 0.9, 1.0, times[TORCH]])
    # Products take 7.2 and 6.72 ms, 6 % of the difference less, or more.
    assert parts_of(pair).loc[Group.PRODUCTS, "difference_ms"] == pytest.approx(-0.48)
    (view,) = rows(pair.data())
    assert view["sentences"] == [
        "Keras 3 (PyTorch) takes 8.000 ms more: +7.680 ms (96\u00a0%) in optimizer."
    ]


def test_the_same_share_of_a_step_computes_nothing_wherever_it_stands(pair, real):
    costing(pair)
    for results in (pair.load(), real):
        data = Data(results)
        parts = cell_parts(data)
        shares = ceilings(data).set_index(["model", "task", "batch_size", "column"])["share"]
        known = shares.index.intersection(parts.index)
        of_step = parts[IDLE] / parts["step_ms"]
        assert len(known) > 1 and of_step[known].to_dict() == pytest.approx(
            shares[known].to_dict(), rel=0.02
        )


def test_columns_whose_operations_are_not_named_alike_are_compared_by_groups_alone(pair):
    differing(pair)
    pair.change(lambda r: r["host_overhead"].update(method="another profiler"), JAX, run=1)
    found = parts_of(pair)
    assert found[["same_operations_ms", "other_operations_ms"]].isna().all(axis=None)
    assert found["difference_ms"][Group.PRODUCTS] == pytest.approx(3.0)
    data = pair.data()
    (view,) = rows(data)
    (reasons,) = view["sentences"]
    assert "matrix products" in reasons and "of the same names" not in reasons
    assert view["table"].lines[1][-4:-2] == ("NA", "NA")
    step = to_csv(table.why(data)).splitlines()[1]
    assert step.endswith(",NA,NA,14.0,18.0,3")


def test_a_range_over_rounds_and_a_round_without_a_profile(pair):
    differing(pair)
    profiled(pair, TORCH, {MATMUL: (10.0, 8)}, idle=6.0, run=2)
    pair.change(lambda r: r.update(host_overhead=None), TORCH, run=3)
    idle = parts_of(pair).loc[IDLE]
    assert idle["rounds"] == 2
    spread = idle[["lowest_ms", "difference_ms", "highest_ms"]]
    assert spread.tolist() == pytest.approx([3.0, 4.0, 5.0])
    (view,) = rows(pair.data())
    assert view["table"].lines[1][3] == "+4.000 (+3.000\u00a0to\u00a0+5.000)"
    assert "mean over 2 rounds" in view["table"].caption


def test_means_over_runs_count_what_a_run_does_not_list_as_nothing(pair):
    differing(pair)
    profiled(pair, TORCH, {MATMUL: (10.0, 8)}, idle=6.0, run=2)
    data = pair.data()
    found = cell_operations(data).query("column == @TORCH").set_index("name")
    assert found["ms"].to_dict() == pytest.approx({MATMUL: 26 / 3, GELU: 2.0, COPY: 2 / 3})
    assert list(found.index) == [MATMUL, GELU, COPY]
    listed = cell_details(data)["bert", "fit", 8, TORCH].grid
    assert listed.header == ("Operation", "Group", "ms/step", "Share", "Times per step")
    assert listed.lines[0][2:] == ("8.667", "54\u00a0%", "16")
    assert cell_parts(data).loc[("bert", "fit", 8, TORCH), IDLE] == pytest.approx(14 / 3)


def test_older_records_and_disturbed_columns_are_not_compared(pair):
    differing(pair)
    pair.change(lambda r: r["load"].update(foreign_cpu_share=0.4), TORCH)
    assert parts_of(pair).empty
    pair.change(lambda r: r["load"].update(foreign_cpu_share=0.0), TORCH)
    old = {"share": 0.1, "method": "profiler", "steps": 3}
    pair.change(lambda r: r.update(host_overhead=old), JAX)
    data = pair.data()
    assert ("bert", "fit", 8, JAX) not in cell_parts(data).index
    assert list(rows(data)) == [] and to_csv(table.why(data)).count("\n") == 1


def test_the_report_says_it_in_a_sentence_and_the_csv_in_numbers(pair):
    differing(pair)
    data = pair.data()
    (view,) = rows(data)
    assert view["summary"] == "Against Keras 3 (JAX), at 8.000 ms/step"
    assert view["sentences"] == [
        "Keras 3 (PyTorch) takes 8.000 ms more: +3.000 ms (38\u00a0%) in which nothing "
        "computes, +3.000 ms (38\u00a0%) in matrix products and convolutions, +1.000 ms "
        "(12\u00a0%) in elementwise, +1.000 ms (12\u00a0%) in copies and casts. Operations that "
        "both run: +3.500 ms; operations run only, or more often, by one of the two: +1.500 ms."
    ]
    header, *lines = (line.split(",") for line in to_csv(table.why(data)).splitlines())
    assert [line[header.index("part")] for line in lines] == ["step", "nothing computes", *GROUPS]
    assert lines[0][3:6] == [JAX, TORCH, "significantly slower"] and lines[0][-1] == "3"
    found = parts_of(pair)
    assert found["difference_ms"][1:].sum() == pytest.approx(found["difference_ms"][STEP])


SDPA = "aten::_scaled_dot_product_flash_attention_for_cpu"
FMHA = "__cudnn$fmhaSoftmax"


@pytest.mark.parametrize(
    ("products_ms", "beside", "told"),
    [
        # 0.4 GFLOP take 4 ms at the canaries' best product, and at least 3.1 with what is allowed.
        (3.2, None, True),
        (2.9, None, False),
        (2.9, "aten::_softmax", False),  # has none of them
        (2.9, SDPA, True),
        (2.9, FMHA, True),
    ],
)
def test_products_that_are_faster_than_the_machine_are_no_reason(pair, products_ms, beside, told):
    profiled(pair, JAX, {MATMUL: (products_ms, 10), beside or GELU: (0.5, 2)}, idle=1.0)
    profiled(pair, TORCH, {MATMUL: (8.0, 8), GELU: (7.0, 8)}, idle=1.0)
    (view,) = rows(pair.data())
    (sentence,) = view["sentences"]
    assert ("in matrix products" in sentence) == told and "in elementwise" in sentence
    assert ("of the same names" in sentence) <= told
    assert ("to which a profile gives less time than their FLOPs take" in sentence) != told
    assert ("that involve Keras 3 (JAX): the profile gives" in view["table"].caption) != told


def test_a_difference_that_is_not_shown_is_said_to_be_so(pair):
    differing(pair)
    assert section(pair.data())["without"] == ""
    pair.change(lambda r: takes(r, 8.05 + 0.05 * r["cell"]["run"]), TORCH)
    found = section(pair.data())
    ((sentence,),) = (view["sentences"] for view in found["rows"])
    assert sentence == "Not shown to be more than 2\u00a0% slower: Keras 3 (PyTorch)."
    assert found["without"].startswith("In 1 of 1 row no column is shown to be slower; ")


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    """As it was measured."""
    return real_results(tmp_path_factory.mktemp("real"))


def test_a_column_without_a_profile_is_drawn_as_a_mark_where_its_step_ends(pair):
    profiled(pair, JAX, {MATMUL: (5.0, 10), GELU: (2.0, 4)}, idle=1.0)
    (axes,) = why(pair.data()).axes
    assert sum(bar.get_width() for bar in axes.patches) == pytest.approx(8)
    (mark,) = axes.lines
    assert (mark.get_marker(), *mark.get_xydata()[0]) == ("|", pytest.approx(16), 1)
    assert axes.get_xlim() == pytest.approx((0, 1.05 * 16))
