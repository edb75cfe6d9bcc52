"""Observed settings are those of the live framework. Cells at smoke scale: see tests/pipeline."""

from itertools import product

import numpy as np
import pytest

from millistep.analysis.same_work import difference
from millistep.measure.device import SHARE
from millistep.measure.frameworks.products import flushed
from tests.models.libraries import KERAS, Task, cell, register, run


def reading(does, framework="pytorch-eager", task="fit", model="bert", batch_size=4, **changed):
    one = cell(model, framework, task, batch_size=batch_size, **changed)
    return Task("read_back", does, one)


def in_bfloat16(framework):
    one = cell("mistral", framework, "generate", dtype="bfloat16")
    return Task("causal_lm", "dtype", one)


def with_adapters(framework):
    return reading("observed_settings", framework, "fit", "gemma", 2, dtype="bfloat16")


WORKING = [*product([*KERAS, "pytorch-eager"], ["fit", "predict"])]
LOOPING = [
    ("keras3-jax", "generate", "mistral"),
    ("pytorch-eager", "generate", "mistral"),
    ("pytorch-eager", "predict", "stable_diffusion"),
]
GENERATED = ("keras2-tensorflow", "keras3-jax")
ADAPTED = ("keras3-jax", "pytorch-eager")
JAX, TENSORFLOW = ("keras3-jax", "predict"), ("keras3-tensorflow", "predict")
TASKS = {
    "share": reading("memory_fraction", *JAX),
    "auto": reading("observed_settings", *TENSORFLOW, jit_compile="auto"),
    # A step whose outputs take long: a fence that misses them is seen to.
    "no jit": reading("waits_for_outputs", *JAX, batch_size=256, jit_compile=False),
    **{name: in_bfloat16(name) for name in GENERATED},
    **{f"{name} with adapters": with_adapters(name) for name in ADAPTED},
    # Dropout of Keras 2 depends on what the process made before; base and patch are two processes.
    **{case: reading("work_done", *case, dropout=0.0) for case in WORKING},
    **{case: reading("loop_done", *case, batch_size=2) for case in LOOPING},
    "profile": reading("profile"),
    "allocated": reading("allocated", dropout=0.0),
    "update of matrices": reading("update_of_matrices"),
    "switches of PyTorch": reading("switches_left"),
    "switches of TensorFlow": reading("switches_of_tensorflow_left", *TENSORFLOW),
    "switches of JAX": reading("switches_of_jax_left", *JAX),
    "images": reading("images_of_other_axes"),
    "16 bits": reading("changes_in_16_bits"),
}
register(TASKS)


def test_denormal_numbers_are_looked_at_bit_by_bit():
    assert not flushed(lambda x: x * np.float32(0.5))  # NumPy keeps them
    assert flushed(lambda x: np.zeros_like(x))

    def by_some_threads_only(x):
        return np.where(np.arange(x.size) < x.size // 2, np.float32(0), x)

    assert not flushed(by_some_threads_only)


def test_jax_takes_its_share_of_a_devices_memory(told):
    assert told["share"] == SHARE


def test_a_fence_on_jax_waits_for_outputs_that_no_program_computes_with_the_state(told):
    assert told["no jit"]


def test_without_a_gpu_keras_own_choice_on_tensorflow_is_no_xla(told):
    assert (told["auto"]["jit_compile"], told["auto"]["jit_compile_auto"]) == (False, False)


@pytest.mark.parametrize("framework", GENERATED)
def test_the_observed_dtype_of_a_bfloat16_model_is_bfloat16(framework, told):
    """The model's layers compute in it, whatever the policy of the process is."""
    assert told[framework] == "bfloat16"


def test_adapters_of_a_bfloat16_model_are_float32_by_themselves_in_keras_and_in_peft(told):
    observed = [told[f"{name} with adapters"] for name in ADAPTED]
    assert {(one["dtype"], one["adapter_dtype"]) for one in observed} == {("bfloat16", "float32")}


def test_of_the_real_profilers_events_operators_with_a_kernel_compute_and_nothing_else(told):
    """Ranges, views, allocations and operators that are written in others do not count."""
    found = told["profile"]
    assert found["as_pytorch_has_them"]
    assert "Optimizer.step#AdamW.step" in found["annotations"]
    assert found["computing"] == found["events"] - found["named"]
    nothing = {"view", "t", "transpose", "expand", "empty", "resolve_conj", "linear", "layer_norm"}
    something = {"mm", "addmm", "bmm", "native_layer_norm", "copy_", "gelu", "add_", "mul_"}
    assert {f"aten::{name}" for name in nothing} <= {*found["nothing"]}
    assert {f"aten::{name}" for name in something} <= {*found["something"]}


@pytest.mark.parametrize(("framework", "task"), WORKING)
def test_a_regression_check_finds_equal_results_of_equal_versions(framework, task, told):
    first, again, other, counted = told[framework, task]
    assert first["kind"] == ("losses" if task == "fit" else "outputs")
    assert len(first["values"]) >= 10 and None not in first["values"]
    assert difference(first["values"], again["values"]) < 1e-5
    assert difference(first["values"], other["values"]) > 1e-2
    assert first["call_ms"] > 0.5 * first["step_ms"] > 0
    assert counted["per_step"] > 1 and counted["functions"][0]["per_step"] >= 1


@pytest.mark.parametrize(("framework", "task", "model"), LOOPING)
def test_a_regression_check_compares_the_outputs_of_a_loop(framework, task, model, told):
    first, again, other = told[framework, task, model]
    assert first["kind"] == ("tokens" if task == "generate" else "outputs")
    assert first["call_ms"] is first["step_ms"] is None and len(first["values"]) > 30
    assert difference(first["values"], again["values"]) < 1e-6
    assert difference(first["values"], other["values"]) > 1e-2


@pytest.mark.parametrize("framework", ["pytorch-eager", "keras3-jax"])
def test_two_processes_allocate_as_many_bytes_in_a_step(framework, told, tmp_path):
    """JAX counts in a process that has no other step's program."""

    def counted():
        one = cell("bert", framework, "fit", batch_size=4, dropout=0.0)
        return run("read_back", one, "allocated", folder=tmp_path)

    native = framework == "pytorch-eager"
    first, again = told["allocated"] if native else counted(), counted()
    assert first == again and first[0] > 1e6
    if native:
        assert first[1] == first[0] + 4 * 64 * 1024


SWITCHES = {
    "switches of PyTorch": [
        "torch.is_anomaly_enabled = True",
        "torch._C._len_torch_function_stack = 1",
        "torch.autograd._profiler_enabled = True",
        "torch.backends.cudnn.deterministic = True",
        "none",
    ],
    "switches of TensorFlow": [
        "tensorflow.python.framework.config.is_op_determinism_enabled = True",
        "tensorflow.python.eager.context._context._thread_local_data.op_callbacks = True",
        "tensorflow.config.optimizer.get_jit = autoclustering",
        "'auto_mixed_precision': True",
    ],
    "switches of JAX": ["jax_debug_nans = True", "none"],
}


@pytest.mark.parametrize("library", SWITCHES)
def test_a_switch_that_code_leaves_on_is_read_from_the_library(library, told):
    for expected, found in zip(SWITCHES[library], told[library], strict=True):
        assert expected in found
    assert library != "switches of JAX" or "log" not in told[library][0]


def test_images_whose_axes_are_moved_have_their_channels_last(told):
    assert told["images"] == ["channels_first", "channels_last"]


def test_how_an_optimizer_updates_is_found_of_one_that_takes_matrices_alone(told):
    assert told["update of matrices"] == "for-loop"


def test_a_training_in_16_bits_is_seen_to_change_weights_although_its_scales_stay(told):
    assert told["16 bits"] == {"scales": False, "norms": True}
