"""BERT: the same work and the same answers in every column."""

import numpy as np
import pytest

from measure.models.bert.work import per_step
from tests.models.libraries import KERAS, cell, run


def test_the_same_weights_give_the_same_logits(tmp_path):
    """Two layers in float32; logits within 1e-5 of their range."""
    native, *others = (
        cell("bert", framework, "predict", "smoke", batch_size=8, layers=2)
        for framework in ("pytorch-eager", *KERAS)
    )
    run("bert", native, "outputs", tmp_path, folder=tmp_path)
    logits = np.load(tmp_path / "pytorch.npy")
    assert logits.shape == (8, 2) and np.ptp(logits) > 0.1
    for one in others:
        run("bert", one, "outputs", tmp_path, folder=tmp_path)
        found = np.load(tmp_path / f"{one.framework}.npy")
        assert np.abs(found - logits).max() < 1e-5 * np.ptp(logits), one.framework


@pytest.mark.parametrize("task", ["fit", "predict"])
def test_work_is_what_pytorch_counts(task, tmp_path):
    one = cell("bert", "pytorch-eager", task, "smoke", batch_size=3)
    assert (
        run("bert", one, "flops", folder=tmp_path)
        == per_step(task, one.architecture, 3)["flops_per_step"]
    )
