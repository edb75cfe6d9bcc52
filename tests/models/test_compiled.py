"""The compiled column: what is compiled, and what counts as compiling."""

import shutil

import pytest

from millistep.measure.models.causal_lm.work import new_tokens
from tests.models.libraries import Task, cell, register, run


def compiled(does, model, task="predict", framework="pytorch-compiled", **changed):
    return Task("compiled", does, cell(model, framework, task, **changed))


# The first of their processes that compile.
STARTS = {
    "start": compiled("start", "mnist_dense"),
    "start of Keras": compiled("start", "mnist_dense", framework="keras3-torch", jit_compile=True),
}
TASKS = {
    **STARTS,
    "gemma": compiled("generate", "gemma", "generate", batch_size=2),
    "mistral": compiled("generate", "mistral", "generate", batch_size=2),
    "marks": compiled("marks", "sam", batch_size=2),
    "recordings": compiled("recordings", "bert"),
    "skips": compiled("skips", "bert"),
    "given up": compiled("given_up", "bert"),
    "left to Python": compiled("left_to_python", "bert"),
}
register(TASKS)


@pytest.mark.parametrize("model", ["gemma", "mistral"])
def test_generation_compiles_each_tokens_pass_and_answers_as_it_does_eagerly(model, told):
    """The pass over the prompt is not; torch.compile knows that the cache stays."""
    found = told[model]
    # The first token comes from the pass over the prompt.
    passes = 3 * (new_tokens(TASKS[model].cell.architecture) - 1)
    assert found["shapes"] == passes * [[2, 1]]
    assert found["static"] and found["same"]
    assert found["counted"][0] > 0 and len(set(found["counted"])) == 1


@pytest.mark.parametrize("start", STARTS)
def test_a_process_tells_whether_it_found_all_compiled(start, told, tmp_path, monkeypatch):
    assert told[start] == [None, "cold"]
    shutil.copytree(told.home / "inductor", tmp_path / "second")
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path / "second"))
    assert run("compiled", STARTS[start].cell, "start", folder=tmp_path) == [None, "warm"]


def test_programs_of_xla_that_were_read_have_the_names_of_compiled_ones(tmp_path, monkeypatch):
    monkeypatch.setenv("JAX_COMPILATION_CACHE_DIR", str(tmp_path / "programs"))
    monkeypatch.setenv("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")
    monkeypatch.setenv("JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES", "-1")
    one = cell("mnist_dense", "keras3-jax", "fit", batch_size=8)
    cold, warm = (run("compiled", one, "profiled", folder=tmp_path) for _ in range(2))
    assert [cold[0], warm[0]] == ["cold", "warm"]
    assert warm[1] == cold[1]


@pytest.mark.parametrize("framework", ["keras3-jax", "keras3-tensorflow"])
def test_the_real_profiler_tells_what_pools_compute(framework, tmp_path, every_processor):
    """Of products of gradients it is nearly all: their calls return before."""
    if len(every_processor) == 1:
        pytest.skip("there is one processor")
    changed = {"layers": 1, "hidden_size": 256, "jit_compile": True, "threads": 2}
    one = cell("bert", framework, "fit", batch_size=8, **changed)
    # A program's own products, and those that YNNPACK computes.
    assert {"dot", "ynn_fusion"} & {*run("compiled", one, "parts", folder=tmp_path)}


def test_a_step_of_two_compiled_modules_is_marked_once_before_the_first(told):
    """Otherwise CUDA graphs of the second overwrite what it reads of the first."""
    step = ["mark", "ImageEncoderViT reduce-overhead", "MaskDecoder reduce-overhead"]
    assert told["marks"] == 2 * step


def test_recorded_cuda_graphs_count_as_compilations_those_recorded_again_too(told):
    assert told["recordings"] == [0, 0, 1, 2, 3]


def test_the_card_says_why_cuda_graphs_were_skipped_each_reason_once(told):
    assert told["skips"] == [False, "mutated inputs (2 instances); multiple devices"]


def test_code_that_torch_compile_leaves_to_python_is_a_graph_break(told):
    assert told["left to Python"] > 0


def test_a_model_that_torch_compile_gave_up_on_is_no_compiled_time(told):
    assert told["given up"].startswith("WrongFramework: torch.compile recompiled until its limit")
