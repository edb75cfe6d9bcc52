"""How the steps of a configuration are fed, as observed settings."""

from typing import Any

OWN_LOOP = {"feeding": "the library's own loop", "fed_bytes_per_step": None}


def facts(source: str, batch: Any) -> dict[str, Any]:
    """Return the observed settings of feeding.

    source: the inputs of a step, in words. batch: arrays or tensors in dicts, tuples or lists.
    """
    return {"feeding": source, "fed_bytes_per_step": size(batch)}


def size(batch: Any) -> int:
    """Return the bytes of all arrays in a batch."""
    if isinstance(batch, dict):
        return sum(map(size, batch.values()))
    if isinstance(batch, tuple | list):
        return sum(map(size, batch))
    return int(getattr(batch, "nbytes", 0))
