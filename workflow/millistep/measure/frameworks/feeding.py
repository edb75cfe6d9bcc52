"""How the steps of a configuration are fed, as observed settings."""

from collections.abc import Callable, Iterator
from typing import Any

from millistep.measure.conformance import WrongModel

Make = Callable[[int], Any]  # makes a batch of a size

OWN_LOOP = {"feeding": "the library's own loop", "fed_bytes_per_step": None}


def facts(source: str, batch: Any) -> dict[str, Any]:
    """Return the observed settings of feeding.

    source: the inputs of a step, in words. batch: arrays or tensors in dicts, tuples or lists.
    """
    return {"feeding": source, "fed_bytes_per_step": size(batch)}


def check_batch(batch: Any, make: Make, batch_size: int) -> None:
    """Raise :class:`WrongModel` unless a batch has NumPy arrays, and samples of this number.

    The samples may be on any axis. A batch without such an axis, as of the nodes of graphs, must
    change with its size.
    """
    import numpy as np

    for name, leaf in leaves(batch):
        if not isinstance(leaf, np.ndarray):
            raise WrongModel(f"{name} is a {type(leaf).__name__}; needed is a NumPy array")
    if not any(batch_size in leaf.shape for _, leaf in leaves(batch)):
        check_size(batch, make, batch_size)


def check_size(batch: Any, make: Make, batch_size: int) -> None:
    """Raise :class:`WrongModel` if a batch of one sample more has the same shapes."""
    try:
        more = make(batch_size + 1)
    except Exception:  # it has no more samples
        return
    found, others = (
        [leaf.shape for _, leaf in leaves(each) if hasattr(leaf, "shape")] for each in (batch, more)
    )
    if found and found == others:
        raise WrongModel(
            f"batch() makes the same shapes for batch sizes {batch_size} and {batch_size + 1} "
            f"({', '.join(map(str, found))}); needed are as many samples as its second argument"
        )


def leaves(batch: Any, name: str = "batch()") -> Iterator[tuple[str, Any]]:
    """Yield what is in the dicts, tuples and lists of a batch, with the place."""
    if isinstance(batch, dict):
        for key, each in batch.items():
            yield from leaves(each, f"{name}[{key!r}]")
    elif isinstance(batch, tuple | list):
        for index, each in enumerate(batch):
            yield from leaves(each, f"{name}[{index}]")
    else:
        yield name, batch


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
