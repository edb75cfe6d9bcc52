"""What a card says is what the live framework does, in every environment."""

from dataclasses import replace

import numpy as np
import pytest

from measure.device_memory import SHARE
from measure.frameworks.denormals import flushed
from tests.models.libraries import KERAS, cell, run

TORCH = ("pytorch-eager", "keras3-torch")


def test_denormal_numbers_are_looked_at_bit_by_bit():
    assert not flushed(lambda x: x * np.float32(0.5))  # NumPy keeps them
    assert flushed(lambda x: np.zeros_like(x))

    def by_some_threads_only(x):
        return np.where(np.arange(x.size) < x.size // 2, np.float32(0), x)

    assert not flushed(by_some_threads_only)


@pytest.mark.parametrize("framework", ["pytorch-eager", *KERAS])
def test_denormals_threads_and_feeding_are_those_of_the_steps(framework, tmp_path):
    one = cell("bert", framework, "predict", "smoke", batch_size=4)
    card = run("read_back", one, "card", folder=tmp_path)
    assert card["flush_denormals"] is True
    assert card["threads"] == 1
    declared = {"attention"}
    if framework.endswith("tensorflow") and card["execution"] == "graph":
        declared.add("threads")  # its pool has no name to be counted by
    assert set(card["declared"].split(", ")) == declared
    kinds = {"keras2-tensorflow": "tf.data tensors", "keras3-tensorflow": "tf.data tensors"}
    kinds["pytorch-eager"] = "tensors in pageable memory"
    assert card["feeding"] == kinds.get(framework, "NumPy arrays")
    # Three arrays of 4 x 32 tokens, in the integers of the library.
    assert card["fed_bytes_per_step"] == 3 * 4 * 32 * (8 if framework == "pytorch-eager" else 4)
    assert card["memory_fraction"] == (SHARE if framework == "keras3-jax" else None)


@pytest.mark.parametrize(
    ("framework", "settings", "update"),
    [
        ("pytorch-eager", {}, "for-loop, eager"),
        ("pytorch-eager", {"optimizer": "foreach"}, "foreach, eager"),
        ("pytorch-eager", {"optimizer": "fused"}, "fused, eager"),
        ("keras3-torch", {}, "foreach, eager"),
        ("keras3-jax", {}, "in the step's program"),
        ("keras2-tensorflow", {}, "in the step's program"),
    ],
)
def test_how_parameters_are_updated_is_what_an_update_does(framework, settings, update, tmp_path):
    one = replace(cell("bert", framework, "fit", "smoke", batch_size=4), **settings)
    card = run("read_back", one, "card", folder=tmp_path)
    assert card["optimizer_update"] == update
    assert card["optimizer"] == "AdamW"


@pytest.mark.parametrize(
    ("model", "task", "left"),
    [
        ("bert", "fit", "AdamW"),
        ("bert", "predict", "nothing"),
        ("sam", "predict", "PromptEncoder, PositionEmbeddingRandom"),
        ("gemma", "generate", "GemmaForCausalLM (1 of 14 calls)"),
        ("stable_diffusion", "predict", "nothing"),  # its loop is left by an exception
    ],
)
def test_what_a_compiled_step_leaves_eager_is_named(model, task, left, tmp_path):
    one = cell(model, "pytorch-compiled", task, "smoke", batch_size=2)
    card = run("read_back", one, "card", folder=tmp_path)
    assert (card["execution"], card["left_eager"]) == ("jit", left)
    if task == "generate":
        assert card["cache"].startswith("static, ")
        assert card["compiled_by"] == "_compile_all_devices"


@pytest.mark.parametrize(
    ("framework", "cache"),
    [
        ("keras2-tensorflow", "static, 20 positions"),
        ("keras3-jax", "static, 20 positions"),
        ("keras3-torch", "static, 20 positions"),
        ("pytorch-eager", "grows with its tokens"),
    ],
)
def test_the_cache_of_generation_is_looked_at(framework, cache, tmp_path):
    one = cell("mistral", framework, "generate", "smoke", batch_size=2)
    card = run("read_back", one, "card", folder=tmp_path)
    assert card["cache"] == cache
    ours = "WordPreprocessor of Millistep"
    assert card["tokenizer"] == (ours if framework == "keras2-tensorflow" else "the library's own")


@pytest.mark.parametrize(("asked", "jit"), [("published", True), ("auto", False), (True, True)])
def test_without_a_gpu_keras_own_choice_on_tensorflow_is_no_xla(asked, jit, tmp_path):
    one = replace(cell("bert", "keras3-tensorflow", "predict", "smoke"), jit_compile=asked)
    card = run("read_back", one, "card", folder=tmp_path)
    assert (card["jit_compile"], card["jit_compile_auto"]) == (jit, False)


@pytest.mark.parametrize("framework", TORCH)
def test_denormals_that_are_kept_are_not_said_to_be_flushed(framework, tmp_path):
    one = cell("bert", framework, "predict", "smoke", batch_size=4)
    assert run("read_back", one, "unflushed", folder=tmp_path)["flush_denormals"] is False


def test_the_real_profilers_ranges_count_as_no_computing(tmp_path):
    one = cell("bert", "pytorch-eager", "fit", "smoke", batch_size=4)
    found = run("read_back", one, "profile", folder=tmp_path)
    assert found["as_pytorch_has_them"]
    assert "Optimizer.step#AdamW.step" in found["annotations"]
    assert found["computing"] == found["events"] - found["named"]


def test_the_dispatcher_tells_which_operators_compute_nothing(tmp_path):
    """Views, room for numbers, and what is written in others; nothing that has a kernel."""
    one = cell("bert", "pytorch-eager", "fit", "smoke", batch_size=4)
    found = run("read_back", one, "profile", folder=tmp_path)
    nothing = {"view", "t", "transpose", "expand", "empty", "resolve_conj", "linear", "layer_norm"}
    something = {"mm", "addmm", "bmm", "native_layer_norm", "copy_", "gelu", "add_", "mul_"}
    assert {f"aten::{name}" for name in nothing} <= {*found["nothing"]}
    assert {f"aten::{name}" for name in something} <= {*found["something"]}
