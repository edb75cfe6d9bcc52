"""What timing assumes of a model is checked on the live model."""

import importlib
import json
from types import SimpleNamespace

import numpy as np
import pytest

from millistep.measure import conformance, frameworks, models
from millistep.measure.conformance import WrongModel, WrongSetting
from millistep.measure.extras import probe
from millistep.measure.frameworks import Cell
from millistep.measure.frameworks.loops import Ticks, parted
from millistep.measure.process import failure, line_of_model
from millistep.measure.protocol import PROTOCOLS
from millistep.measure.timer import MANY_STEPS, Timer, harness_ns

from ..shared import put
from .conftest import Bare
from .test_timer import MS, SMOKE, World

SIZES = {"parameters": 5466, "trainable_parameters": 5466}
ASKED = {"parameters": 5466, "trains": "all", "scale": "smoke"}
AMOUNT = dict.fromkeys(conformance.WORK)


@pytest.mark.parametrize(
    ("more", "declared"),
    [
        ({"moving_averages": 96}, 5562),
        ({"moving_averages": 96}, 5466),
        ({"second_biases": 640}, 6106),
        ({"moving_averages": 96, "second_biases": 640}, 6202),
    ],
)
def test_parameters_may_be_declared_as_any_library_counts_them(more, declared):
    conformance.check_model(SIZES | more, "fit", ASKED | {"parameters": declared})
    words = "the model has 5,466 parameters, model.yaml declares 7,000"
    with pytest.raises(WrongModel, match=words):
        conformance.check_model(SIZES | more, "fit", ASKED | {"parameters": 7000})


def test_a_model_without_weights_is_told_how_to_make_them():
    with pytest.raises(WrongModel, match=r"call it once in build\(cell\)"):
        conformance.check_model(dict.fromkeys(SIZES, 0), "fit", ASKED)


@pytest.mark.parametrize(
    ("asked", "live", "words"),
    [
        ({"jit_compile": True}, {"jit_compile": False}, "true was requested, the built model has"),
        ({"optimizer": "fused"}, {"optimizer": "foreach"}, "fused was requested"),
        ({"threads": 2}, {"threads": 16}, "2 was .* must not set the number of thr"),
    ],
)
def test_a_setting_that_the_builder_ignores_is_refused(asked, live, words):
    (name,) = asked
    with pytest.raises(WrongSetting, match=f"{name}: {words}"):
        conformance.check_settings(SimpleNamespace(**asked), live)
    for choice in ("auto", "published"):
        conformance.check_settings(SimpleNamespace(**{name: choice}), live)


def test_a_builder_that_changes_variables_of_libraries_is_refused():
    before, check = {"OMP_NUM_THREADS": "2", "HOME": "/root"}, conformance.check_variables
    # The last one is scikit-learn's.
    own = {"HOME": "/", "KERAS_BACKEND": "torch", "TF2_BEHAVIOR": "1", "KMP_INIT_AT_FORK": "FALSE"}
    check(before, before | own)
    changed = {"HOME": "/root", "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false"}
    with pytest.raises(WrongSetting, match="the builder sets OMP_NUM_THREADS, XLA_FLAGS; use thr"):
        check(before, changed)
    for name in ("TF_DETERMINISTIC_OPS", "TF_ENABLE_ONEDNN_OPTS", "CUBLAS_WORKSPACE_CONFIG"):
        with pytest.raises(WrongSetting, match=f"the builder sets {name}; use threads, device or"):
            check(before, before | {name: "1"})


def test_a_builder_that_confines_the_process_is_refused(monkeypatch):
    words = "confines the process to 1 CPUs ins"
    with pytest.raises(WrongSetting, match=words), conformance.same_process():
        monkeypatch.setattr(conformance, "_cpus", lambda: {4096})


def test_a_folder_of_models_is_found_after_a_builder_has_changed_the_folder(tmp_path, monkeypatch):
    put(tmp_path / "mine/models/late/work.py", "")
    monkeypatch.setattr(models, "__path__", [*models.__path__])
    monkeypatch.setattr(frameworks, "__path__", [*frameworks.__path__])
    monkeypatch.chdir(tmp_path)
    frameworks.add_folders(["mine"])
    monkeypatch.chdir("/")
    importlib.import_module("millistep.measure.models.late.work")


def test_a_batch_with_nan_is_the_same_when_it_is_made_again():
    framework = Bare(SimpleNamespace(task="fit", seed=1, batch_size=4))
    framework.models = SimpleNamespace(batch=lambda cell, size: np.full(size, np.nan))
    framework.fed_batch = framework.batch(4)
    conformance.check_inputs(framework)


def own(model, cell, batch_size, tick):
    """A loop that LOOPS does not have."""


@pytest.mark.parametrize(
    ("builder", "task", "words"),
    [
        ({}, "generate", r"generate needs a custom loop: LOOPS = \{'generate': l"),
        ({"LOOPS": {"training": print}}, "fit", "LOOPS has a loop for training; the tasks are fit"),
        ({"own": own}, "fit", r"own\(\) is not used; write LOOPS = {'fit': own}"),
        ({"LOOPS": [("fit", print)]}, "fit", "LOOPS is .*; needed is a dict, such as"),
        ({"LOOPS": {"fit": "loop"}}, "fit", "LOOPS is .*; needed is a dict, such as"),
    ],
)
def test_a_task_without_its_loop_and_a_loop_without_a_task_are_refused(builder, task, words):
    with pytest.raises(WrongModel, match=words):
        conformance.check_loops(SimpleNamespace(**builder), task)


class Later:
    """Awaitable, as what an async function returns."""

    def __await__(self):
        yield


@pytest.mark.parametrize("made", [iter([1]), (number for number in (1, 2)), Later()])
def test_an_output_that_is_computed_when_it_is_read_is_refused(made):
    conformance.check_output((np.ones(2), {"none": None}))
    with pytest.raises(WrongModel, match=r"the forward pass returned a .*, which computes when it"):
        conformance.check_output({"value": (made,)})


def test_a_class_is_no_model():
    with pytest.raises(WrongModel, match=r"build\(\) returned the class Bare; needed is a model"):
        conformance.check_has(Bare, "build()", "a model", "fence")


@pytest.mark.parametrize(
    ("amount", "words"),
    [
        *(
            (AMOUNT | {"flops_per_step": value}, "flops_per_step is .*; needed is a numb")
            for value in ("many", -1, np.nan, [1])
        ),
        (None, "per_step returned nothing; needed is a dict of flops"),
        (5, "per_step returned int; needed is a dict of flops"),
        ({1: 2}, "per_step returned 1; needed is a dict of flops"),
    ],
)
def test_the_work_of_a_step_is_a_dict_of_numbers(amount, words):
    with pytest.raises(WrongModel, match=f"work.py of mlp: {words}"):
        conformance.check_work("mlp", amount)


def test_steps_of_several_batches_are_counted_as_batches():
    timer = World(step_ns=32 * MS).time(SMOKE, batches=32)
    assert timer.step_ns == pytest.approx(MS, rel=0.06)
    assert timer.steps == 32 * sum(steps // 32 for steps, _, _ in timer.windows)
    assert timer.warmup_steps % 32 == 0
    assert set(timer.synchronized_ns) == {MS}


def test_counting_a_step_costs_less_than_some_microseconds():
    framework = Bare(None)
    plain = harness_ns(framework)
    assert 10 < plain < 20_000
    framework.batches_per_tick = 32
    assert harness_ns(framework) < plain


def test_an_error_in_a_graph_names_the_line_of_the_models_own_module():
    path = "/home/me/models/mlp/keras3.py"
    graph = TypeError(f'in user code:\n\n    File "{path}", line 7, in call  *\n    TypeError: no')
    assert line_of_model(graph) == "models/mlp/keras3.py, line 7"
    assert line_of_model(ValueError("elsewhere")) is None


def test_a_missing_module_comes_with_its_remedy(tmp_path):
    path = put(tmp_path / "models/mlp/keras3.py", "import own_inputs\n")
    names = {"__name__": "millistep.measure.models.mlp.keras3"}
    with pytest.raises(ModuleNotFoundError) as failed:
        exec(compile(path.read_text(), path, "exec"), names)
    assert "packages are added as docs/custom-model.md#packages" in failure(failed.value)["message"]
    put(path.with_name("own_inputs.py"), "")
    assert failure(failed.value) == {
        "type": "ModuleNotFoundError",
        "message": "No module named 'own_inputs'; a file of the model is imported by "
        "'from .own_inputs import ...'",
        "line": "models/mlp/keras3.py, line 1",
    }


def test_a_generation_without_lengths_is_probed_at_another_batch_size(monkeypatch):
    cell = Cell("own", "generate", 4, "fake", "fake", "cpu", "default", {}, "random", 1, 1)
    work = SimpleNamespace(per_step=lambda task, architecture, batch_size: {**AMOUNT})
    monkeypatch.setattr(models, "work_of", lambda cell: work)
    framework = Bare(cell)
    framework.run_at = lambda batch_size, timer: framework.empty_steps(timer)
    found = probe(framework, SMOKE, {"batch_size": 2})
    assert found["failed"] is found["max_length"] is found["new_tokens"] is None
    assert found["steps"] > 0


@pytest.mark.parametrize("clock", [Ticks(2), Timer(SMOKE, lambda: None, lambda: None)])
def test_a_custom_loop_ends_when_its_clock_has_enough_steps(clock):
    clock.start()
    assert not clock.tick()
    with pytest.raises(WrongModel, match="the steps ended before enough were timed"):
        conformance.check_end(clock)
    while not clock.tick():
        pass
    conformance.check_end(clock)
    with pytest.raises(WrongModel, match=r"the loop continued after tick\(\) had returned True"):
        clock.tick()


def test_what_a_custom_loop_returns_costs_no_time_that_was_measured():
    array = np.zeros(3)
    with pytest.warns(UserWarning, match="a custom loop: loss is a ndarray; needed is a number"):
        found = parted({"window": np.int64(3), "name": "own", "loss": array, "outputs": array})
    assert found[0] == {"window": 3, "name": "own"} and found[1] is array
    assert json.dumps(found[0]) == '{"window": 3, "name": "own"}'
    with pytest.warns(UserWarning, match="a custom loop returned a float; needed is a dict or"):
        assert parted(3.0) == ({}, None)
    assert parted(None) == ({}, None)


def test_windows_of_short_steps_last_as_long_as_those_of_others():
    timer = World(step_ns=MS // 10).time(PROTOCOLS["laptop"], most_steps=MANY_STEPS)
    assert all(ns == pytest.approx(150 * MS, rel=0.01) for _, ns, _ in timer.windows)
