"""Keras 3 on JAX, with a model's custom C++ operation."""

from millistep.measure.models.native.compile import compiler_version

from millistep.measure.frameworks import keras3_jax


class Framework(keras3_jax.Framework):
    family = "keras3_jax_cpp"

    def execution(self, jit):
        return {**super().execution(jit), "compiler": f"XLA, {compiler_version()}"}
