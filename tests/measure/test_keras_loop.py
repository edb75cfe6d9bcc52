"""Keras' loop, with a trainer that does as it is told."""

from types import SimpleNamespace

import pytest

from measure.frameworks.keras import KerasFramework
from measure.timer import Finished


class Column(KerasFramework):
    """Counts how often its model was brought back to a usable state."""

    models = SimpleNamespace()
    keras = SimpleNamespace(callbacks=SimpleNamespace(Callback=object))
    settled = 0

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
    timer = SimpleNamespace(start=lambda: None, tick=lambda: True)
    try:
        column.run_at(8, timer)
    except MemoryError:
        assert trouble is MemoryError
    assert column.settled == 1
