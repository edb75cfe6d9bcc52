"""The inputs of a step, among the observed settings."""

from types import SimpleNamespace

import numpy as np
import pytest

from millistep.measure.frameworks import Cell, loops
from millistep.measure.frameworks.pytorch_eager import Framework

BATCH = ({"ids": np.zeros((4, 8), np.int32)}, np.zeros(4, np.float32))


def test_a_card_lists_the_bytes_of_a_batch():
    found = loops.feeding("NumPy arrays", BATCH)
    assert found == {"feeding": "NumPy arrays", "fed_bytes_per_step": 4 * 8 * 4 + 4 * 4}


@pytest.mark.parametrize(
    ("accelerator", "pinned", "words"),
    [
        ("cuda", True, "tensors in pinned memory, copied in the step"),
        ("cpu", False, "tensors in pageable memory"),
    ],
)
def test_native_pytorch_copies_from_pinned_memory_to_a_gpu_at_each_step(accelerator, pinned, words):
    copies = []

    def tensor(array, in_pinned=False):
        return SimpleNamespace(
            nbytes=array.nbytes,
            pin_memory=lambda: tensor(array, True),
            is_pinned=lambda: in_pinned,
            to=lambda device, non_blocking: copies.append((device, in_pinned, non_blocking)),
        )

    one = Cell("m", "predict", 4, "f", "f", accelerator, "default", {}, "random", seed=1, threads=1)
    framework = Framework(one)
    framework.torch = SimpleNamespace(from_numpy=tensor, inference_mode=lambda: lambda f: f)
    framework.models = SimpleNamespace(batch=lambda cell, size: {"x": np.ones((size, 2))})
    framework.device, framework.step_model = accelerator, lambda **inputs: None
    ticks = iter([False, False, False, True])
    framework.run_at(4, SimpleNamespace(start=lambda: None, tick=lambda: next(ticks)))
    assert copies == [(accelerator, pinned, True)] * 3
    assert framework.fed == {"feeding": words, "fed_bytes_per_step": 4 * 2 * 8}
