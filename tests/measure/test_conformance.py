"""What timing assumes of a model is checked on the live model."""

import importlib
import json
from types import SimpleNamespace

import numpy as np
import pytest

from millistep.measure import conformance, frameworks, models
from millistep.measure.conformance import (
    WrongModel,
    WrongSetting,
    check_end,
    check_has,
    check_inputs,
    check_loops,
    check_method,
    check_model,
    check_output,
    check_settings,
    check_trained,
    check_variables,
    check_work,
    same_process,
)
from millistep.measure.extras import probe
from millistep.measure.frameworks import Cell
from millistep.measure.frameworks.loops import Ticks, parted
from millistep.measure.interference import Quota
from millistep.measure.process import failure, line_of_model
from millistep.measure.protocol import PROTOCOLS
from millistep.measure.timer import MANY_STEPS, Timer, harness_ns

from ..shared import put
from .conftest import Bare
from .test_timer import MS, SMOKE, World

SIZES = {"parameters": 5466, "trainable_parameters": 5466}


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
    asked = {"parameters": declared, "trains": "all", "scale": "smoke"}
    check_model({**SIZES, **more}, "fit", asked)
    with pytest.raises(WrongModel, match="5,466 parameters were built, the row is about 7,000"):
        check_model({**SIZES, **more}, "fit", {**asked, "parameters": 7000})


def test_a_model_without_weights_is_told_how_to_make_them():
    asked = {"parameters": 10, "trains": "all", "scale": "smoke"}
    with pytest.raises(WrongModel, match=r"call it once in build\(cell\)"):
        check_model({"parameters": 0, "trainable_parameters": 0}, "fit", asked)


def test_a_setting_that_the_builder_ignores_is_refused():
    asked = SimpleNamespace(jit_compile=True, optimizer="fused")
    with pytest.raises(WrongSetting, match="jit_compile: true was requested, the built model has"):
        check_settings(asked, {"jit_compile": False})
    with pytest.raises(WrongSetting, match="optimizer: fused was requested"):
        check_settings(asked, {"optimizer": "foreach"})
    with pytest.raises(WrongSetting, match=r"threads: 2 was .* must not set the number of thr"):
        check_settings(SimpleNamespace(threads=2), {"threads": 16})
    for choice in ("auto", "published"):
        check_settings(SimpleNamespace(jit_compile=choice), {"jit_compile": False})


def test_a_builder_that_changes_variables_of_libraries_is_refused():
    before = {"OMP_NUM_THREADS": "2", "HOME": "/root"}
    check_variables(before, {**before, "HOME": "/", "KERAS_BACKEND": "torch", "TF2_BEHAVIOR": "1"})
    check_variables(before, {**before, "KMP_INIT_AT_FORK": "FALSE"})  # scikit-learn's
    changed = {"HOME": "/root", "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false"}
    with pytest.raises(WrongSetting, match="the builder sets OMP_NUM_THREADS, XLA_FLAGS; use thr"):
        check_variables(before, changed)


def test_what_a_builder_changes_in_the_process_is_refused(monkeypatch):
    with pytest.raises(WrongSetting, match="the builder sets OMP_NUM_THREADS"), same_process():
        monkeypatch.setenv("OMP_NUM_THREADS", "1000")
    with pytest.raises(WrongSetting, match="confines the process to 1 CPUs ins"), same_process():
        monkeypatch.setattr(conformance, "_cpus", lambda: {4096})


@pytest.mark.parametrize(
    "name", ["TF_DETERMINISTIC_OPS", "TF_ENABLE_ONEDNN_OPTS", "CUBLAS_WORKSPACE_CONFIG"]
)
def test_variables_that_switch_kernels_are_those_of_the_configuration(name):
    with pytest.raises(WrongSetting, match=f"the builder sets {name}; use threads, device or"):
        check_variables({}, {name: "1"})


def test_a_folder_of_models_is_found_after_a_builder_has_changed_the_folder(tmp_path, monkeypatch):
    put(tmp_path / "mine/models/late/work.py", "")
    monkeypatch.setattr(models, "__path__", [*models.__path__])
    monkeypatch.setattr(frameworks, "__path__", [*frameworks.__path__])
    monkeypatch.chdir(tmp_path)
    frameworks.add_folders(["mine"])
    monkeypatch.chdir("/")
    importlib.import_module("millistep.measure.models.late.work")


class Keras:
    """The module, with a class as Keras' own."""

    class Model:
        __module__ = "keras.src.models"

        def fit(self):
            """Of Keras."""

        make_train_function = fit


class OwnFunction(Keras.Model):
    def make_train_function(self):
        """Of the user."""


def test_the_method_and_the_function_of_a_step_are_those_of_keras():
    check_method(Keras.Model(), "fit", Keras, "keras 3")
    with pytest.raises(WrongModel, match=r"OwnFunction has a make_train_function\(\) of its own"):
        check_method(OwnFunction(), "fit", Keras, "keras 3")


class Trained(Bare):
    """A framework that trains two weights."""

    compares = True
    found = (3.0, 4.0)

    def norms(self, number=None):
        return [*self.found][:number]


def test_steps_that_change_no_weight_train_nothing():
    framework = Trained(SimpleNamespace(task="fit"))
    before = conformance.norms(framework)
    with pytest.raises(WrongModel, match=r"changed no trained weight: train_step\(\) must apply"):
        check_trained(framework, before)
    framework.found = (3.0, 4.5)
    check_trained(framework, before)
    for other in (Bare(framework.cell), Trained(SimpleNamespace(task="predict"))):
        assert conformance.norms(other) == []
        check_trained(other, [])


def test_a_batch_is_the_same_when_it_is_made_again():
    cell, rng = SimpleNamespace(task="fit", seed=1, batch_size=4), np.random.default_rng()
    made = {"x": lambda size: np.random.random(size), "y": lambda size: np.full(size, np.nan)}

    def batch(cell, size):
        return {name: make(size) for name, make in made.items()}

    framework = Bare(cell)
    check_inputs(framework)  # none was fed
    framework.models = SimpleNamespace(batch=batch)
    framework.fed_batch = framework.batch(4)
    check_inputs(framework)
    framework.fed_batch["x"][0] += 1
    with pytest.raises(WrongModel, match=r"batch\(\)\['x'\] is another one when it is made again"):
        check_inputs(framework)
    made["x"] = rng.random
    framework.fed_batch = framework.batch(4)
    with pytest.raises(WrongModel, match="seed its random numbers by cell"):
        check_inputs(framework)


def test_a_task_without_its_loop_and_a_loop_without_a_task_are_refused():
    check_loops(SimpleNamespace(), "fit")
    check_loops(SimpleNamespace(LOOPS={"generate": print}), "generate")
    with pytest.raises(WrongModel, match=r"generate needs a custom loop: LOOPS = \{'generate': l"):
        check_loops(SimpleNamespace(), "generate")
    with pytest.raises(WrongModel, match="LOOPS has a loop for training; the tasks are fit, pred"):
        check_loops(SimpleNamespace(LOOPS={"training": print}), "fit")
    with pytest.raises(WrongModel, match=r"own\(\) is not used; write LOOPS = {'fit': own}"):
        check_loops(SimpleNamespace(own=lambda model, cell, batch_size, tick: None), "fit")
    for loops in ([("fit", print)], {"fit": "loop"}):
        with pytest.raises(WrongModel, match=r"LOOPS is .*; needed is a dict, such as"):
            check_loops(SimpleNamespace(LOOPS=loops), "fit")


class Later:
    """Awaitable, as what an async function returns."""

    def __await__(self):
        yield


@pytest.mark.parametrize("made", [iter([1]), (number for number in (1, 2)), Later()])
def test_an_output_that_is_computed_when_it_is_read_is_refused(made):
    check_output((np.ones(2), {"none": None}))
    with pytest.raises(WrongModel, match=r"the forward pass returned a .*, which computes when it"):
        check_output({"value": (made,)})


def test_a_class_is_no_model():
    with pytest.raises(WrongModel, match=r"build\(\) returned the class Bare; needed is a model"):
        check_has(Bare, "build()", "a model", "fence")


@pytest.mark.parametrize("value", ["many", -1, float("nan"), [1]])
def test_the_work_of_a_step_is_a_number(value):
    amount = {"flops_per_step": value, "tokens_per_step": None, "images_per_step": None}
    with pytest.raises(WrongModel, match=r"work.py of mlp: flops_per_step is .*; needed is a numb"):
        check_work("mlp", amount)


@pytest.mark.parametrize(("amount", "words"), [(None, "nothing"), (5, "int"), ({1: 2}, "1")])
def test_the_work_of_a_step_is_a_dict(amount, words):
    with pytest.raises(WrongModel, match=f"per_step returned {words}; needed is a dict of flops"):
        check_work("mlp", amount)


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


def test_periods_in_which_the_quota_stopped_the_run_are_counted_within_the_windows(tmp_path):
    files = [put(tmp_path / str(n), "nr_periods 10\nnr_throttled 2\n") for n in range(2)]
    quota = Quota(list(map(str, files)))
    for stopped in (3, 7):
        with quota:
            files[1].write_text(
                f"usage_usec 5\nnr_periods {20 + stopped}\nnr_throttled {stopped}\n"
            )
    assert quota.found() == {"quota_periods": 17, "quota_throttled_periods": 5}
    assert set(Quota([]).found().values()) == {None}
    gone = Quota([str(tmp_path / "gone")])
    with gone:
        pass
    assert gone.found() == {"quota_periods": 0, "quota_throttled_periods": 0}


def test_an_error_names_the_line_of_the_models_own_module(tmp_path):
    path = put(tmp_path / "models/mlp/keras3.py", "def build(cell):\n    return cell.width\n")
    names = {"__name__": "millistep.measure.models.mlp.keras3"}
    exec(compile(path.read_text(), path, "exec"), names)
    with pytest.raises(AttributeError) as failed:
        names["build"](None)
    assert line_of_model(failed.value) == "models/mlp/keras3.py, line 2"
    wrapped = WrongModel("cannot be built")
    wrapped.__cause__ = failed.value
    assert line_of_model(wrapped) == "models/mlp/keras3.py, line 2"
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
    amount = {"flops_per_step": None, "tokens_per_step": None, "images_per_step": None}
    work = SimpleNamespace(per_step=lambda task, architecture, batch_size: amount)
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
        check_end(clock)
    while not clock.tick():
        pass
    check_end(clock)
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
