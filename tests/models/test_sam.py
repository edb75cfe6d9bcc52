"""Segment Anything: the same model and the same work in KerasCV and in Meta's code."""

import pytest

from measure.models.sam import inputs, kerascv
from measure.models.sam.work import image_encoder, mask_decoder, per_step
from tests.models.libraries import cell, check_image_encoders, run, size

# By hand: a grid of 3 x 3 patches, windows of 2 x 2 (so 4 of them, the last ones padded) in
# layer 0, global attention in layer 1.
TINY = {
    "image_size": 6,
    "patch_size": 2,
    "layers": 2,
    "hidden_size": 4,
    "intermediate_size": 8,
    "window_size": 2,
    "global_layers": [1],
    "out_channels": 8,
    "decoder_layers": 1,
    "decoder_intermediate_size": 5,
    "iou_hidden_size": 3,
}


def test_work_of_the_image_encoder_by_hand():
    patches = 2 * 9 * 12 * 4
    windowed = 16 * 2 * 4 * 16 + 4 * (4 * 4 * 4 * 4) + 16 * 4 * 2 * 4
    everywhere = 9 * 2 * 4 * 16 + 4 * 9 * 9 * 4 + 9 * 4 * 3 * 4
    layers = windowed + everywhere + 2 * (9 * 2 * 2 * 4 * 8)
    neck = 2 * 9 * (4 * 8 + 9 * 8 * 8)
    assert image_encoder(TINY) == patches + layers + neck == 20576
    assert per_step("fit", TINY, 5)["flops_per_step"] == 5 * 3 * 20576


def test_work_of_the_mask_decoder_by_hand():
    # 8 tokens (1 quality, 4 masks, 2 points, 1 padding), 9 pixels.
    itself = 8 * 2 * 4 * 8 * 8 + 4 * 8 * 8 * 8
    between = 2 * (8 + 9) * 2 * 8 * 4 + 4 * 8 * 9 * 4  # either way
    layer = itself + 2 * between + 8 * 2 * 2 * 8 * 5
    upscaling = 9 * 4 * 2 * 8 * 2 + 36 * 4 * 2 * 2 * 1
    masks = 4 * 2 * (8 * 8 + 8 * 8 + 8 * 1) + 2 * 4 * 144
    quality = 2 * (8 * 3 + 3 * 3 + 3 * 4)
    assert mask_decoder(TINY) == layer + between + upscaling + masks + quality == 21466
    assert per_step("predict", TINY, 5) == {
        "flops_per_step": 5 * (20576 + 21466),
        "tokens_per_step": None,
        "images_per_step": 5,
    }


@pytest.mark.parametrize("task", ["fit", "predict"])
def test_work_is_what_pytorch_counts(task, tmp_path):
    one = cell("sam", "pytorch-eager", task, "smoke", batch_size=1)
    counted = run("vision", one, "flops", folder=tmp_path)
    ours, d = per_step(task, one.architecture, 1)["flops_per_step"], 64
    if task == "fit":
        # The gradient of the images, a third of the first product, is never needed.
        assert counted == ours - 2 * 64 * (3 * 16 * 16) * d
    else:
        # PyTorch counts the positions of 64 pixels and 3 points, too: 2 x 16 frequencies each.
        assert counted == ours + (64 + 3) * 2 * 2 * 16


def test_both_libraries_get_the_same_images_and_points():
    one = cell("sam", "keras3-jax", "predict", "smoke", batch_size=3)
    (given,) = kerascv.batch(one, 3)
    points, labels = inputs.points(one, 3)
    assert (given["images"] == inputs.images(one, 3)).all()
    assert given["images"].shape == (3, 128, 128, 3) and given["images"].std() > 0.2
    # The padding point that Meta's code adds by itself.
    assert (given["points"][:, :2] == points).all() and (given["labels"][:, :2] == labels).all()
    assert (given["points"][:, 2] == 0).all() and (given["labels"][:, 2] == -1).all()
    assert (points == points[:1]).all() and points.max() < 128
    assert given["boxes"].size == given["masks"].size == 0
    assert given["masks"].shape[2:] == (32, 32, 1)


def test_targets_have_the_shape_of_the_image_encoders_output():
    images, features = kerascv.batch(cell("sam", "keras3-jax", "fit", "paper"), 1)
    assert images.shape == (1, 1024, 1024, 3) and features.shape == (1, 64, 64, 256)


@pytest.mark.parametrize(
    "framework, task, parameters",
    [
        ("keras3-jax", "fit", 637_026_048),
        ("keras3-jax", "predict", 641_090_864),
        ("pytorch-eager", "fit", 637_026_048),
        # The 2 x 128 frequencies of the points' encoding are a buffer there.
        ("pytorch-eager", "predict", 641_090_864 - 256),
    ],
)
def test_parameters_at_paper(framework, task, parameters, tmp_path):
    found = run("vision", cell("sam", framework, task, "paper"), "shapes", folder=tmp_path)
    assert size(found) == parameters


def test_image_encoders_agree_with_the_same_weights_and_images(tmp_path):
    """Within 1e-4 of the output's deviation: float32, sums in another order."""
    check_image_encoders("sam", (2, 8, 8, 32), 1e-4, tmp_path)
