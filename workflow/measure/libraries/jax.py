"""JAX, from 0.4.20 on."""

import inspect

FRACTION = "XLA_CLIENT_MEM_FRACTION"
FORMER_FRACTION = "XLA_PYTHON_CLIENT_MEM_FRACTION"


def memory_fraction() -> str:
    """The environment variable that says what share of a GPU's memory it may take."""
    from jaxlib import xla_client

    return FRACTION if FRACTION in inspect.getsource(xla_client) else FORMER_FRACTION
