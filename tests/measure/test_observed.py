"""Observed settings: read back or declared, global switches that changed, the precision."""

import gc
import sys
import warnings
from collections import OrderedDict
from types import SimpleNamespace

import numpy as np
import pytest

from millistep.measure import observed, switches
from millistep.measure.frameworks import products
from millistep.measure.frameworks.keras import KerasFramework
from millistep.measure.frameworks.products import CHANNELS, KERNEL, SIZE
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


@pytest.fixture
def library(monkeypatch):
    """``library(name, **attributes)``: have a library imported that has these attributes alone."""
    monkeypatch.setattr(switches, "_before", {})

    def imported(name, **attributes):
        monkeypatch.setitem(sys.modules, name, SimpleNamespace(**attributes))
        return sys.modules[name]

    return imported


def test_a_switch_that_is_left_changed_is_an_observed_setting(library):
    anomalies = [False]
    quantized = SimpleNamespace(engine="x86")
    backends = SimpleNamespace(quantized=quantized)
    library("torch", is_anomaly_enabled=lambda: anomalies[0], backends=backends)
    switches.remember()
    assert observed.parity(framework(), {"images_per_step": 4})["global_switches"] == "none"
    anomalies[0] = True
    assert switches.changed() == "torch.is_anomaly_enabled = True"
    switches.remember()  # the import of another builder: the first one has changed it all the same
    quantized.engine = "qnnpack"
    found = observed.parity(framework(), {"images_per_step": 4})["global_switches"]
    assert found == "torch.is_anomaly_enabled = True, torch.backends.quantized.engine = qnnpack"


def test_switches_of_python_are_looked_at_too(library):
    switches.remember()
    gc.disable()
    try:
        assert switches.changed() == "gc.isenabled = False"
    finally:
        gc.enable()
    assert switches.changed() == "none"


def test_a_library_that_the_models_code_imports_computes_no_step(library):
    switches.remember()
    library("torch", is_anomaly_enabled=lambda: True)
    library("jax", config=SimpleNamespace(values={"jax_debug_nans": True}))
    assert switches.changed() == "none"


def test_objects_count_by_being_there(library):
    profiler = library("tensorflow.python.profiler.profiler_v2", _profiler=None)
    hooks = OrderedDict()  # as PyTorch has them
    module = SimpleNamespace(_has_any_global_hook=lambda: hooks)
    library("torch", nn=SimpleNamespace(modules=SimpleNamespace(module=module)))
    switches.remember()
    profiler._profiler, hooks[1] = object(), print
    assert switches.changed() == (
        "torch.nn.modules.module._has_any_global_hook = True, "
        "tensorflow.python.profiler.profiler_v2._profiler = True"
    )


def rounded(x, bits):
    """x with so many bits after the leading one."""
    return np.round(x * 2**bits) / 2**bits


@pytest.mark.parametrize("off", [0, 2**-15, -(2**-15)])  # more than by Winograd's way
@pytest.mark.parametrize(("bits", "name"), [(23, "float32"), (10, "tf32"), (7, "bfloat16")])
def test_the_bits_that_a_product_keeps_name_its_precision(bits, name, off):
    def product(left, ones):
        terms = SIZE if left.ndim == 2 else CHANNELS * KERNEL**2
        return rounded(left, bits) * ones.flat[0] * np.float32(terms) * (1 + off)

    found = products.used(product, product)
    assert found == {"matmul_precision": name, "convolution_precision": name}
