"""Keras' loop, with a trainer that does as it is told."""

import weakref
from contextlib import suppress
from types import SimpleNamespace

import pytest

from millistep.measure.frameworks import keras3_jax, keras3_tensorflow
from millistep.measure.frameworks.keras import KerasFramework
from millistep.measure.frameworks.loops import Ticks
from millistep.measure.timer import Finished


class Column(KerasFramework):
    """Counts how often its model was brought back to a usable state."""

    models = SimpleNamespace()
    keras = SimpleNamespace(callbacks=SimpleNamespace(Callback=SimpleNamespace))
    model = SimpleNamespace(steps_per_execution=1)
    settled = 0
    load = live_accelerator = precision = fence = compilations = None  # none is called

    def dataset(self, batch_size):
        return []

    def results_for(self, callback):
        return "left"

    def settle(self):
        self.settled += 1

    def _call(self, data, callback):
        raise self.trouble


@pytest.mark.parametrize("trouble", [Finished, MemoryError])
def test_a_model_is_usable_again_however_its_loop_was_left(trouble):
    column = Column(SimpleNamespace(task="predict", batch_size=4))
    column.trouble = trouble
    with suppress(MemoryError):
        column.run_at(8, Ticks(0))
    assert column.settled == 1


class Feeds(Column):
    """Is left in the middle of a loop, in whose frame its data is."""

    def _call(self, data, callback):
        batches = Column(self.cell)
        self.batches = weakref.ref(batches)
        raise Finished


@pytest.mark.parametrize("slowly", [True, False])
def test_the_frames_of_a_loop_that_was_left_live_on_only_where_to_end_them_takes_long(slowly):
    column = Feeds(SimpleNamespace(task="predict", batch_size=4))
    column.ends_slowly = slowly
    column.run_at(8, Ticks(0))
    assert (column.batches() is not None) == slowly


@pytest.mark.parametrize("off", [True, False])
def test_a_switch_of_the_library_makes_a_step_eager(off):
    cell = SimpleNamespace(task="fit", batch_size=4)
    jax, tensorflow = keras3_jax.Framework(cell), keras3_tensorflow.Framework(cell)
    jax.jax = SimpleNamespace(config=SimpleNamespace(jax_disable_jit=off))
    tensorflow.tf = SimpleNamespace(config=SimpleNamespace(functions_run_eagerly=lambda: off))
    for framework in jax, tensorflow:
        framework.model = SimpleNamespace(jit_compile=True, run_eagerly=False)
        assert framework.compiled() is not off
    jax.model.run_eagerly = tensorflow.model.run_eagerly = True
    assert not jax.compiled() and not tensorflow.compiled()


def test_an_eager_step_of_tensorflow_is_no_compilation():
    framework = keras3_tensorflow.Framework(SimpleNamespace(task="fit", batch_size=4))
    framework.tf = SimpleNamespace(executing_eagerly=lambda: True)
    framework.model = SimpleNamespace(train_step=lambda batch: batch)
    framework.models = SimpleNamespace()
    framework.count_traces()
    assert [framework.model.train_step(n) for n in range(3)] == [0, 1, 2]
    assert framework.compilations() == 0


@pytest.mark.parametrize(("loops", "known"), [({}, "none"), ({"fit": print}, None)])
def test_the_optimizer_of_a_custom_loop_may_be_unknown(loops, known):
    column = Column(SimpleNamespace(task="fit", batch_size=4))
    column.models = SimpleNamespace(LOOPS=loops)
    column.optimizers = list
    assert column.optimizer_name() == known
