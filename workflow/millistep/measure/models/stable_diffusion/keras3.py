"""Stable Diffusion from KerasCV on Keras 3."""

from functools import partial

from millistep.measure.models import kerascv
from millistep.measure.models.stable_diffusion import kerascv as stable_diffusion

keras, keras_cv = kerascv.load_with_keras3()
batch, attention = stable_diffusion.batch, stable_diffusion.attention
build = partial(stable_diffusion.build, keras, keras_cv)
LOOPS = {"predict": partial(stable_diffusion.sample, keras_cv)}
