"""Which value of a difference is favoured: named where physics decides, unknown elsewhere."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from quiet_table import JAX, TORCH, on_processor, parity, quiet_project

from analysis.caveats import collect
from analysis.caveats.advantages import ADVANTAGES, favoured, rank
from analysis.formats.text import ms


@pytest.mark.parametrize(
    ("key", "value", "advantage"),
    [
        ("execution", "eager", "favours jit / xla over eager / xla"),
        ("matmul_precision", "tf32", "favours float32 / tf32 over float32"),
        ("dtype", "bfloat16", "favours bfloat16 over float32"),
        ("attention", "flash_attention_2", "favours flash_attention_2 over einsum"),
        ("attention", "sdpa", "unknown"),
        ("attention", "keras.ops.dot_product_attention", "unknown"),
        ("flush_denormals", False, "favours yes over no"),
        ("optimizer", "adamw with EMA", "favours adamw over adamw with EMA"),
        ("optimizer", "sgd", "unknown"),
        ("threads", 3, "unknown"),
        ("device", "NVIDIA H200", "unknown"),
        ("image_data_format", "channels_first", ""),
    ],
)
def test_the_favoured_value_of_a_difference_on_a_gpu(tmp_path, key, value, advantage):
    project = quiet_project(tmp_path)
    parity(key, value)(project)
    caveats = [caveat for caveat in collect(project.load()) if "keys" in caveat.evidence]
    assert len(caveats) == bool(advantage)  # what one column alone reports is no difference
    for caveat in caveats:
        assert advantage in caveat.sentence
        assert bool(caveat.evidence["favours"]) == ("It favours" in caveat.sentence)


def test_times_that_say_otherwise_stand_beside_what_is_favoured_as_a_rule(tmp_path):
    project = quiet_project(tmp_path)  # PyTorch takes longer than JAX
    for column, card in ((TORCH, "eager"), (JAX, "jit")):
        project.change(lambda r, c=card: r["parity"].update(execution=c), column)
    (caveat,) = [found for found in collect(project.load()) if "keys" in found.evidence]
    assert "It favours jit / xla over eager / xla (an eager step" in caveat.sentence
    for column, card in ((TORCH, "jit"), (JAX, "eager")):
        project.change(lambda r, c=card: r["parity"].update(execution=c), column)
    (caveat,) = [found for found in collect(project.load()) if "keys" in found.evidence]
    assert "It favours" not in caveat.sentence
    jax, torch = (cell.step_ms for cell in project.load().rows[0].cells)
    assert jax < torch
    assert (
        "As a rule that favours jit / xla over eager / xla (an eager step pays Python for every "
        f"operation), but it does not decide here: BERT fit took {ms(jax)} ms in Keras 3 (JAX) and "
        f"{ms(torch)} ms in Keras 3 (PyTorch)." in caveat.sentence
    )


def test_on_a_processor_neither_compilers_nor_narrow_numbers_are_favoured(tmp_path):
    project = quiet_project(tmp_path)
    on_processor(project)
    project.change(lambda r: r["parity"].update(execution="graph", compiler="tf-graph"), TORCH)
    parity("dtype", "bfloat16")(project)
    parity("threads", 4)(project)
    sentences = {c.evidence["keys"][0]: c.sentence for c in collect(project.load()) if c.cells}
    assert "unknown" in sentences["execution"] and "unknown" in sentences["dtype"]
    assert "favours 4 over 2" in sentences["threads"]


@pytest.mark.parametrize(
    ("kernel", "favours"),
    [
        ("scaled_dot_product_flash_attention_for_cpu", True),
        ("scaled_dot_product_cudnn_attention", True),
        ("scaled_dot_product_attention_math", False),  # dropout in training, on a processor
        (None, False),
    ],
)
def test_attention_is_fused_where_a_fused_kernel_was_seen_to_run(tmp_path, kernel, favours):
    project = quiet_project(tmp_path)
    card = {"attention": "sdpa", "attention_kernel": kernel}
    project.change(lambda r: r["parity"].update(card), TORCH)
    (caveat,) = [c for c in collect(project.load()) if "keys" in c.evidence]
    assert caveat.evidence["keys"] == ["attention", "attention_kernel"]
    assert (f"favours sdpa / {kernel} over einsum (" in caveat.sentence) == favours
    assert ("unknown" in caveat.sentence) != favours


def test_a_compiler_that_fuses_what_the_model_writes_out_is_favoured(tmp_path):
    project = quiet_project(tmp_path)
    kernel = "scaled_dot_product_flash_attention_for_cpu"
    parity("attention_kernel", kernel)(project)
    (caveat,) = [c for c in collect(project.load()) if "keys" in c.evidence]
    assert f"favours einsum / {kernel} over einsum (" in caveat.sentence


CARDS = st.lists(st.sampled_from([None, "a", "b", "c"]), min_size=3, max_size=3)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(jax=CARDS, torch=CARDS)
def test_a_difference_has_a_caveat_iff_two_values_are_reported_in_a_row(tmp_path, jax, torch):
    """One value per run of both columns; what is not reported is no value."""
    project = quiet_project(tmp_path)
    for column, values in ((JAX, jax), (TORCH, torch)):
        for run, value in enumerate(values, start=1):
            project.change(lambda r, v=value: r["parity"].update(new_key=v), column, run=run)
    caveats = [c for c in collect(project.load()) if c.evidence.get("keys") == ["new_key"]]
    assert bool(caveats) == (len(({*jax} | {*torch}) - {None}) > 1)
    for caveat in caveats:
        titles = {"Keras 3 (JAX)": {*jax}, "Keras 3 (PyTorch)": {*torch}}
        expected = {
            value or "not reported": [title for title, found in titles.items() if value in found]
            for value in {*jax} | {*torch}
        }
        assert caveat.evidence["values"] == expected
        for value, columns in expected.items():
            assert f"{value} in {' and '.join(columns)}" in caveat.sentence
        assert "It is unknown which column this favours." in caveat.sentence


def test_convolutions_in_tf32_are_a_difference_of_precision(tmp_path):
    project = quiet_project(tmp_path)
    project.change(lambda r: r["parity"].update(convolution_precision="float32"))
    parity("convolution_precision", "tf32")(project)
    (caveat,) = [c for c in collect(project.load()) if "keys" in c.evidence]
    assert caveat.id == "precision_differs"
    assert "dtype, matmul precision and convolution precision" in caveat.sentence
    assert "favours float32 / float32 / tf32 over float32 (" in caveat.sentence


def test_float32_products_are_of_no_account_to_a_model_in_bfloat16(tmp_path):
    project = quiet_project(tmp_path)
    project.change(lambda r: r["parity"].update(dtype="bfloat16"))
    parity("matmul_precision", "tf32")(project)
    assert [c for c in collect(project.load()) if "keys" in c.evidence] == []


@given(st.dictionaries(st.text(max_size=3), st.one_of(st.none(), st.integers(0, 3)), max_size=5))
def test_levels_hold_every_value_once_the_most_favoured_first(ranks):
    levels = favoured(ranks)
    if None in ranks.values() or len(set(ranks.values())) < 2:
        assert levels == []
    else:
        assert sorted(value for level in levels for value in level) == sorted(ranks)
        tops = [ranks[level[0]] for level in levels]
        assert tops == sorted(set(ranks.values()), reverse=True)


@pytest.mark.parametrize("key", [*ADVANTAGES, "kernels"])
@pytest.mark.parametrize("gpu", [True, False])
def test_an_entry_that_a_card_lacks_has_no_rank(key, gpu):
    assert rank(key, {}, gpu) is None
