"""How steps are fed, seen for every column from what is handed over and when."""

from types import SimpleNamespace

import numpy as np
import pytest

from measure.frameworks import Cell, feeding
from measure.frameworks.native import NativeFramework

BATCH = ({"ids": np.zeros((4, 8), np.int32)}, np.zeros(4, np.float32))


def trainer(look_ahead, taken_at_begin):
    """Feed as a trainer does that asks for batches so many steps ahead, before or after "begin"."""
    feed = feeding.Feed(taken=int(taken_at_begin))
    handed = 0

    def take(step):
        nonlocal handed
        while handed <= step + look_ahead:
            feed.hands(handed)
            handed += 1

    feed.hands(0)  # a look at the first two batches, to build the model
    feed.hands(1)
    for step in range(6):
        if taken_at_begin:
            take(step)
        feed.begins(step)
        take(step)
    return feed


@pytest.mark.parametrize("taken_at_begin", [False, True])
@pytest.mark.parametrize("look_ahead", [0, 1, 8])
def test_batches_made_ahead_of_their_steps_are_noticed(look_ahead, taken_at_begin):
    assert trainer(look_ahead, taken_at_begin).ahead == look_ahead


def test_a_card_says_when_a_batch_is_copied_and_how_large_it_is():
    def told(accelerator, **how):
        return feeding.facts(accelerator, "NumPy arrays", BATCH, **how)

    assert told("cpu") == {"feeding": "NumPy arrays", "fed_bytes_per_step": 4 * 8 * 4 + 4 * 4}
    assert told("cpu", ahead=True)["feeding"] == "NumPy arrays, prefetched"
    assert told("cuda")["feeding"] == "NumPy arrays, copied in the step"
    ahead = told("cuda", ahead=True, copied_ahead=True)["feeding"]
    assert ahead == "NumPy arrays, prefetched, copied ahead of the step"


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
    framework = NativeFramework(one)
    framework.torch = SimpleNamespace(from_numpy=tensor, inference_mode=lambda: lambda f: f)
    framework.models = SimpleNamespace(batch=lambda cell, size: {"x": np.ones((size, 2))})
    framework.device, framework.step_model = accelerator, lambda **inputs: None
    ticks = iter([False, False, False, True])
    framework.run_at(4, SimpleNamespace(start=lambda: None, tick=lambda: next(ticks)))
    assert copies == [(accelerator, pinned, True)] * 3
    assert framework.fed == {"feeding": words, "fed_bytes_per_step": 4 * 2 * 8}
    framework.models.feed = lambda cell, images, classes: {"images": images}
    assert framework.prepared(np.ones((4, 2)), None)["images"].is_pinned() == pinned
