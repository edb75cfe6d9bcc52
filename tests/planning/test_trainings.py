"""Trainings to the end: which runs have one, and that nothing else changes by them."""

import json

import pytest

from planning import trainings
from planning.config import ConfigError

from . import records
from .test_config import BERT, plan

NETS = {"mnist_dense": {"fit": 8, "predict": 8}, "mnist_dense_w75": {"fit": 8}, **BERT}
DIGITS = {"data": "digits", "epochs": 5}


def identities(**changes):
    made = plan(models=NETS, columns=["keras3-jax"], runs=2, **changes)
    return made, {path: json.loads(text) for path, text in records.identities(made).items()}


def test_the_first_run_of_a_net_that_fits_is_trained_and_nothing_else_changes():
    _, before = identities()
    made, after = identities(training=DIGITS)
    changed = {path for path in after if after[path] != before[path]}
    assert changed == {
        f"results/records/smoke/{model}/fit-b8/keras3-jax/run1.json"
        for model in ("mnist_dense", "mnist_dense_w75")
    }
    training = after[min(changed)].pop("training")
    assert after[min(changed)] == before[min(changed)]
    assert (training["data"], training["epochs"]) == ("digits", 5)
    assert training["file"] == "results/data/digits.csv.gz" and len(training["sha256"]) == 64
    assert [entry.name for entry in trainings.datasets(made)] == ["digits"]
    assert made.document()["training"] == DIGITS


def test_the_published_data_is_that_of_the_net():
    models = {"mnist_dense": {"fit": 8}, "cifar100_cnn": {"fit": 8}}
    made = plan(models=models, training={"data": "published", "epochs": 1})
    assert [entry.name for entry in trainings.datasets(made)] == ["mnist", "cifar100"]
    assert trainings.datasets(plan(models=models)) == []


def test_the_target_is_no_reason_to_train_again():
    _, before = identities(training=DIGITS)
    _, after = identities(training={**DIGITS, "target_accuracy": 0.9})
    assert before == after


@pytest.mark.parametrize(
    ("training", "words"),
    [
        ({"data": "digits"}, "training: 'epochs' is missing"),
        (
            {**DIGITS, "data": "pictures"},
            "training.data: 'pictures' is not allowed; allowed are digits",
        ),
        ({**DIGITS, "target_accuracy": 90}, "training.target_accuracy: 90 is not allowed; a share"),
    ],
)
def test_what_is_wrong_is_one_line(training, words):
    with pytest.raises(ConfigError) as problem:
        plan(training=training)
    assert words in str(problem.value) and "\n" not in str(problem.value)
