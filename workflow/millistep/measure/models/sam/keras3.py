"""Segment Anything from KerasCV on Keras 3."""

from functools import partial

from millistep.measure.models import kerascv
from millistep.measure.models.sam import kerascv as sam

keras, keras_cv = kerascv.load_with_keras3()
batch, attention, facts = sam.batch, sam.attention, sam.facts
build = partial(sam.build, keras, keras_cv)
