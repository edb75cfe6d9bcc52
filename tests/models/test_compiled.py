"""The compiled column: what is compiled, and what counts as compiling."""

import dataclasses
import shutil

import pytest

from measure.models.causal_lm.inputs import new_tokens
from tests.models.libraries import cell, run


@pytest.mark.parametrize("model", ["gemma", "mistral"])
def test_generation_compiles_each_tokens_pass_and_answers_as_it_does_eagerly(model, tmp_path):
    """Not the pass over the prompt, and on a cache of which torch.compile knows that it stays."""
    one = cell(model, "pytorch-compiled", "generate", "smoke", batch_size=2)
    found = run("compiled", one, "generate", folder=tmp_path)
    passes = 3 * (new_tokens(one.architecture) - 1)  # the prompt's gives the first token
    assert found["shapes"] == passes * [[2, 1]]
    assert found["static"] and found["same"]
    assert found["counted"][0] > 0 and len(set(found["counted"])) == 1


@pytest.mark.parametrize(
    ("framework", "settings"), [("pytorch-compiled", {}), ("keras3-torch", {"jit_compile": True})]
)
def test_a_process_tells_whether_it_found_all_compiled(framework, settings, tmp_path, monkeypatch):
    one = dataclasses.replace(cell("mnist_dense", framework, "predict", "smoke"), **settings)
    found = []
    for folder in ("first", "second"):
        monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path / folder))
        found.append(run("compiled", one, "start", folder=tmp_path))
        shutil.copytree(tmp_path / "first", tmp_path / "second", dirs_exist_ok=True)
    assert found == [[None, "cold"], [None, "warm"]]


def test_a_step_of_two_compiled_modules_is_marked_once_before_the_first(tmp_path):
    """Otherwise CUDA graphs of the second overwrite what it reads of the first."""
    one = cell("sam", "pytorch-compiled", "predict", "smoke", batch_size=2)
    step = ["mark", "ImageEncoderViT reduce-overhead", "MaskDecoder reduce-overhead"]
    assert run("compiled", one, "marks", folder=tmp_path) == 2 * step


def test_recorded_cuda_graphs_count_as_compilations_those_recorded_again_too(tmp_path):
    one = cell("bert", "pytorch-compiled", "predict", "smoke")
    assert run("compiled", one, "recordings", folder=tmp_path) == [0, 0, 1, 2, 3]


def test_the_card_says_why_cuda_graphs_were_skipped_each_reason_once(tmp_path):
    one = cell("bert", "pytorch-compiled", "predict", "smoke")
    assert run("compiled", one, "skips", folder=tmp_path) == [
        False,
        "mutated inputs (2 instances); multiple devices",
    ]
