"""Tasks that read observed settings after a few steps, and JAX's share of a device's memory."""

from types import SimpleNamespace

from column import allocated, framework_of, loop_done, measured, work_done

from millistep.measure.observed import parity

__all__ = ["allocated", "loop_done", "work_done"]  # besides those below


def observed_settings(cell):
    return parity(measured(cell), {"images_per_step": None})


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
