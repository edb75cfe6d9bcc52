"""The inputs of a step, among the observed settings."""

from types import SimpleNamespace

import numpy as np
import pytest

from millistep.measure.conformance import WrongModel, check_batch
from millistep.measure.frameworks import Cell, loops
from millistep.measure.frameworks.pytorch_eager import Framework
from millistep.measure.models import plain


def test_a_card_lists_the_bytes_of_a_batch():
    batch = ({"ids": np.zeros((4, 8), np.int32)}, np.zeros(4, np.float32))
    found = loops.feeding("NumPy arrays", batch)
    assert found == {"feeding": "NumPy arrays", "fed_bytes_per_step": 4 * 8 * 4 + 4 * 4}


def test_native_pytorch_copies_from_pinned_memory_to_a_gpu_at_each_step():
    copies = []

    def tensor(array, in_pinned=False):
        return SimpleNamespace(
            nbytes=array.nbytes,
            pin_memory=lambda: tensor(array, True),
            is_pinned=lambda: in_pinned,
            _version=0,
            requires_grad=False,
            to=lambda device, non_blocking: copies.append((device, in_pinned, non_blocking)),
        )

    one = Cell("m", "predict", 4, "f", "f", "cuda", "default", {}, "random", seed=1, threads=1)
    framework = Framework(one)
    framework.torch = SimpleNamespace(from_numpy=tensor, inference_mode=lambda: lambda f: f)
    framework.models = SimpleNamespace(batch=lambda cell, size: {"x": np.ones((size, 2))})
    framework.device, framework.step_model = "cuda", lambda **inputs: None
    ticks = iter([False, False, False, True])
    framework.run_at(4, SimpleNamespace(start=lambda: None, tick=lambda: next(ticks)))
    assert copies == [("cuda", True, True)] * 3
    words = "tensors in pinned memory, copied in the step"
    assert framework.fed == {"feeding": words, "fed_bytes_per_step": 4 * 2 * 8}


def test_arrays_are_found_in_outputs_that_also_hold_other_things():
    cache = SimpleNamespace(keys=np.zeros(2), is_compileable=False, kind=SimpleNamespace, length=3)
    found = loops.leaves({"out": np.ones((2, 3)), "cache": cache})
    assert [array.shape for array in found] == [(2, 3), (2,)]


def test_a_number_that_json_lacks_is_kept_as_text():
    assert plain({"final_loss": float("nan"), "steps": 3}, "x") == {"final_loss": "nan", "steps": 3}


@pytest.mark.parametrize(
    "make",
    [
        lambda size: {"time_first": np.zeros((12, size, 8))},
        lambda size: {"nodes": np.zeros((30 * size, 8)), "edges": np.zeros((2, 90 * size))},
    ],
)
def test_samples_may_be_on_any_axis(make):
    check_batch(make(4), make, 4)


def test_a_batch_that_ignores_its_size_is_refused():
    images = {"image": np.zeros((32, 8, 8, 1))}  # with one channel, and a batch size of one
    words = r"the same shapes for batch sizes 1 and 2 \(\(32, 8, 8, 1\)\)"
    with pytest.raises(WrongModel, match=words):
        check_batch(images, lambda size: images, 1)
