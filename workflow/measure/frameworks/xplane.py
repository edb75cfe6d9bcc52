"""When operations computed, from the traces (XPlane) that TensorFlow's and JAX' profilers write.

On a GPU these are the device's own kernels. On the host, XLA names the operation
of each piece of a program in ``hlo_op``, and TensorFlow's executor calls its
kernels ``name:Type``; whatever else is in a trace is dispatch and waiting.
"""

import re
import tempfile
from collections.abc import Callable, Collection, Iterable
from pathlib import Path

_KERNEL = re.compile(r"[^:\s]+:_?(?P<type>[A-Z]\w*)")
_CALLS = re.compile(r"PartitionedCall|StatefulPartitionedCall|XlaLaunch|_XlaRun|While|If|Case")
# Plane, line, name, start ns, duration ns, names of its facts.
Event = tuple[str, str, str, float, float, Collection[str]]


class Trace:
    """A profile of this process in a temporary folder."""

    def __init__(
        self,
        start: Callable[[str], object],
        stop: Callable[[], object],
        read: Callable[[Path], Iterable[Event]],
    ) -> None:
        """start: takes the folder. stop: writes the trace. read: see :func:`computing`."""
        self._folder = tempfile.TemporaryDirectory(prefix="millistep-trace-")
        self._stop, self._read = stop, read
        start(self._folder.name)

    def end(self) -> list[tuple[int, int]]:
        """``(start ns, end ns)`` of every piece of computation."""
        self._stop()
        with self._folder:
            path = next(Path(self._folder.name).rglob("*.xplane.pb"))
            return computing(list(self._read(path)))


def computing(events: list[Event]) -> list[tuple[int, int]]:
    """Intervals of the events that compute.

    events: ``(plane, line, name, start ns, duration ns, names of its facts)`` each.
    """
    on_device = [e for e in events if e[0].startswith("/device:GPU") and e[1].startswith("Stream")]
    chosen = on_device or [e for e in events if _computes(*e)]
    return [(int(start), int(start + duration)) for _, _, _, start, duration, _ in chosen]


def _computes(
    plane: str, line: str, name: str, start: float, duration: float, facts: Collection[str]
) -> bool:
    if "hlo_op" in facts:
        return not name.startswith("end:")
    kernel = _KERNEL.fullmatch(name)
    if kernel is None or _CALLS.fullmatch(kernel["type"]):
        return False
    return line.startswith("tf_")
