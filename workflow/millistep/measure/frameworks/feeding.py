"""How the steps of a configuration are fed, as observed settings."""

from collections.abc import Callable
from typing import Any

OWN_LOOP = {"feeding": "the library's own loop", "fed_bytes_per_step": None}


def facts(source: str, batch: Any) -> dict[str, Any]:
    """Return the observed settings of feeding.

    source: the inputs of a step, in words. batch: arrays or tensors in dicts, tuples or lists.
    """
    return {"feeding": source, "fed_bytes_per_step": size(batch)}


def mapped(function: Callable[[Any], Any], batch: Any) -> Any:
    """Return a batch with a function of each of its arrays; its lists become tuples, since only
    tuples and dicts are a structure to tf.data.
    """
    if isinstance(batch, dict):
        return {name: mapped(function, each) for name, each in batch.items()}
    if isinstance(batch, tuple | list):
        return tuple(mapped(function, each) for each in batch)
    return function(batch)


def size(batch: Any) -> int:
    """Return the bytes of all arrays in a batch."""
    if isinstance(batch, dict):
        return sum(map(size, batch.values()))
    if isinstance(batch, tuple | list):
        return sum(map(size, batch))
    return int(getattr(batch, "nbytes", 0))
