"""The same weights give the same answers on the published benchmark's libraries as on today's.

Where somebody has deployed their environments: no test does.
"""

import json

import numpy as np
import pytest

from tests.models.libraries import KERAS, cell, is_deployed, run

STACK = "2024-03"
COLUMNS = [name for name in (*KERAS, "pytorch-eager") if is_deployed(name, STACK)]
pytestmark = pytest.mark.skipif(
    not COLUMNS, reason=f"environments of {STACK} are deployed only where they are asked for"
)


@pytest.mark.parametrize("framework", COLUMNS)
def test_bert_gives_the_same_logits(framework, tmp_path):
    """Within 1e-5 of their range, as today's columns among each other."""
    native = cell("bert", "pytorch-eager", "predict", "smoke", batch_size=8, layers=2)
    run("bert", native, "outputs", tmp_path, folder=tmp_path)
    logits = np.load(tmp_path / "pytorch.npy")
    one = cell("bert", framework, "predict", "smoke", batch_size=8, layers=2)
    run("bert", one, "outputs", tmp_path, folder=tmp_path, stack=STACK)
    found = np.load(tmp_path / f"{framework}.npy")
    assert np.abs(found - logits).max() < 1e-5 * np.ptp(logits)


@pytest.mark.parametrize(
    ("model", "framework"),
    [
        (model, framework)
        for model in ("gemma", "mistral")
        for framework in COLUMNS
        if (model, framework) != ("gemma", "keras2-tensorflow")  # Keras 2 has none
    ],
)
def test_a_language_model_gives_the_same_logits_and_the_same_text(model, framework, tmp_path):
    """Within 1e-4 of their range, as today's columns among each other."""
    native = cell(model, "pytorch-eager", "generate", "smoke", batch_size=2, layers=2)
    run("causal_lm", native, "outputs", tmp_path, folder=tmp_path)
    logits = np.load(tmp_path / "pytorch.npy")
    texts = json.loads((tmp_path / "pytorch.json").read_text())
    one = cell(model, framework, "generate", "smoke", batch_size=2, layers=2)
    run("causal_lm", one, "outputs", tmp_path, folder=tmp_path, stack=STACK)
    found = np.load(tmp_path / f"{framework}.npy")
    assert np.abs(found - logits).max() < 1e-4 * np.ptp(logits)
    found = json.loads((tmp_path / f"{framework}.json").read_text())
    assert [text.split() for text in found] == [text.split() for text in texts]
