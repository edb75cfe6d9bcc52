"""Trainings to the end: the data that they read, and what they report."""

import gzip
import hashlib
import json
import pickle
import tarfile
import time
from dataclasses import replace

import numpy as np
import pytest

from measure.frameworks import Cell
from measure.models.classifier import data
from measure.training import train
from planning.models import Models

NET = Models([]).load("mnist_dense")


@pytest.fixture
def digits(tmp_path):
    """``digits(n)``: a file like scikit-learn's with n images, as a run's plan names it."""

    def made(number=100):
        rng = np.random.default_rng(0)
        table = np.hstack([rng.integers(0, 17, (number, 64)), np.arange(number)[:, None] % 10])
        path = tmp_path / "digits.csv.gz"
        with gzip.open(path, "wt") as lines:
            np.savetxt(lines, table, delimiter=",", fmt="%d")
        return planned("digits", path)

    return made


def planned(name, path, epochs=3):
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    return {"data": name, "path": str(path), "sha256": sha256, "epochs": epochs}


def cell(scale="smoke", batch_size=8):
    sizes = NET.architecture[scale]
    names = (NET.folder.name, "fit", batch_size, "keras3-jax", "", "cpu", "float32")
    return Cell(*names, sizes, "random", seed=1, threads=1)


class Guesses:
    """A framework that gets better by a tenth of the images in each epoch."""

    def __init__(self, sets, fails_in=None):
        self.cell, self._sets, self._fails_in = cell(), sets, fails_in
        self.begun = self.epochs = 0
        self.orders = []

    def begin_training(self):
        self.begun += 1

    def prepared(self, images, classes):
        time.sleep(0.02)
        return images, classes

    def train_epoch(self, prepared):
        _, classes = prepared
        if self.epochs == self._fails_in:
            raise RuntimeError("no more\nmemory")
        self.epochs += 1
        self.orders.append(classes.tolist())

    def fence(self):
        pass

    def probabilities(self, prepared):
        images, _ = prepared
        truth = self._sets.validation_classes
        known = len(truth) * self.epochs // 10
        found = np.full((len(images), 10), 0.01, np.float32)
        places = np.arange(len(images))
        found[places, np.where(places < known, truth, (truth + 1) % 10)] = 0.91
        return found


def test_epoch_by_epoch_is_told_also_of_a_training_that_fails(digits):
    asked, told = digits(), []
    sets = data.sets(asked, NET.architecture["smoke"], 8)
    framework = Guesses(sets)
    train(framework, asked, lambda found: told.append(json.loads(json.dumps(found))))
    assert [len(found["epochs"]) for found in told] == [0, 1, 2, 3]
    last = told[-1]
    assert (last["status"], last["data"], last["sha256"]) == ("ok", "digits", asked["sha256"])
    # 15 % of 100 in whole batches of 8 are 8; of the other 92 in whole batches 88.
    assert (last["images"], last["validation_images"]) == (88, 8)
    assert [epoch["validation_right"] for epoch in last["epochs"]] == [0, 1, 2]
    losses = [epoch["validation_loss"] for epoch in last["epochs"]]
    assert losses[0] == pytest.approx(-np.log(0.01), rel=1e-6)
    assert losses[2] == pytest.approx((-2 * np.log(0.91) - 6 * np.log(0.01)) / 8, rel=1e-6)
    assert framework.begun == 1
    assert framework.orders[0] != framework.orders[1]  # drawn anew for each epoch
    assert sorted(framework.orders[0]) == sorted(framework.orders[1])
    again = Guesses(sets)
    train(again, asked, lambda found: None)
    assert again.orders == framework.orders  # and the same in every framework
    train(Guesses(sets, fails_in=2), asked, told.append)
    assert (told[-1]["status"], told[-1]["reason"]) == ("error", "RuntimeError: no more")
    assert len(told[-1]["epochs"]) == 2


def test_a_training_that_diverges_keeps_the_epochs_before_it(digits, monkeypatch):
    asked, told = digits(), []
    framework = Guesses(data.sets(asked, NET.architecture["smoke"], 8))
    good = framework.probabilities
    monkeypatch.setattr(
        framework,
        "probabilities",
        lambda prepared: good(prepared) * (np.nan if framework.epochs == 2 else 1),
    )
    train(framework, asked, told.append)
    assert told[-1]["status"] == "error" and "the loss of epoch 2 is nan" in told[-1]["reason"]
    assert len(told[-1]["epochs"]) == 1


def test_a_training_that_cannot_begin_says_why(digits):
    asked, told = digits(), []
    framework = Guesses(None)
    framework.cell = replace(framework.cell, architecture={"inputs": [50], "classes": 10})
    train(framework, asked, told.append)
    assert told[-1]["status"] == "error" and told[-1]["epochs"] == []
    framework.cell = replace(framework.cell, model="bert")
    train(framework, asked, told.append)
    assert "No module named 'measure.models.bert.data'" in told[-1]["reason"]


def test_what_is_done_to_the_data_before_a_framework_has_it_is_not_timed(digits):
    asked, told = digits(), []
    sets = data.sets(asked, NET.architecture["smoke"], 8)
    train(Guesses(sets), asked, told.append)
    assert min(epoch["steps_s"] + epoch["validation_s"] for epoch in told[-1]["epochs"]) < 0.02


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda asked, path: path.unlink(), "digits.csv.gz is not there"),
        (lambda asked, path: path.write_bytes(b"other"), "has sha256 "),
    ],
)
def test_without_the_file_nothing_takes_its_place(digits, tmp_path, change, reason):
    asked, told = digits(), []
    change(asked, tmp_path / "digits.csv.gz")
    train(Guesses(None), asked, told.append)
    _, found = told
    assert found["status"] == "unsupported" and reason in found["reason"]
    assert found["epochs"] == [] and found["images"] is None


def test_digits_are_scaled_to_what_a_net_takes(digits):
    for model in ("mnist_dense", "cifar100_dense", "cifar100_cnn"):
        a = Models([]).load(model).architecture["paper"]
        sets = data.sets(digits(), a, 32)
        assert sets.images.shape == (64, *a["inputs"]) and sets.images.dtype == np.float32
        assert sets.images.min() >= 0 and sets.images.max() == 1
        assert len(sets.validation_images) == len(sets.validation_classes) == 32
    grey = sets.images[0]  # for convolutions: three equal colours, 4 x 4 pixels from one
    assert (grey[..., 0] == grey[..., 2]).all() and len(np.unique(grey[:4, :4])) == 1


def test_the_published_files_are_read_as_they_are(tmp_path):
    rng = np.random.default_rng(1)
    np.savez(
        tmp_path / "mnist.npz",
        x_train=rng.integers(0, 256, (40, 28, 28), dtype=np.uint8),
        y_train=np.arange(40, dtype=np.uint8) % 10,
    )
    a = Models([]).load("mnist_dense").architecture["paper"]
    assert data.sets(planned("mnist", tmp_path / "mnist.npz"), a, 8).images.shape == (32, 784)
    red = np.zeros((40, 3072), np.uint8)
    red[:, :1024] = 255
    table = tmp_path / "train"
    table.write_bytes(pickle.dumps({b"data": red, b"fine_labels": list(range(40))}))
    with tarfile.open(tmp_path / "cifar.tar.gz", "w:gz") as archive:
        archive.add(table, "cifar-100-python/train")
    a = Models([]).load("cifar100_cnn").architecture["paper"]
    asked = planned("cifar100", tmp_path / "cifar.tar.gz")
    sets = data.sets(asked, a, 8)
    assert (sets.images[0, 0, 0] == [1, 0, 0]).all() and sets.validation_classes[-1] == 39
    small = Models([]).load("cifar100_cnn").architecture["smoke"]
    with pytest.raises(data.NoData, match="cifar100 has 40 classes, the net 20"):
        data.sets(asked, small, 8)
