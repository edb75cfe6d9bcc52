"""Training to an accuracy: its data, its summary, and equal losses in two real frameworks."""

import json

import numpy as np
import pytest

from tests.models.libraries import interpreter_of
from tests.nets import NETS
from tests.shared import ROOT, module_of, put

SCRIPT = ROOT / "studies/cpu_against_gpu/training.py"


@pytest.fixture
def training(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    return module_of(SCRIPT)


@pytest.mark.parametrize("inputs", [[784], [3072], [32, 32, 3]])
def test_digits_fit_every_network(training, inputs):
    images, classes = training.data("digits", inputs)
    assert images.shape == (1797, *inputs) and images.dtype == np.float32
    assert (images.min(), images.max()) == (0, 1)
    assert (np.bincount(classes) > 170).all() and len(set(classes[:10])) > 3  # not sorted


def row(framework, epoch, loss, accuracy):
    about = {"framework": framework, "accelerator": "cpu", "epoch": epoch, "train_s": epoch}
    return about | {"loss": loss, "accuracy": accuracy}


def test_the_summary_leaves_out_the_first_epoch_and_compares_the_final_losses(training):
    rows = [row("a", 1, 2.0, 0.1), row("a", 2, 1.0, 0.9), row("a", 3, 0.5, 0.95)]
    first, last = training.summary([*rows, row("b", 1, 0.5004, 0.2)], 0.9)[::2]
    told = "2.500 s per epoch, loss 0.500000, accuracy 0.9500, 0.9 reached in epoch 2"
    assert first == f"a on cpu: {told}"
    assert last.startswith("final losses agree")
    assert "DIFFER" in training.summary([*rows, row("b", 1, 0.501, 0.2)], 0.9)[-1]


def test_without_an_environment_the_command_that_makes_it_is_named(training, monkeypatch):
    monkeypatch.setattr("sys.argv", ["training.py", "keras3-jax"])
    with pytest.raises(SystemExit, match="make study NAME=cpu_against_gpu"):
        training.main()


def test_frameworks_end_at_the_same_loss(training, monkeypatch, tmp_path, capsys):
    names = ["keras3-jax", "pytorch-eager"]
    for name in names:
        framework = NETS[name]
        path = training.RESULTS / f"environments/2026-11/cpu/{framework.environment}.json"
        put(tmp_path / path, json.dumps({"interpreter": str(interpreter_of(framework))}))
    monkeypatch.setattr("sys.argv", ["training.py", *names, "--epochs", "2"])
    training.main()
    assert "final losses agree" in capsys.readouterr().out
    assert len((tmp_path / training.RESULTS / "trainings.csv").read_text().splitlines()) == 5
