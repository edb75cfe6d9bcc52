"""The same weights and inputs give the same answers in every column that builds a model; also on
the published benchmark's libraries if their environments are deployed, which no test does.
"""

import json

import numpy as np
import pytest

from millistep.measure.models.causal_lm.work import new_tokens, prompts
from tests.models.libraries import KERAS, MODELS, STACK, cell, is_deployed, register, task_of

OLD = "2024-03"
NOT_DEPLOYED = f"environments of {OLD} are deployed only where they are asked for"
TEXT = {"batch_size": 2, "layers": 2}
VISION = {"batch_size": 2}
# What is built, the shape of the answers, and how far they may be apart, as a share of their spread
# or deviation: float32 sums in different orders.
CASES = {
    "bert predict": ({"batch_size": 8, "layers": 2}, (8, 2), 1e-5, np.ptp),
    "gemma generate": (TEXT, None, 1e-4, np.ptp),
    "mistral generate": (TEXT, None, 1e-4, np.ptp),
    "cifar100_cnn predict": ({"batch_size": 4}, (4, 20), 1e-5, lambda _: 1),
    "sam fit": (VISION, (2, 8, 8, 32), 1e-4, np.std),
    "sam predict": (VISION, (2, 3 * 32 * 32 + 3), 1e-4, np.std),
    # KerasCV's norms add 1e-5, Diffusers' 1e-6.
    "stable_diffusion fit": (VISION, (2, 16, 16, 8), 1e-3, np.std),
    "stable_diffusion predict": (VISION, (2, 16, 16, 4), 1e-4, np.std),
}
ONE_LIBRARY = ("keras3-tensorflow", "keras3-torch")  # models of Keras' own layers, as on JAX


def columns():
    for case in CASES:
        model = case.split()[0]
        lacks = {each.column for each in MODELS.load(model).unsupported if each.task is None}
        lacks |= {*ONE_LIBRARY} if model == "cifar100_cnn" else set()
        has = [framework for framework in KERAS if framework not in lacks]
        for framework in has:
            yield case, framework, STACK
        for framework in (*has, "pytorch-eager") if model in ("bert", "gemma", "mistral") else ():
            skipped = pytest.mark.skipif(not is_deployed(framework, OLD), reason=NOT_DEPLOYED)
            yield pytest.param(case, framework, OLD, marks=skipped)


COLUMNS = [*columns()]


def answering(case, framework, stack=STACK, after=None):
    """Write into the case's folder: native PyTorch its weights, and each column its answers."""
    model, task = case.split()
    one = cell(model, framework, task, **CASES[case][0])
    return task_of("outputs", one, case, stack, after)


register({case: answering(case, "pytorch-eager") for case in CASES})
for column in COLUMNS:
    key = getattr(column, "values", column)
    register({key: answering(*key, after=key[0])})


def words(folder, name):
    return [text.split() for text in json.loads((folder / f"{name}.json").read_text())]


@pytest.mark.parametrize(("case", "framework", "stack"), COLUMNS)
def test_the_same_weights_give_the_same_answers(told, case, framework, stack):
    assert told[case] is None and told[case, framework, stack] is None
    folder = told.home / case
    expected = np.load(folder / "pytorch.npy")
    sizes = MODELS.load(case.split()[0]).architecture["smoke"]
    about, shape, share, spread = CASES[case]
    shape = shape or (2, sizes["sequence_length"], sizes["vocabulary_size"])
    assert expected.shape == shape and np.ptp(expected) > 0.1
    found = np.load(folder / f"{framework}.npy")
    assert found.shape == shape
    assert np.abs(found - expected).max() < share * spread(expected)
    if about is TEXT:
        texts = words(folder, "pytorch")
        assert [text[:5] for text in texts] == [text.split() for text in prompts(2)]
        assert {len(text) for text in texts} == {5 + new_tokens(sizes)}
        assert words(folder, framework) == texts
