"""What columns of a row ran with: which differences are caveats, and which value is favoured: named
where physics decides, unknown elsewhere.
"""

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from quiet_table import JAX, PROPERTY, ROW, TORCH, found, on_processor, parity, quiet_project
from record_changes import stretch
from results_factory import Project, make_column, make_plan

from analysis.caveats import collect
from analysis.caveats.advantages import ADVANTAGES, favoured, rank
from analysis.formats.text import ms
from analysis.report.parity import card_of, differing


def differences(project):
    return [caveat for caveat in collect(project.load()) if "keys" in caveat.evidence]


FLASH = "scaled_dot_product_flash_attention_for_cpu"


@pytest.mark.parametrize(
    ("card", "advantage"),
    [
        ({"execution": "eager"}, "favours jit / xla over eager / xla"),
        ({"matmul_precision": "tf32"}, "favours float32 / tf32 over float32"),
        ({"dtype": "bfloat16"}, "favours bfloat16 over float32"),
        ({"attention": "flash_attention_2"}, "favours flash_attention_2 over einsum"),
        ({"attention": "sdpa"}, "unknown"),
        ({"attention": "keras.ops.dot_product_attention"}, "unknown"),
        # by the kernel that was seen to run; a compiler may fuse what a model writes out
        ({"attention": "sdpa", "attention_kernel": FLASH}, f"favours sdpa / {FLASH} over einsum ("),
        ({"attention_kernel": FLASH}, f"favours einsum / {FLASH} over einsum ("),
        ({"attention": "sdpa", "attention_kernel": "scaled_dot_product_math"}, "unknown"),
        ({"attention_kernel": "flex_attention"}, "favours einsum / flex_attention over einsum ("),
        ({"flush_denormals": False}, "favours yes over no"),
        ({"optimizer": "adamw with EMA"}, "favours adamw over adamw with EMA"),
        ({"optimizer": "sgd"}, "unknown"),
        ({"threads": 3}, "unknown"),
        ({"device": "NVIDIA H200"}, "unknown"),
        ({"graph_breaks": 0}, "favours 0 over 3"),
        ({"cuda_graphs": True}, "favours yes over no"),
        ({"metrics": "none"}, "favours none over loss"),
        ({"prompt_positions": 6}, "favours 6 over 50"),
        ({"image_data_format": "channels_first"}, ""),
    ],
)
def test_the_favoured_value_of_a_difference_on_a_gpu(tmp_path, card, advantage):
    project = quiet_project(tmp_path)
    known = {"graph_breaks": 3, "cuda_graphs": False, "metrics": "loss", "prompt_positions": 50}
    project.change(lambda r: r["parity"].update(known))
    project.change(lambda r: r["parity"].update(card), TORCH)
    caveats = differences(project)
    assert len(caveats) == bool(advantage)  # what one column alone reports is no difference
    for caveat in caveats:
        assert advantage in caveat.sentence
        assert bool(caveat.evidence["favours"]) == ("It favours" in caveat.sentence)


def test_an_attention_without_a_fused_kernel_is_like_one_that_is_written_out():
    unfused = {"attention": "sdpa", "attention_kernel": "none seen"}
    assert rank("attention", unfused, True) == rank("attention", {"attention": "einsum"}, True) == 0
    assert rank("attention", {"attention": "sdpa"}, True) is None


def test_times_that_say_otherwise_stand_beside_what_is_favoured_as_a_rule(tmp_path):
    # PyTorch takes longer than JAX, most of all in the second row
    project = quiet_project(tmp_path, rows=(ROW, ("bert", "predict", 16, 256)))
    project.change(partial(stretch, factor=2.0), TORCH, task="predict")
    for column, card in ((TORCH, "jit"), (JAX, "eager")):
        project.change(lambda r, c=card: r["parity"].update(execution=c), column)
    (caveat,) = differences(project)
    jax, torch = (cell.step_ms for cell in project.load().rows[1].cells)
    assert jax < torch and caveat.evidence["favours"] == []
    assert (
        "As a rule that favours jit / xla over eager / xla (an eager step pays Python for every "
        f"operation), but it does not decide here: BERT predict took {ms(jax)} ms in Keras 3 (JAX) "
        f"and {ms(torch)} ms in Keras 3 (PyTorch)." in caveat.sentence
    )


def test_on_a_processor_neither_compilers_nor_narrow_numbers_are_favoured(tmp_path):
    project = quiet_project(tmp_path)
    on_processor(project)
    card = {"execution": "graph", "compiler": "tf-graph", "dtype": "bfloat16", "threads": 4}
    project.change(lambda r: r["parity"].update(card), TORCH)
    sentences = {caveat.evidence["keys"][0]: caveat.sentence for caveat in differences(project)}
    assert "unknown" in sentences["execution"] and "unknown" in sentences["dtype"]
    assert "favours 4 over 2" in sentences["threads"]


CARDS = st.lists(st.sampled_from([None, "a", "b", "c"]), min_size=3, max_size=3)


@PROPERTY
@given(jax=CARDS, torch=CARDS)
def test_a_difference_has_a_caveat_iff_two_values_are_reported_in_a_row(tmp_path, jax, torch):
    """One value per run of both columns; what is not reported is no value."""
    project = quiet_project(tmp_path)
    for column, values in ((JAX, jax), (TORCH, torch)):
        for run, value in enumerate(values, start=1):
            project.change(lambda r, v=value: r["parity"].update(new_key=v), column, run=run)
    caveats = differences(project)
    assert bool(caveats) == (len(({*jax} | {*torch}) - {None}) > 1)
    for caveat in caveats:
        titles = {"Keras 3 (JAX)": {*jax}, "Keras 3 (PyTorch)": {*torch}}
        expected = {
            value or "not reported": [title for title, found in titles.items() if value in found]
            for value in {*jax} | {*torch}
        }
        assert caveat.evidence["keys"] == ["new_key"]
        assert caveat.evidence["values"] == expected
        for value, columns in expected.items():
            assert f"{value} in {' and '.join(columns)}" in caveat.sentence


def test_precision_is_that_of_all_products_unless_the_model_computes_in_half(tmp_path):
    project = quiet_project(tmp_path)
    project.change(lambda r: r["parity"].update(convolution_precision="float32"))
    parity(convolution_precision="tf32")(project)
    (caveat,) = differences(project)
    assert caveat.id == "precision_differs"
    assert "dtype, matmul precision and convolution precision" in caveat.sentence
    assert "favours float32 / float32 / tf32 over float32 (" in caveat.sentence
    project.change(lambda r: r["parity"].update(dtype="bfloat16"))
    assert differences(project) == []


def test_rows_that_differ_in_the_same_way_share_a_caveat(project):
    (caveat,) = found(project, "execution_differs")
    assert caveat.sentence.startswith("BERT fit and BERT predict: ")
    assert caveat.evidence["values"]["graph / tf-graph"] == ["Keras 2 (TensorFlow)"]


def test_an_entry_that_is_only_declared_says_so_wherever_it_is_compared(tmp_path):
    project = quiet_project(tmp_path)
    parity(attention="sdpa")(project)
    (caveat,) = collect(project.load())
    assert "eclared" not in caveat.sentence and caveat.evidence["declared"] == {}
    project.change(lambda r: r["parity"].update(declared="attention, threads"), JAX)
    (caveat,) = collect(project.load())
    assert "Declared, not read back: the attention of Keras 3 (JAX)." in caveat.sentence
    assert caveat.evidence["declared"] == {"attention": ["Keras 3 (JAX)"]}

    (row,) = project.load().rows
    cards = {cell.column.name: dict(card_of(cell)) for cell in row.measured}
    assert cards[JAX]["attention"] == "einsum (declared)"
    assert cards[JAX]["threads"] == "2 (declared)"
    assert cards[TORCH]["attention"] == "sdpa"
    assert "declared" not in cards[JAX]
    # The same value, declared here and read there, is no difference.
    lines = {line[0]: line[1:] for line in differing(row).lines}
    assert lines == {"attention": ("einsum (declared)", "sdpa")}


def test_what_the_profile_of_one_run_saw_is_no_difference_between_runs(tmp_path):
    """Only the first run of a cell is profiled; the cards of the others say what was asked for."""
    project = quiet_project(tmp_path)
    project.change(lambda r: r["parity"].update(attention="sdpa", declared="attention"))
    profile = {"share": 0.1, "method": "profiler", "steps": 3}

    def profiled(r):
        r.update(host_overhead=profile)
        r["parity"].update(attention_kernel="flash")
        del r["parity"]["declared"]

    project.change(profiled, run=1)
    results = project.load()
    assert collect(results) == []
    assert {record.parity["attention_kernel"] for record in results.records} == {"flash"}
    project.change(lambda r: r["parity"].update(attention="einsum"), TORCH, run=2)
    asked = [r.parity for r in project.load().records if r.parity["attention"] == "einsum"]
    assert "attention_kernel" not in asked[0] and asked[0]["declared"] == "attention"


def test_graphs_that_a_profile_saw_replace_none_that_were_read_back(tmp_path):
    project = quiet_project(tmp_path)
    profile = {"share": 0.1, "method": "profiler", "steps": 3}

    def profiled(r):
        r.update(host_overhead=profile)
        r["parity"].update(cuda_graphs=True)

    project.change(profiled, run=1)
    project.change(lambda r: r["parity"].update(cuda_graphs=False), TORCH, run=2)
    graphs = {(r.cell.column, r.cell.run): r.parity["cuda_graphs"] for r in project.load().records}
    assert graphs.pop((TORCH, 2)) is False
    assert set(graphs.values()) == {True}


@given(st.dictionaries(st.text(max_size=3), st.one_of(st.none(), st.integers(0, 3)), max_size=5))
def test_levels_hold_every_value_once_the_most_favoured_first(ranks):
    levels = favoured(ranks)
    if None in ranks.values() or len(set(ranks.values())) < 2:
        assert levels == []
    else:
        assert sorted(value for level in levels for value in level) == sorted(ranks)
        tops = [ranks[level[0]] for level in levels]
        assert tops == sorted(set(ranks.values()), reverse=True)


def test_an_entry_that_a_card_lacks_has_no_rank():
    assert {rank(key, {}, gpu) for key in [*ADVANTAGES, "kernels"] for gpu in (0, 1)} == {None}


CHANGED = "keras3-jax+changed"
CHANGES = {
    "thread_policies_differ": ("threads", 1, "threads", "requested", 1),
    "deployments_differ": ("interpreter", "/opt/python", "environment", "method", "interpreter"),
}


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize(
    ("others", "more", "told"),
    [
        ((JAX,), {}, None),
        ((JAX,), {"precision": "float32"}, {JAX, CHANGED}),
        ((JAX, "pytorch-eager"), {}, {CHANGED, "pytorch-eager"}),
    ],
)
def test_what_a_pair_is_made_for_is_no_caveat_of_it_alone(tmp_path, name, others, more, told):
    """Columns that differ in the setting that the caveat is about, or in more than that."""
    setting, value, section, key, changed = CHANGES[name]
    columns = (*others, CHANGED)
    plan = make_plan(columns=columns, rows=(("bert", "fit", 8, 32),))
    plan["columns"] = [
        make_column(c, **({setting: value, **more} if c == CHANGED else {})) for c in columns
    ]
    project = Project(tmp_path, plan)
    project.change(lambda r: r[section].update({key: changed}), column=CHANGED)
    of_columns = [{cell.column.name for cell in caveat.cells} for caveat in found(project, name)]
    assert of_columns == ([told] if told else [])


def test_xla_was_not_asked_for_where_the_published_script_asked_another_model(tmp_path):
    """SegmentAnything's predict on Keras 2: its script compiled the backbone and ran the whole."""
    rows = (("sam", "fit", 1, 1), ("sam", "predict", 4, 4))
    project = quiet_project(tmp_path, rows=rows, columns=("keras2-tensorflow", JAX))
    project.change(lambda r: r["parity"].update(jit_compile=True, jit_compile_auto=False))
    (caveat,) = found(project, "xla_as_published")
    told = {(cell.row.task, cell.column.name) for cell in caveat.cells}
    assert told == {("fit", "keras2-tensorflow"), ("fit", JAX), ("predict", JAX)}
