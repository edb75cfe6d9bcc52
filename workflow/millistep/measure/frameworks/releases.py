"""Differences between releases of JAX, from 0.4.20 on, and of Keras 3 and today's.

Frameworks and builders use today's names. The functions here inspect the installed library, never
its version.
"""

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


def leaves(keras: Any, structure: Any) -> Any:
    """Return all arrays in Keras' nested containers; to JAX each of those is one opaque leaf."""
    if hasattr(keras, "tree"):
        return keras.tree.flatten(structure)
    import jax  # before Keras 3.4 the containers were Python's

    return jax.tree_util.tree_leaves(structure)


def keeps_state_of_predict(keras: Any) -> bool:
    """Return True if, on JAX, the model has the state of each step of ``predict``, as of ``fit``.

    Early releases set it only after the loop, so the model does not show when a step is ready. If
    the loop is left early, they lose the variables that the loop has taken out of the model.
    """
    loop = inspect.getsource(keras.Model.predict).partition("on_predict_batch_end")[0]
    return "self._jax_state = {" in loop


def auto_jit_compile(keras: Any) -> bool:
    """Return Keras' choice for ``jit_compile="auto"`` on this backend, for any model."""
    net = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1)])
    net.compile()
    return bool(net.jit_compile)


def uses_fused_attention(keras: Any, layer: Any) -> bool:
    """Return True if a ``MultiHeadAttention`` computes by ``ops.dot_product_attention``."""
    return hasattr(keras.config, "is_flash_attention_enabled") and not layer._dropout
