"""How a column's steps are fed, for the parity card: seen while they run.

On a CPU nothing is copied to a device; columns differ in what a framework converts a batch to, and
in whether it does so ahead of the step that uses it.
"""

from typing import Any

OWN_LOOP = {"feeding": "the library's own loop", "fed_bytes_per_step": None}
SETTLED = 2  # from this step on: before it, Keras looks at the first batches to build the model


class Feed:
    """Watches a data set being asked for batches, and the steps that begin.

    taken: batches for itself that a step has already taken when it is said to begin.
    """

    def __init__(self, taken: int = 0) -> None:
        self._taken = taken
        self.batch: Any = None  # the one that is repeated
        self.asked = 0  # batches handed over
        self.ahead = 0  # most of them that were for later steps

    def hands(self, index: int) -> None:
        """Note that batch ``index``, counted from 0, is handed over; on any thread."""
        self.asked = index + 1

    def begins(self, step: int) -> None:
        """Note that step ``step``, counted from 0, is said to begin."""
        if step >= SETTLED:
            self.ahead = max(self.ahead, self.asked - step - self._taken)


def facts(
    accelerator: str, source: str, batch: Any, ahead: bool = False, copied_ahead: bool = False
) -> dict[str, Any]:
    """The parity card's entries on feeding.

    source: what is handed over, in words. batch: arrays or tensors in dicts, tuples or lists.
    ahead: batches are made ahead of their steps. copied_ahead: and copied to the device ahead.
    """
    words = f"{source}, prefetched" if ahead else source
    if accelerator != "cpu":
        words += ", copied ahead of the step" if copied_ahead else ", copied in the step"
    return {"feeding": words, "fed_bytes_per_step": size(batch)}


def size(batch: Any) -> int:
    """Bytes of all arrays in a batch."""
    if isinstance(batch, dict):
        return sum(map(size, batch.values()))
    if isinstance(batch, tuple | list):
        return sum(map(size, batch))
    return int(getattr(batch, "nbytes", 0))
