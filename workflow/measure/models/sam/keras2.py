"""Segment Anything from KerasCV on Keras 2."""

from typing import Any

from measure.frameworks import Cell
from measure.models import kerascv
from measure.models.sam import kerascv as sam

keras, keras_cv = kerascv.load_with_keras2()
batch, attention, facts = sam.batch, sam.attention, sam.facts


def build(cell: Cell) -> Any:
    """A compiled model: the image encoder with Adam and mse for fit, all of it for predict."""
    return sam.build(keras, keras_cv, cell)
