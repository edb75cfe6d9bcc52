"""What a card says is what the live framework does, in every environment."""

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
    # On a processor Keras' TensorFlow trainer alone makes batches ahead of their steps.
    prefetched = framework == "keras3-tensorflow"
    assert card["feeding"] == ("host memory, prefetched" if prefetched else "host memory")
    # Three arrays of 4 x 32 tokens, in the integers of the library.
    assert card["fed_bytes_per_step"] == 3 * 4 * 32 * (8 if framework == "pytorch-eager" else 4)
    assert card["memory_fraction"] == (SHARE if framework == "keras3-jax" else None)


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
