"""Gemma and Mistral: the same work and the same answers in every column."""

import json

import numpy as np
import pytest

from measure.models.causal_lm.inputs import (
    PROMPT_TOKENS,
    check_new_tokens,
    new_tokens,
    pieces,
    prompt_tokens,
    prompts,
    tokens,
)
from measure.models.causal_lm.work import per_step
from planning.frameworks import frameworks
from planning.models import Models
from tests.models.libraries import KERAS, cell, run

load = Models([]).load
MODELS = ("gemma", "mistral")

# At paper. Keras' LoRA has a factor for each head, PEFT's one for all: a real difference.
PARAMETERS = {"gemma": 8_537_680_896, "mistral": 7_241_732_096}
TRAINABLE = {
    ("gemma", "keras3"): 11_067_392,
    ("gemma", "pytorch"): 1_605_632,
    ("mistral", "keras3"): 21_004_288,
    ("mistral", "pytorch"): 1_703_936,
}

# By hand: 2 layers, width 4, 2 heads of 3, 1 key-value head, 5 wide, 7 words.
TINY = {
    "vocabulary_size": 7,
    "layers": 2,
    "heads": 2,
    "key_value_heads": 1,
    "hidden_size": 4,
    "head_size": 3,
    "intermediate_size": 5,
    "lora_rank": 1,
    "sequence_length": 3,
    "max_length": 8,
}
# Parameters of query 24, output 24, key 12, value 12 and 3 x 20; the head has 28.
TINY_LAYER, TINY_HEAD = 132, 28


def test_prompts_are_five_known_words_each_and_the_first_are_the_pages():
    texts = prompts(15)
    assert texts[:2] == ["I I I I I", "I I I I you"]
    assert texts[14] == "I I I you I"
    assert len(set(prompts(1000))) == 1000


def test_longer_prompts_leave_as_many_new_tokens_at_a_larger_length():
    longer = {"max_length": 200, "prompt_tokens": 156}
    texts = prompts(4, prompt_tokens(longer))
    assert len(set(texts)) == 4 and {len(text.split()) for text in texts} == {155}
    assert new_tokens(longer) == new_tokens({"max_length": 50}) == 44


@pytest.mark.parametrize(
    "special", [["<unk>", "<s>", "</s>"], ["<pad>", "<eos>", "<bos>", "<unk>"]]
)
def test_a_vocabulary_is_as_large_as_the_models_and_holds_every_prompt(special):
    vocabulary = pieces(special, 1024)
    assert len(vocabulary) == len(set(vocabulary)) == 1024
    assert vocabulary[: len(special)] == special
    assert {f"▁{word}" for text in prompts(99) for word in text.split()} <= set(vocabulary)


def test_training_tokens_are_seeded_use_every_id_and_target_the_next():
    one = cell("gemma", "keras3-jax", "fit", "laptop")
    ids, mask, targets = tokens(one, 4)
    assert ids.shape == mask.shape == targets.shape == (4, 64)
    assert (ids[:, 1:] == targets[:, :-1]).all() and mask.all()
    assert (ids == tokens(one, 4)[0]).all()
    assert ids.min() >= 0 and 7900 < tokens(one, 64)[0].max() < 8000


def test_max_length_counts_the_prompt():
    assert new_tokens({"max_length": 50}) == 44
    check_new_tokens(44, {"max_length": 50})
    with pytest.raises(RuntimeError, match="made 45 new tokens a prompt instead of 44"):
        check_new_tokens(45, {"max_length": 50})


def test_work_of_generation_by_hand():
    # 6 tokens read and 1 of the 2 new ones: 7 tokens through the layers, 2 sets of
    # logits, and 1 + 2 + ... + 7 = 28 pairs of tokens in attention.
    flops = 7 * 2 * 2 * TINY_LAYER + 2 * 2 * TINY_HEAD + 2 * 4 * 2 * 3 * 28
    assert PROMPT_TOKENS == 6
    assert per_step("generate", TINY, 3) == {
        "flops_per_step": 3 * flops,
        "tokens_per_step": 6,
        "images_per_step": None,
    }


def test_a_longer_prompt_is_read_too():
    # 10 tokens read and 1 of the 2 new ones: 11 through the layers, 66 pairs of tokens.
    flops = 11 * 2 * 2 * TINY_LAYER + 2 * 2 * TINY_HEAD + 2 * 4 * 2 * 3 * 66
    longer = {**TINY, "max_length": 12, "prompt_tokens": 10}
    assert per_step("generate", longer, 1)["flops_per_step"] == flops


def test_work_of_training_by_hand():
    # 1 + 2 + 3 = 6 pairs; adapters: query (4 + 6) and value (4 + 3) at rank 1.
    frozen = 3 * 2 * (2 * TINY_LAYER + TINY_HEAD)
    attention = 2 * 4 * 2 * 3 * 6
    adapters = 3 * 2 * 2 * 17
    # Not needed: gradients of what enters query, key and value (12 outputs of 4) and the two
    # adapters of the first layer, and of its keys.
    below = 3 * 2 * 4 * (12 + 2) + 4 * 2 * 3 * 6 // 2
    assert per_step("fit", TINY, 5)["flops_per_step"] == 5 * (
        2 * frozen + 3 * attention + 3 * adapters - below
    )
    assert per_step("fit", TINY, 5)["tokens_per_step"] == 15


@pytest.mark.parametrize(("model", "layers"), [("gemma", 1), ("mistral", 2)])
def test_pytorch_counts_as_many_flops_of_training(model, layers, tmp_path):
    """But for attention, of which it counts the pairs that the mask hides, too."""
    one = cell(model, "pytorch-eager", "fit", "smoke", batch_size=2, layers=layers)
    a = one.architecture
    length = a["sequence_length"]
    hidden = length * length - length * (length + 1) // 2
    # Three times forward in every layer, less the keys' half of one product in the first.
    pair = 4 * a["heads"] * a["head_size"]
    uncounted = 2 * hidden * (3 * layers * pair - pair // 2)
    found = run("causal_lm", one, "flops", folder=tmp_path)
    assert found == per_step("fit", a, 2)["flops_per_step"] + uncounted


def test_a_sliding_window_bounds_what_a_token_sees():
    # Seven tokens that see at most two: 1 + 6 * 2 = 13 pairs instead of 28.
    whole, window = (per_step("generate", {**TINY, **w}, 1) for w in ({}, {"sliding_window": 2}))
    assert whole["flops_per_step"] - window["flops_per_step"] == 2 * 4 * 2 * 3 * (28 - 13)


@pytest.mark.parametrize("name", MODELS)
def test_a_model_says_what_the_plan_needs(name):
    model = load(name)
    assert model.architecture["paper"]["dtype"] == "bfloat16"
    assert {task: sizes["published"] for task, sizes in model.tasks.items()} == {
        "fit": [8],
        "generate": [32, 1],
    }
    for task, sizes in model.tasks.items():
        assert sizes["parameters"]["paper"] == PARAMETERS[name]
        assert {len(sizes[scale]) for scale in model.architecture} == {len(sizes["published"])}, (
            task
        )
    for entry in model.unsupported:
        assert entry["column"] in frameworks([]) and entry.get("task", "fit") in model.tasks


@pytest.mark.parametrize("framework", ["keras3-jax", "pytorch-eager"])
@pytest.mark.parametrize("model", MODELS)
def test_parameters_at_paper_are_the_published_models(model, framework, tmp_path):
    accelerator = "meta" if framework == "pytorch-eager" else "cpu"
    one = cell(model, framework, "fit", "paper", accelerator=accelerator)
    parameters, trainable = run("causal_lm", one, "count", folder=tmp_path)
    assert trainable == TRAINABLE[model, frameworks([])[framework].family]
    assert parameters == PARAMETERS[model]


@pytest.mark.parametrize("model", MODELS)
def test_the_same_weights_give_the_same_logits_and_the_same_text(model, tmp_path):
    """All columns that build the model, two layers, in float32; logits within 1e-4 of their
    range.
    """
    one = cell(model, "pytorch-eager", "generate", "smoke", batch_size=2, layers=2)
    run("causal_lm", one, "outputs", tmp_path, folder=tmp_path)
    logits = np.load(tmp_path / "pytorch.npy")
    texts = json.loads((tmp_path / "pytorch.json").read_text())
    sizes = load(model).architecture["smoke"]
    assert logits.shape == (2, sizes["sequence_length"], sizes["vocabulary_size"])
    assert [text.split()[:5] for text in texts] == [text.split() for text in prompts(2)]
    assert all(len(text.split()) == 5 + new_tokens(sizes) for text in texts)
    unsupported = {entry["column"] for entry in load(model).unsupported if "task" not in entry}
    for framework in KERAS:
        if framework in unsupported:
            continue
        one = cell(model, framework, "generate", "smoke", batch_size=2, layers=2)
        run("causal_lm", one, "outputs", tmp_path, folder=tmp_path)
        found = np.load(tmp_path / f"{framework}.npy")
        assert np.abs(found - logits).max() < 1e-4 * np.ptp(logits), framework
        found = json.loads((tmp_path / f"{framework}.json").read_text())
        assert [text.split() for text in found] == [text.split() for text in texts], framework


@pytest.mark.parametrize("framework", ["keras2-tensorflow", "keras3-jax"])
def test_the_card_of_a_bfloat16_model_says_bfloat16(framework, tmp_path):
    """Its layers compute in it, whatever the policy of the process is."""
    one = cell("mistral", framework, "generate", "smoke", dtype="bfloat16")
    assert run("causal_lm", one, "dtype", folder=tmp_path) == "bfloat16"
