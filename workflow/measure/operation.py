"""The operation that a model is built around: its results, its lines and builds, its own time."""

import time
from typing import Any

from measure.agreement import agreement
from measure.frameworks import Cell
from measure.native import build, lines
from measure.protocol import Protocol

WARMUP_CALLS = 3


class Operation:
    """The cell's operation: what is timed by itself is what was checked."""

    def __init__(self, models: Any, cell: Cell, name: str) -> None:
        """models: the builder of a model around an operation, see :mod:`measure.models`."""
        self._models, self._cell, self._name = models, cell, name
        self._call, self._uses = models.alone(cell)

    def checked(self) -> dict[str, Any]:
        """The record's ``operation``, not yet timed by itself; raises if its results differ."""
        agrees, built = agreement(self._models, self._cell, self._call()), build.found()
        own_lines = lines.of_python(*self._models.written(self._cell))
        return {
            "name": self._name,
            "way": self._cell.way,
            "uses": None,
            "alone_ns": [],
            "lines": own_lines + (built.lines if built else 0),
            "agreement": agrees,
            "build": built
            and {
                "seconds": built.build_s,
                "compiler": built.compiler,
                "compile_flags": built.compile_flags,
                "link_flags": built.link_flags,
                "packages": [*built.packages],
            },
        }

    def timed(self, protocol: Protocol) -> dict[str, Any]:
        """``uses`` and ``alone_ns`` for the record: times of calls of the operation by itself, each
        waited for, after a warm-up.
        """
        for _ in range(WARMUP_CALLS):
            self._call()
        found: list[int] = []
        while len(found) < protocol.operation_calls and sum(found) < protocol.operation_cap_s * 1e9:
            start = time.perf_counter_ns()
            self._call()
            found.append(time.perf_counter_ns() - start)
        return {"uses": self._uses, "alone_ns": found}
