"""Snake in JAX operations."""

import jax.numpy as jnp


def snake(x, a):
    return x + jnp.sin(a * x) ** 2 / a
