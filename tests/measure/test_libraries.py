"""What older libraries name or do otherwise is found by looking at what they have."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from measure.frameworks import keras3_jax
from measure.frameworks.xplane import NoOperation
from measure.libraries.causal_lm import never_stopping
from measure.libraries.keras import keeps_state_of_predict, leaves, uses_fused_attention
from tests.models.libraries import cell

PREDICT = cell("bert", "keras3-jax", "predict", "smoke")


class Early:
    """A model whose state is set behind the loop, as in Keras 3.0."""

    _jax_state = None

    def __init__(self):
        self.non_trainable_variables = [Variable("seed")]

    def predict(self, callbacks):
        for step in range(3):
            (callback,) = callbacks
            callback.on_predict_batch_begin(step)
            self.non_trainable_variables[0].value = None
            callback.on_predict_batch_end(step, {"outputs": f"of step {step}"})
        self._jax_state = {"non_trainable_variables": "all"}

    def jax_state_sync(self):
        """Nothing is known where the loop was left."""


class Late(Early):
    """One whose state is set at every step, as today."""

    def predict(self, callbacks):
        for step in range(3):
            self._jax_state = {"non_trainable_variables": f"after step {step}"}
            (callback,) = callbacks
            callback.on_predict_batch_end(step, {"outputs": f"of step {step}"})


class Variable:
    def __init__(self, value):
        self.value = value

    def assign(self, value):
        self.value = value


class Callback:
    def on_predict_batch_end(self, batch, logs=None):
        """As Keras has it."""


def keras_with(model):
    return SimpleNamespace(
        Model=model,
        callbacks=SimpleNamespace(Callback=Callback),
        tree=SimpleNamespace(flatten=flatten),
    )


def flatten(structure):
    """Of dicts in lists, as these tests have them."""
    parts = structure if isinstance(structure, list) else [structure]
    return [value for part in parts for value in part.values()]


class Timer:
    """Lets so many steps pass, and fences before the next, as the real one does."""

    def __init__(self, framework, steps):
        self._framework, self._left = framework, steps

    def start(self):
        """Nothing to do."""

    def tick(self):
        if self._left:
            self._left -= 1
            return False
        self._framework.fence()
        return True


def framework_of(model):
    """The JAX column around a model, and what its fences wait for."""
    framework, waited = keras3_jax.Framework(PREDICT), []
    framework.keras, framework.model = keras_with(model), model()
    framework.models = SimpleNamespace()
    framework.dataset = lambda batch_size: None
    framework.jax = SimpleNamespace(block_until_ready=waited.append)
    method = model.predict
    framework.keras.Model = type(
        "Model", (), {"predict": lambda self, data, verbose, callbacks: method(self, callbacks)}
    )
    return framework, waited


def test_predict_of_early_releases_is_fenced_by_its_outputs(monkeypatch):
    framework, waited = framework_of(Early)
    monkeypatch.setattr(keras3_jax, "keeps_state_of_predict", lambda keras: False)
    framework.run_at(1, Timer(framework, steps=2))
    assert waited == [["of step 0", "of step 1"]]
    assert framework._outputs == []
    assert framework.model.non_trainable_variables[0].value == "seed"  # for the next call


def test_a_release_that_cannot_read_its_traces_says_so():
    framework, _ = framework_of(Early)
    framework.jax = SimpleNamespace(__version__="0.4.20", profiler=SimpleNamespace())
    with pytest.raises(NoOperation, match=r"^JAX 0\.4\.20 cannot read the traces that it writes$"):
        framework.begin_profile()


class Stateless:
    """A model that is one operation, without a variable; its steps return what they were given."""

    _jax_state = None
    trainable_variables = non_trainable_variables = ()

    def make_predict_function(self):
        self.predict_function = lambda state, batch: ({"outputs": f"of {batch}"}, state)

    def predict(self, callbacks):
        """Not called here."""


def built(model, monkeypatch, **variables):
    """The column around a built model of a release that keeps the state of predict."""
    framework, waited = framework_of(model)
    vars(framework.model).update(variables)
    monkeypatch.setattr(keras3_jax, "keeps_state_of_predict", lambda keras: True)
    monkeypatch.setattr(keras3_jax.Keras3Framework, "build", lambda self: None)
    framework.build()
    return framework, waited


def test_predict_without_variables_is_fenced_by_what_its_steps_return(monkeypatch):
    framework, waited = built(Stateless, monkeypatch)
    for batch in ("step 0", "step 1"):
        assert framework.model.predict_function({}, batch) == ({"outputs": f"of {batch}"}, {})
    framework.fence()
    framework.fence()
    assert waited == [["of step 0", "of step 1"]]


def test_predict_with_variables_keeps_none_of_its_outputs(monkeypatch):
    framework, _ = built(Stateless, monkeypatch, trainable_variables=[Variable("kernel")])
    assert not hasattr(framework.model, "predict_function")


class Living:
    """An array on the device."""

    def __init__(self, shape, ready, deleted=False):
        self.shape, self._ready, self._deleted = shape, ready, deleted

    def is_deleted(self):
        return self._deleted

    def is_ready(self):
        assert not self._deleted, "JAX raises"
        return self._ready


def test_what_lives_on_the_device_and_is_not_ready_is_late_unless_it_is_a_batch():
    framework, waited = framework_of(Late)
    framework.feed.batch = {"x": Living((8, 4), ready=True)}
    late, ready = Living((8, 2), ready=False), Living((8, 2), ready=True)
    others = [ready, Living((8, 4), ready=False), Living((8, 2), ready=False, deleted=True)]
    framework.jax.live_arrays = lambda: [late, *others]
    assert framework.late_ns() > 0
    assert waited == [[late]]
    framework.jax.live_arrays = lambda: others
    assert framework.late_ns() == 0


def test_where_the_model_tells_its_state_nothing_is_asked_of_callbacks(monkeypatch):
    framework, _ = framework_of(Late)
    monkeypatch.setattr(keras3_jax, "keeps_state_of_predict", lambda keras: True)
    clock = framework._clock(Timer(framework, steps=2))
    assert "on_predict_batch_end" not in vars(clock)
    assert not hasattr(clock, "async_safe")


@pytest.mark.parametrize(("model", "keeps"), [(Early, False), (Late, True)])
def test_whether_predict_keeps_its_state_is_read_in_its_source(model, keeps):
    assert keeps_state_of_predict(keras_with(model)) is keeps


def test_leaves_of_todays_containers_are_its_own():
    assert leaves(keras_with(Early), {"a": 1, "b": 2}) == [1, 2]


@pytest.mark.parametrize(
    ("config", "dropout", "fused"),
    [
        ({}, 0.0, False),
        ({"is_flash_attention_enabled": lambda: None}, 0.0, True),
        ({"is_flash_attention_enabled": lambda: None}, 0.1, False),
        ({"is_flash_attention_enabled": lambda: False}, 0.0, False),
    ],
)
def test_attention_is_fused_where_keras_can(config, dropout, fused):
    keras = SimpleNamespace(config=SimpleNamespace(**config))
    assert uses_fused_attention(keras, SimpleNamespace(_dropout=dropout)) is fused


class Newer:
    def generate(self, inputs, max_length=None, stop_token_ids="auto"):
        """As today."""


class Older:
    def __init__(self):
        self.preprocessor = SimpleNamespace(tokenizer=SimpleNamespace(end_token_id=1))

    def generate(self, inputs, max_length=None):
        """As in KerasNLP 0.8."""


def test_nothing_stops_an_answer_early():
    assert never_stopping(Newer()) == {"stop_token_ids": None}
    model = Older()
    assert never_stopping(model) == {}
    assert model.preprocessor.tokenizer.end_token_id == -1


def test_a_cell_of_another_task_is_not_looked_at():
    framework = keras3_jax.Framework(replace(PREDICT, task="fit"))
    assert framework._unseen is False
