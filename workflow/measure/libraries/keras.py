"""Keras 3, from 3.0 on."""

import inspect
from typing import Any


def leaves(keras: Any, structure: Any) -> list[Any]:
    """All arrays in nested containers of Keras' own; to JAX such a container is one opaque leaf."""
    if hasattr(keras, "tree"):
        return keras.tree.flatten(structure)
    import jax  # before Keras 3.4 the containers were Python's

    return jax.tree_util.tree_leaves(structure)


def keeps_state_of_predict(keras: Any) -> bool:
    """On JAX: whether the model has the state of each step of ``predict``, as it has of ``fit``.

    Early releases set it behind the loop alone, so that nothing of the model tells when a step is
    ready, and lose the variables that the loop has taken out of the model when it is left.
    """
    loop = inspect.getsource(keras.Model.predict).partition("on_predict_batch_end")[0]
    return "self._jax_state = {" in loop


def auto_jit_compile(keras: Any) -> bool:
    """What Keras' own ``jit_compile="auto"`` comes to on this backend and machine, for a net that
    every compiler takes.
    """
    net = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1)])
    net.compile()
    return bool(net.jit_compile)


def uses_fused_attention(keras: Any, layer: Any) -> bool:
    """Whether a ``MultiHeadAttention`` leaves its products to ``ops.dot_product_attention``, as it
    does since that exists, unless it drops out.
    """
    if not hasattr(keras.config, "is_flash_attention_enabled"):
        return False
    return not layer._dropout and keras.config.is_flash_attention_enabled() is not False
