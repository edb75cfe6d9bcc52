"""Tasks that read a card after a few steps of a cell, and JAX's share of a device's memory."""

from column import measured

from measure.card import parity


def card(cell):
    """The card, and the framework's share of a device's memory by the policy, if it is JAX."""
    found = parity(measured(cell), {"images_per_step": None})
    return {**found, "memory_fraction": _memory_fraction(cell)}


def _memory_fraction(cell):
    if cell.framework != "keras3-jax":
        return None
    from jaxlib.xla_client import generate_pjrt_gpu_plugin_options

    return generate_pjrt_gpu_plugin_options()["memory_fraction"]
