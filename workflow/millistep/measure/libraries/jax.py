"""JAX, from 0.4.20 on."""

import inspect
from typing import Any

FRACTION = "XLA_CLIENT_MEM_FRACTION"
FORMER_FRACTION = "XLA_PYTHON_CLIENT_MEM_FRACTION"


def memory_fraction() -> str:
    """Return the environment variable with the share of a GPU's memory that JAX may take."""
    from jaxlib import xla_client

    return FRACTION if FRACTION in inspect.getsource(xla_client) else FORMER_FRACTION


def reads_traces(jax: Any) -> bool:
    """Return True if this JAX can read what its profiler writes. Releases that cannot also record
    no operation of a program on the host, like TensorFlow's of that time.
    """
    return hasattr(jax.profiler, "ProfileData")
