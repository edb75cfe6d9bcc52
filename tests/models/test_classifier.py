"""Small classifiers: the published sizes, and the same net in every library."""

from itertools import pairwise

import numpy as np
import pytest

from measure.models.classifier import inputs
from measure.models.classifier.work import features, per_step
from planning.models import Models
from tests.models.libraries import cell, run

load = Models([]).load
PUBLISHED = {"mnist_dense": 266_610, "cifar100_dense": 3_623_600, "cifar100_cnn": 975_692}
VARIANTS = [f"mnist_dense_{ending}" for ending in load("mnist_dense").variants]


def parameters(a):
    """Of kernels and biases, layer by layer."""
    channels = [a["inputs"][-1], *(filters for filters, _ in a["filters"])]
    widths = [features(a), *a["hidden"], a["classes"]]
    found = sum(
        (kernel**2 * before + 1) * after
        for (before, after), (_, kernel) in zip(pairwise(channels), a["filters"], strict=True)
    )
    return found + sum((before + 1) * after for before, after in pairwise(widths))


@pytest.mark.parametrize("name", [*PUBLISHED, *VARIANTS])
def test_parameters_are_those_that_are_declared_at_every_scale(name):
    model = load(name)
    for task in model.tasks.values():
        for scale, architecture in model.architecture.items():
            assert parameters(architecture) == task["parameters"][scale], scale


def test_the_nets_have_the_published_number_of_parameters():
    found = {name: load(name).tasks["fit"]["parameters"] for name in PUBLISHED}
    assert {name: sizes["paper"] for name, sizes in found.items()} == PUBLISHED
    assert {name: sizes["laptop"] for name, sizes in found.items()} == PUBLISHED


def test_the_sweep_goes_from_sixty_thousand_to_sixty_million_parameters():
    sizes = sorted(load(name).tasks["fit"]["parameters"]["paper"] for name in VARIANTS)
    assert sizes[0] == 61_035 and sizes[-1] == 60_130_610


def test_work_of_a_dense_net_by_hand():
    a = load("mnist_dense").architecture["paper"]
    forward = 2 * (784 * 300 + 300 * 100 + 100 * 10)
    assert per_step("predict", a, 32)["flops_per_step"] == 32 * forward
    # The gradient of the images is never computed.
    fit = per_step("fit", a, 32)
    assert fit["flops_per_step"] == 32 * (3 * forward - 2 * 784 * 300)
    assert fit["images_per_step"] is None and fit["tokens_per_step"] is None


@pytest.mark.parametrize("task", ["fit", "predict"])
def test_work_of_convolutions_is_what_pytorch_counts_but_for_what_pools_leave_over(task, tmp_path):
    one = cell("cifar100_cnn", "pytorch-eager", task, "smoke", batch_size=3)
    ours = per_step(task, one.architecture, 3)
    # 11 x 11 and 3 x 3 results of the last two convolutions; pools take 10 x 10 and 2 x 2.
    left_over = 2 * 9 * ((11**2 - 10**2) * 8 * 16 + (3**2 - 2**2) * 16 * 16)
    unneeded = 3 * left_over * (3 if task == "fit" else 1)
    counted = run("classifier", one, "flops", folder=tmp_path)
    assert counted == ours["flops_per_step"] + unneeded
    assert ours["images_per_step"] == 3


def test_the_same_weights_give_the_same_probabilities(tmp_path):
    """Convolutions, pools, dense layers and the softmax; within 1e-5."""
    native, *others = (
        cell("cifar100_cnn", framework, "predict", "smoke", batch_size=4)
        for framework in ("pytorch-eager", "keras2-tensorflow", "keras3-jax")
    )
    run("classifier", native, "outputs", tmp_path, folder=tmp_path)
    expected = np.load(tmp_path / "pytorch.npy")
    assert expected.shape == (4, 20) and np.ptp(expected) > 0.1
    assert expected.sum(axis=1) == pytest.approx(1, abs=1e-5)
    for one in others:
        run("classifier", one, "outputs", tmp_path, folder=tmp_path)
        found = np.load(tmp_path / f"{one.framework}.npy")
        assert np.abs(found - expected).max() < 1e-5, one.framework


def test_images_and_targets_are_seeded_and_shaped_as_the_losses_take_them():
    mnist, cifar = (cell(name, "keras3-jax", "fit", "paper") for name in list(PUBLISHED)[::2])
    assert inputs.images(mnist, 4).shape == (4, 784)
    assert inputs.images(cifar, 4).shape == (4, 32, 32, 3)
    assert (inputs.images(mnist, 4) == inputs.images(mnist, 4)).all()
    labels = inputs.classes(mnist, 4)
    assert inputs.targets(labels, mnist.architecture).dtype == np.int32
    one_hot = inputs.targets(inputs.classes(cifar, 4), cifar.architecture)
    assert one_hot.shape == (4, 100) and (one_hot.sum(axis=1) == 1).all()
