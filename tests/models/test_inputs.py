"""Inputs of models: seeded and shaped."""

import pytest

from millistep.measure.models.causal_lm.work import check_new_tokens, new_tokens, prompts, tokens
from millistep.measure.models.sam import work as sam
from millistep.measure.models.stable_diffusion.work import Steps
from tests.models.libraries import cell


def test_points_are_pixels_of_random_images():
    one = cell("sam", "keras3-jax", "predict")
    points, _ = sam.points(one, 3)
    assert (points == points[:1]).all() and points.max() < 128
    assert sam.images(one, 3).std() > 0.2


def test_a_run_may_have_more_steps_than_a_sampling_schedule():
    ticks = iter([False] * 7 + [True])
    steps = Steps(lambda: next(ticks))

    def sample():
        for _ in range(3):
            timestep = object()
            steps.evaluation(timestep, 2)
            steps.evaluation(timestep, 2)

    found = steps.run(sample, "left on the device")
    assert (found["unet_calls_per_step"], found["unet_images_per_step"]) == (2, 4)


def test_a_library_that_samples_without_the_unet_is_an_error():
    with pytest.raises(RuntimeError, match="sampled without the UNet"):
        Steps(lambda: False).run(lambda: None, "left on the device")


def test_prompts_are_five_known_words_each_and_the_first_are_the_pages():
    texts = prompts(15)
    assert texts[:2] == ["I I I I I", "I I I I you"]
    assert texts[14] == "I I I you I"
    assert len(set(prompts(1000))) == 1000


def test_training_tokens_are_seeded_use_every_id_and_target_the_next():
    one = cell("gemma", "keras3-jax", "fit", "laptop")
    ids, mask, targets = tokens(one, 4)
    assert ids.shape == mask.shape == targets.shape == (4, 64)
    assert (ids[:, 1:] == targets[:, :-1]).all() and mask.all()
    assert (ids == tokens(one, 4)[0]).all()
    assert ids.min() >= 0 and 2040 < tokens(one, 64)[0].max() < 2048


def test_max_length_counts_the_prompt():
    assert new_tokens({"max_length": 50}) == 44
    check_new_tokens(44, {"max_length": 50})
    with pytest.raises(RuntimeError, match="made 45 new tokens a prompt instead of 44"):
        check_new_tokens(45, {"max_length": 50})
