"""What columns of a row ran with: which differences are caveats, and what these name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from quiet_table import JAX, PROPERTY, TORCH, found, parity, quiet_project
from results_factory import Project, make_column, make_plan

from analysis.caveats import Severity, collect
from analysis.report.parity import card_of, differing


def differences(project):
    return [caveat for caveat in collect(project.load()) if "keys" in caveat.evidence]


FLASH = "scaled_dot_product_flash_attention_for_cpu"


@pytest.mark.parametrize(
    ("card", "jax", "torch"),
    [
        ({"execution": "eager"}, "jit / xla", "eager / xla"),
        ({"matmul_precision": "tf32"}, "float32", "float32 / tf32"),
        ({"dtype": "bfloat16"}, "float32", "bfloat16"),
        ({"attention": "flash_attention_2"}, "einsum", "flash_attention_2"),
        # the kernel that was seen to run beside it; a compiler may fuse what a model writes out
        ({"attention": "sdpa", "attention_kernel": FLASH}, "einsum", f"sdpa / {FLASH}"),
        ({"attention_kernel": FLASH}, "einsum", f"einsum / {FLASH}"),
        ({"flush_denormals": False}, "yes", "no"),
        ({"optimizer": "adamw with EMA"}, "adamw", "adamw with EMA"),
        ({"threads": 3}, "2", "3"),
        ({"device": "NVIDIA H200"}, "cpu", "NVIDIA H200"),
        ({"graph_breaks": 0}, "3", "0"),
        ({"cuda_graphs": True}, "no", "yes"),
        ({"metrics": "none"}, "loss", "none"),
        ({"prompt_positions": 6}, "50", "6"),
    ],
)
def test_a_difference_is_named_with_what_each_column_ran(quiet, card, jax, torch):
    known = {"graph_breaks": 3, "cuda_graphs": False, "metrics": "loss", "prompt_positions": 50}
    quiet.change(lambda r: r["parity"].update(known))
    quiet.change(lambda r: r["parity"].update(card), TORCH)
    (caveat,) = differences(quiet)
    assert f"({jax} in Keras 3 (JAX); {torch} in Keras 3 (PyTorch))" in caveat.sentence
    assert caveat.evidence["values"] == {jax: ["Keras 3 (JAX)"], torch: ["Keras 3 (PyTorch)"]}
    graver = {"execution": "execution", "matmul_precision": "precision", "dtype": "precision"}
    about = graver.get(next(iter(card)))
    assert caveat.id == f"{about or 'parity'}_differs"
    assert caveat.severity is (Severity.CRITICAL if about else Severity.WARNING)


def test_a_profile_that_saw_no_fused_attention_is_no_difference_to_none(quiet):
    quiet.change(lambda r: r["parity"].update(attention="none"))
    quiet.change(lambda r: r["parity"].update(attention_kernel="none seen"), TORCH)
    assert differences(quiet) == []


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


def test_precision_is_that_of_all_products_unless_the_model_computes_in_half(quiet):
    quiet.change(lambda r: r["parity"].update(convolution_precision="float32"))
    parity(convolution_precision="tf32")(quiet)
    (caveat,) = differences(quiet)
    assert caveat.id == "precision_differs"
    assert "dtype, matmul precision and convolution precision" in caveat.sentence
    assert "float32 / float32 / tf32 in Keras 3 (PyTorch)" in caveat.sentence
    quiet.change(lambda r: r["parity"].update(dtype="bfloat16"))
    assert differences(quiet) == []


def test_rows_that_differ_in_the_same_way_share_a_caveat(project):
    (caveat,) = found(project, "execution_differs")
    assert caveat.sentence.startswith("BERT fit and BERT predict: ")
    assert caveat.evidence["values"]["graph / tf-graph"] == ["Keras 2 (TensorFlow)"]


def test_an_entry_that_is_only_declared_says_so_wherever_it_is_compared(quiet):
    parity(attention="sdpa")(quiet)
    (caveat,) = collect(quiet.load())
    assert "eclared" not in caveat.sentence and caveat.evidence["declared"] == {}
    quiet.change(lambda r: r["parity"].update(declared="attention, threads"), JAX)
    (caveat,) = collect(quiet.load())
    assert "Declared, not read back: the attention of Keras 3 (JAX)." in caveat.sentence
    assert caveat.evidence["declared"] == {"attention": ["Keras 3 (JAX)"]}

    (row,) = quiet.load().rows
    cards = {cell.column.name: dict(card_of(cell)) for cell in row.measured}
    assert cards[JAX]["attention"] == "einsum (declared)"
    assert cards[JAX]["threads"] == "2 (declared)"
    assert cards[TORCH]["attention"] == "sdpa"
    assert "declared" not in cards[JAX]
    # The same value, declared here and read there, is no difference.
    lines = {line[0]: line[1:] for line in differing(row).lines}
    assert lines == {"attention": ("einsum (declared)", "sdpa")}


def test_a_layout_that_a_compiler_chooses_is_told_beside_keras_and_not_beside_eager(tmp_path):
    eager, compiled = "pytorch-eager", "pytorch-compiled"
    project = quiet_project(tmp_path, columns=(JAX, eager, compiled))
    own = {"image_data_format": "channels_first, within programs inductor's choice"}
    layouts = {JAX: {"image_data_format": "channels_last"}}
    layouts |= {eager: {"image_data_format": "channels_first"}}
    layouts |= {compiled: {**own, "declared": "image_data_format"}}
    for column, entries in layouts.items():
        project.change(lambda r, e=entries: r["parity"].update(e), column)
    (caveat,) = differences(project)
    assert caveat.sentence.endswith(
        "(channels_last in Keras 3 (JAX); channels_first in PyTorch (eager); channels_first, "
        "within programs inductor's choice in PyTorch (compiled)), so part of a difference may "
        "come from that. Declared, not read back: the image data format of PyTorch (compiled)."
    )
    project.change(lambda r: r["parity"].update(layouts[eager]), JAX)
    (caveat,) = differences(project)
    assert {cell.column.name for cell in caveat.cells} == {JAX, compiled}
    beside = quiet_project(tmp_path / "beside", columns=(eager, compiled))
    for column in (eager, compiled):
        beside.change(lambda r, e=layouts[column]: r["parity"].update(e), column)
    assert differences(beside) == []


def test_what_the_profile_of_one_run_saw_is_no_difference_between_runs(quiet):
    """Only the first run of a cell is profiled; the cards of the others say what was asked for."""
    quiet.change(lambda r: r["parity"].update(attention="sdpa", declared="attention"))
    profile = {"share": 0.1, "method": "profiler", "steps": 3}

    def profiled(r):
        r.update(host_overhead=profile)
        r["parity"].update(attention_kernel="flash")
        del r["parity"]["declared"]

    quiet.change(profiled, run=1)
    results = quiet.load()
    assert collect(results) == []
    assert {record.parity["attention_kernel"] for record in results.records} == {"flash"}
    quiet.change(lambda r: r["parity"].update(attention="einsum"), TORCH, run=2)
    asked = [r.parity for r in quiet.load().records if r.parity["attention"] == "einsum"]
    assert "attention_kernel" not in asked[0] and asked[0]["declared"] == "attention"


def test_graphs_that_a_profile_saw_replace_none_that_were_read_back(quiet):
    profile = {"share": 0.1, "method": "profiler", "steps": 3}

    def profiled(r):
        r.update(host_overhead=profile)
        r["parity"].update(cuda_graphs=True)

    quiet.change(profiled, run=1)
    quiet.change(lambda r: r["parity"].update(cuda_graphs=False), TORCH, run=2)
    graphs = {(r.cell.column, r.cell.run): r.parity["cuda_graphs"] for r in quiet.load().records}
    assert graphs.pop((TORCH, 2)) is False
    assert set(graphs.values()) == {True}


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


def test_what_was_compiled_for_the_page_and_what_was_not_are_told_apart(quiet):
    for column, ran in ((JAX, True), (TORCH, False)):
        card = {"jit_compile": ran, "jit_compile_auto": not ran}
        quiet.change(lambda r, card=card: r["parity"].update(card), column)
    sentences = [caveat.sentence for caveat in found(quiet, "xla_as_published")]
    assert [sentence.partition(", as ")[0] for sentence in sentences] == [
        "BERT fit: Keras 3 (JAX): steps were compiled",
        "BERT fit: Keras 3 (PyTorch): steps were not compiled",
    ]
