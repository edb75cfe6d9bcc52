"""Segment Anything from KerasCV on Keras 2."""

from functools import partial

from millistep.measure.models import kerascv
from millistep.measure.models.sam import kerascv as sam

keras, keras_cv = kerascv.load_with_keras2()
batch, attention, facts = sam.batch, sam.attention, sam.facts
build = partial(sam.build, keras, keras_cv)
