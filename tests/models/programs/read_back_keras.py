"""Tasks that read observed settings after a few steps, and JAX's share of a device's memory."""

from functools import partial
from types import SimpleNamespace

from column import allocated, framework_of, loop_done, measured, work_done

from millistep.measure.observed import parity
from millistep.measure.switches import changed

__all__ = ["allocated", "loop_done", "work_done"]  # besides those below


def observed_settings(cell):
    return parity(measured(cell), {"images_per_step": None})


def switches_of_tensorflow_left(cell):
    """The observed switches while each of these is left on, and after all."""
    tf = framework_of(cell).tf
    from tensorflow.python.framework.config import disable_op_determinism

    jit, mixed = tf.config.optimizer.set_jit, tf.config.optimizer.set_experimental_options
    found = []
    for turn_on, turn_off in (
        (tf.config.experimental.enable_op_determinism, disable_op_determinism),
        (tf.debugging.enable_check_numerics, tf.debugging.disable_check_numerics),
        (partial(jit, "autoclustering"), partial(jit, False)),
        [partial(mixed, {"auto_mixed_precision": on}) for on in (True, False)],
    ):
        turn_on()
        found.append(changed())
        turn_off()
    return found


def switches_of_jax_left(cell):
    """The observed switches with some of JAX's settings changed, and after that."""
    framework = framework_of(cell)
    config, found = framework.jax.config, []
    for value in (True, False):
        config.update("jax_debug_nans", value)
        config.update("jax_log_compiles", value)
        found.append(changed())
    return found


def waits_for_outputs(cell):
    """Whether all that a step of JAX makes is ready after each fence."""
    framework, late = measured(cell), []

    def ticks():
        if len(late) == 3:
            return True
        framework.fence()
        late.append(framework.late_ns())
        return False

    framework.run(SimpleNamespace(start=lambda: None, tick=ticks))
    return late == [0, 0, 0]


def memory_fraction(cell):
    """Return JAX's share of a device's memory."""
    framework_of(cell)
    from jaxlib.xla_client import generate_pjrt_gpu_plugin_options

    return generate_pjrt_gpu_plugin_options()["memory_fraction"]
