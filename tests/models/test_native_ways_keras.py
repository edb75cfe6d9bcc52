"""Operations in Keras 3: every way on every backend gives what the reference gives."""

import numpy as np
import pytest

from measure.models.activation_net import inputs as net
from measure.models.aligner import inputs as aligner
from measure.native import reference
from tests.models.libraries import Task, Tasks, cell

WAYS = [
    (framework, way)
    for framework in ("keras3-tensorflow", "keras3-jax", "keras3-torch")
    for way in ("framework", "native", "callback")
] + [("keras3-jax", "naive")]  # the same source everywhere, with other flags
ROWS = [("aligner", "predict"), ("aligner", "fit"), ("telu_net", "fit"), ("snake_net", "fit")]


def first_loss(one):
    """Loss of a training before its first step, by NumPy."""
    if one.model == "aligner":
        return aligners_first_loss(one)
    *hidden, kernel, bias = net.initial_weights(one)
    operation = getattr(reference, one.architecture["activation"])
    x = net.inputs(one, one.batch_size)
    for before, shift in zip(hidden[::2], hidden[1::2], strict=True):
        x = operation(x @ before + shift, *net.parameters(one))
    return np.square(x @ kernel + bias - net.targets(one, one.batch_size)).mean()


def aligners_first_loss(one):
    embedding, *dense = aligner.initial_weights(one)
    mu = encoded(embedding[aligner.text(one, one.batch_size)], dense[:4])
    z = encoded(aligner.speech(one, one.batch_size), dense[4:])
    value = -np.square(z[:, :, None] - mu[:, None]).sum(3) / 2
    path = reference.mas(value)
    return np.square(z - np.take_along_axis(mu, path[:, :, None], axis=1)).mean()


def encoded(x, weights):
    kernel, bias, last, shift = weights
    return np.maximum(x @ kernel + bias, 0) @ last + shift


@pytest.mark.parametrize(("framework", "way"), WAYS)
def test_every_way_gives_what_the_reference_gives(framework, way, tmp_path):
    cells = [cell(model, framework, task, "smoke", 3, way=way) for model, task in ROWS]
    tasks = Tasks({n: Task("native_ways", "tell", one) for n, one in enumerate(cells)}, tmp_path)
    told = [tasks[number] for number in range(len(cells))]
    search, *trained = told
    expected = reference.mas(aligner.operand(cells[0]))
    assert search["paths"] == expected.tolist()
    assert search["late_ns"] == 0
    assert [found["uses"] for found in told] == [1, 1, 3, 3]
    for one, found in zip(cells, told, strict=True):
        exact = one.model == "aligner"
        assert set(found["outputs"]) == ({"output"} if exact else {"output", "gradient"})
        assert max(found["outputs"].values()) <= (0 if exact else 1e-5)
        assert found["dtype"] == "float32"
        assert found["lines"] > 0
        # XLA takes no operator of ours from TensorFlow, and torch is not compiled unless asked for.
        own = framework == "keras3-tensorflow" and way != "framework"
        assert found["jit_compile"] is (framework != "keras3-torch" and not own)
        check_build(found["built"], way)
    for one, found in zip(cells[1:], trained, strict=True):
        losses = np.array(found[way])
        assert losses.shape == (10,)
        assert losses[0] == pytest.approx(first_loss(one), rel=1e-5)
        assert losses[-1] < losses[0]
        assert losses == pytest.approx(found["framework"], rel=1e-4)


def check_build(built, way):
    """Check that the framework's own way has no build, and only the naive one plain flags."""
    assert (built is None) is (way == "framework")
    if built:
        assert built["build_s"] > 0 and built["lines"] > 0
        assert ("-ffast-math" in built["compile_flags"]) is (way != "naive")
        assert "-O3" in built["compile_flags"]
        assert "-ffast-math" not in built["link_flags"]
