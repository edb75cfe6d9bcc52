"""Stable Diffusion: the same model and the same step in KerasCV and in Diffusers."""

import pytest

from measure.models.stable_diffusion import inputs
from measure.models.stable_diffusion.steps import Steps
from measure.models.stable_diffusion.work import image_encoder, per_step, unet
from tests.models.libraries import cell, check_image_encoders, run, size


def test_a_step_is_all_evaluations_at_one_timestep():
    ticks = iter([False, False, True])
    log = []

    def tick():
        log.append("tick")
        return next(ticks)

    steps = Steps(tick)

    def sample():
        for _ in range(10):
            timestep = object()
            for _ in ("without the prompt", "with it"):
                steps.evaluation(timestep, images=3)
                log.append("unet")

    assert steps.run(sample) == {
        "scheduler": "DDIM",
        "unet_calls_per_step": 2,
        "unet_images_per_step": 6,
    }
    assert log == ["tick", "unet", "unet", "tick", "unet", "unet", "tick"]


def test_a_schedule_that_ends_before_the_run_is_an_error():
    with pytest.raises(RuntimeError, match="schedule of 500 steps ended"):
        Steps(lambda: False).run(lambda: None)


def test_work_of_the_image_encoder_by_hand():
    tiny = {"image_size": 4, "blocks": 1, "vae_widths": [2, 3]}
    first = 16 * 2 * 9 * 3 * 2 + 2 * (16 * 2 * 9 * 2 * 2)
    halve = 4 * 2 * 9 * 2 * 2
    second = 4 * 2 * (9 * 2 * 3 + 9 * 3 * 3 + 2 * 3)  # the width changes: a shortcut
    middle = 4 * (4 * 2 * 9 * 3 * 3) + 4 * (4 * 2 * 3 * 3) + 2 * (2 * 4 * 4 * 3)
    out = 4 * 2 * 9 * 3 * 8
    assert image_encoder(tiny) == first + halve + second + middle + out == 10248
    assert per_step("fit", tiny, 5)["flops_per_step"] == 5 * 3 * 10248


def test_work_of_the_unet_by_hand():
    # One level, so the deepest: attention in the middle alone. 2 x 2 latents, timesteps 8 wide.
    tiny = {
        "image_size": 16,
        "blocks": 1,
        "unet_widths": [2],
        "context_size": 3,
        "text_length": 5,
    }
    time = 2 * (2 * 8 + 8 * 8)
    block = 2 * (4 * 2 * 9 * 2 * 2) + 2 * 8 * 2
    itself = 4 * (4 * 2 * 2 * 2) + 2 * (2 * 4 * 4 * 2)
    text = 2 * (4 * 2 * 2 * 2) + 2 * (5 * 2 * 3 * 2) + 2 * (2 * 4 * 5 * 2)
    gated = 4 * 2 * (2 * 16 + 8 * 2)
    transformer = 2 * (4 * 2 * 2 * 2) + itself + text + gated
    up = 4 * 2 * (9 * 4 * 2 + 9 * 2 * 2 + 4 * 2) + 2 * 8 * 2  # a skip beside the input
    ends = 4 * 2 * 9 * 4 * 2 + 4 * 2 * 9 * 2 * 4
    assert unet(tiny) == time + block + (block + transformer + block) + 2 * up + ends == 6104
    # Each image with and without its prompt.
    assert per_step("predict", tiny, 5) == {
        "flops_per_step": 5 * 2 * 6104,
        "tokens_per_step": None,
        "images_per_step": 5,
    }


@pytest.mark.parametrize("task", ["fit", "predict"])
def test_work_is_what_pytorch_counts(task, tmp_path):
    one = cell("stable_diffusion", "pytorch-eager", task, "smoke", batch_size=1)
    # The gradient of the images, a third of the first convolution, is never needed.
    less = 2 * 128**2 * 9 * 3 * 32 if task == "fit" else 0
    ours = per_step(task, one.architecture, 1)["flops_per_step"]
    assert run("vision", one, "flops", folder=tmp_path) == ours - less


def test_inputs_are_seeded_and_shaped():
    one = cell("stable_diffusion", "keras3-jax", "predict", "paper")
    prompts, empty = inputs.embeddings(one, 2)
    assert prompts.shape == empty.shape == (2, 77, 768)
    assert (empty[0] == empty[1]).all() and (prompts[0] != prompts[1]).any()
    assert inputs.noise(one, 2).shape == (2, 64, 64, 4)
    assert inputs.images(one, 1).shape == (1, 512, 512, 3)
    assert inputs.moments(one, 1).shape == (1, 64, 64, 8)
    assert (inputs.noise(one, 2) == inputs.noise(one, 2)).all()


@pytest.mark.parametrize("task, parameters", [("fit", 34_163_592), ("predict", 859_520_964)])
def test_parameters_at_paper(task, parameters, tmp_path):
    """Ours, composed of KerasCV's blocks, weight by weight as KerasCV's own class; Diffusers'."""
    keras, native = (
        cell("stable_diffusion", framework, task, "paper")
        for framework in ("keras3-jax", "pytorch-eager")
    )
    composed = run("vision", keras, "shapes", folder=tmp_path)
    assert composed == run("vision", keras, "library_shapes", folder=tmp_path)
    assert size(composed) == size(run("vision", native, "shapes", folder=tmp_path)) == parameters


def test_image_encoders_agree_with_the_same_weights_and_images(tmp_path):
    """Within 1e-3 of the output's deviation: KerasCV's norms add 1e-5, Diffusers' 1e-6."""
    check_image_encoders("stable_diffusion", (2, 16, 16, 8), 1e-3, tmp_path)
