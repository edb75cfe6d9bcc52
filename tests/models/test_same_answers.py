"""The same weights and inputs give the same answers in every column that builds a model; also on
the published benchmark's libraries if their environments are deployed, which no test does.
"""

import json

import numpy as np
import pytest

from measure.models.causal_lm.inputs import new_tokens, prompts
from planning.models import Models
from tests.models.libraries import KERAS, STACK, Task, Tasks, cell, is_deployed

OLD = "2024-03"
TEXT = {"program": "causal_lm", "task": "generate", "batch": 2, "layers": 2}
# Shape of the answers, and how far they may be apart: float32 sums in different orders.
CASES = {
    "bert": {"program": "bert", "task": "predict", "batch": 8, "layers": 2},
    "gemma": TEXT,
    "mistral": TEXT,
    "cifar100_cnn": {"program": "classifier", "task": "predict", "batch": 4},
    "sam": {"program": "vision", "task": "fit", "batch": 2},
    "stable_diffusion": {"program": "vision", "task": "fit", "batch": 2},
}
SHAPES = {"bert": (8, 2), "cifar100_cnn": (4, 20)}
SHAPES |= {"sam": (2, 8, 8, 32), "stable_diffusion": (2, 16, 16, 8)}
ALLOWED = {
    "bert": lambda expected: 1e-5 * np.ptp(expected),
    "gemma": lambda expected: 1e-4 * np.ptp(expected),
    "mistral": lambda expected: 1e-4 * np.ptp(expected),
    "cifar100_cnn": lambda expected: 1e-5,
    "sam": lambda expected: 1e-4 * expected.std(),
    # KerasCV's norms add 1e-5, Diffusers' 1e-6.
    "stable_diffusion": lambda expected: 1e-3 * expected.std(),
}
ONE_LIBRARY = ("keras3-tensorflow", "keras3-torch")  # models of Keras' own layers, as on JAX


def columns():
    for model in CASES:
        lacks = {e["column"] for e in Models([]).load(model).unsupported if "task" not in e}
        lacks |= {*ONE_LIBRARY} if model == "cifar100_cnn" else set()
        for framework in KERAS:
            if framework not in lacks:
                yield model, framework, STACK
    for framework in (*KERAS, "pytorch-eager"):
        for model in ("bert", "gemma", "mistral"):
            if (model, framework) != ("gemma", "keras2-tensorflow"):  # Keras 2 has none
                undeployed = not is_deployed(framework, OLD)
                reason = f"environments of {OLD} are deployed only where they are asked for"
                skipped = pytest.mark.skipif(undeployed, reason=reason)
                yield pytest.param(model, framework, OLD, marks=skipped)


COLUMNS = [*columns()]


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A folder for each model, for its weights and the columns' answers with them."""
    folder = tmp_path_factory.mktemp("home")
    for model in CASES:
        (folder / model).mkdir()
    return folder


@pytest.fixture(scope="module")
def answers(home):
    """Tasks that write into that folder: by model those of native PyTorch, by column the others."""

    def answering(model, framework, stack):
        about = {**CASES[model]}
        program, task, batch = (about.pop(name) for name in ("program", "task", "batch"))
        one = cell(model, framework, task, "smoke", batch_size=batch, **about)
        return Task(program, "outputs", one, home / model, stack)

    tasks = {model: answering(model, "pytorch-eager", STACK) for model in CASES}
    of_columns = [getattr(case, "values", case) for case in COLUMNS]
    return Tasks(tasks | {case: answering(*case) for case in of_columns}, home)


def words(folder, name):
    return [text.split() for text in json.loads((folder / f"{name}.json").read_text())]


@pytest.mark.parametrize(("model", "framework", "stack"), COLUMNS)
def test_the_same_weights_give_the_same_answers(home, answers, model, framework, stack):
    assert answers[model] is None and answers[model, framework, stack] is None
    folder = home / model
    expected = np.load(folder / "pytorch.npy")
    sizes = Models([]).load(model).architecture["smoke"]
    shape = SHAPES.get(model) or (2, sizes["sequence_length"], sizes["vocabulary_size"])
    assert expected.shape == shape and np.ptp(expected) > 0.1
    found = np.load(folder / f"{framework}.npy")
    assert found.shape == shape
    assert np.abs(found - expected).max() < ALLOWED[model](expected)
    if CASES[model] is TEXT:
        texts = words(folder, "pytorch")
        assert [text[:5] for text in texts] == [text.split() for text in prompts(2)]
        assert {len(text) for text in texts} == {5 + new_tokens(sizes)}
        assert words(folder, framework) == texts
