"""Which of the observed settings were read back, and which were only declared."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest

from millistep.measure import observed
from millistep.measure.frameworks import products
from millistep.measure.frameworks.keras import KerasFramework
from millistep.measure.operations import attention_operators

FLASH = "scaled_dot_product_flash_attention"
READ = {"attention": "matmul", "threads": 2, "flush_denormals": None}


def framework(fed=None, **changes):
    return SimpleNamespace(
        cell=SimpleNamespace(accelerator="cpu"),
        parity=lambda: {**READ, **changes},
        precision=lambda: {"matmul_precision": "float32", "convolution_precision": "float32"},
        declared={"threads", "attention"},
        convolves=False,
        fed_batch=fed,
    )


def test_settings_that_were_not_read_back_are_declared():
    found = observed.parity(framework(), {"images_per_step": 4})
    assert found["declared"] == "attention, threads"
    found = observed.parity(framework(threads=None), {"images_per_step": None})
    assert found["declared"] == "attention"
    assert "convolution_precision" not in found


def test_floats_are_listed_as_they_are_fed():
    floats, labels = np.ones((2, 3)), np.ones(2, int)
    fed = ({"x": floats.T, "y": [np.ones(2, "float32")]}, labels, None)
    found = observed.parity(framework(fed), {"images_per_step": None})
    assert found["input_dtype"] == "float32, float64 in views"
    assert observed.parity(framework((labels,)), {"images_per_step": None})["input_dtype"] is None


@pytest.mark.parametrize(
    ("attention", "kernels", "declared", "kernel"),
    [
        ("sdpa", [FLASH], None, FLASH),
        ("matmul", [FLASH], None, FLASH),  # a compiler fused it
        ("matmul", [], None, "none seen"),
        ("sdpa", [], "attention", "none seen"),  # the profile shows no such kernel
    ],
)
def test_a_profile_settles_what_was_only_declared(attention, kernels, declared, kernel):
    before = {**READ, "attention": attention, "declared": "attention"}
    after = observed.with_profile(before, kernels, graphs=False)
    assert after.get("declared") == declared
    assert after["attention_kernel"] == kernel
    kept = observed.with_profile({**before, "declared": "attention, threads"}, kernels, False)
    assert "threads" in kept["declared"]


@pytest.mark.parametrize(
    ("task", "loop", "kept"),
    [("predict", None, True), ("predict", print, False), ("fit", None, False)],
)
def test_a_peak_says_if_keras_keeps_the_outputs_of_all_steps(task, loop, kept):
    """Its trainer's ``predict`` does; a loop of the model's own does not."""
    column = SimpleNamespace(
        cell=SimpleNamespace(task=task, batch_size=4),
        own_loop=loop,
        peak_device_mib=lambda: 3.0,
        peak_device_counts="tensors",
    )
    column.keeps_outputs = lambda: KerasFramework.keeps_outputs(column)
    counts = observed.peak_device(column)["peak_device_counts"]
    assert counts == ("tensors; " + observed.OUTPUTS if kept else "tensors")


def test_attention_that_pytorch_writes_out_is_no_fused_kernel():
    ran = {"aten::scaled_dot_product_attention", "aten::_scaled_dot_product_attention_math"}
    assert attention_operators({*ran, "aten::bmm"}) == set()
    kernels = {f"aten::_{FLASH}_for_cpu", f"aten::_{FLASH}_for_cpu_backward"}
    assert attention_operators(ran | kernels) == {f"{FLASH}_for_cpu"}


def test_what_a_forward_pass_of_our_own_warns_of_is_no_warning_of_the_run(recwarn):
    def inspected():
        warnings.warn("none of the inputs have gradients", stacklevel=2)
        return [products.Product("bfloat16", (2, 2, 2))]

    column = SimpleNamespace(products=inspected, declared=set())
    assert products.dtype(column, "float32") == "bfloat16"
    assert not recwarn
