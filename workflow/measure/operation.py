"""The operation that a model is around: what its way gives, costs and takes by itself."""

import time
from typing import Any

from measure.agreement import agreement
from measure.frameworks import Cell
from measure.native import build, lines
from measure.protocol import Protocol

WARMUP_CALLS = 3


def checked(models: Any, cell: Cell, name: str) -> dict[str, Any]:
    """The record's ``operation``, not yet timed by itself; raises where its results differ.

    models: the builder of a model around an operation, see :mod:`measure.models`.
    """
    agrees, built = agreement(models, cell), build.found()
    return {
        "name": name,
        "way": cell.way,
        "uses": None,
        "alone_ns": [],
        "lines": lines.of_python(*models.written(cell)) + (built.lines if built else 0),
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


def alone(models: Any, cell: Cell, protocol: Protocol) -> dict[str, Any]:
    """``uses`` and ``alone_ns`` of the record's ``operation``: calls of it by itself, each waited
    for, after a warm-up.
    """
    call, uses = models.alone(cell)
    for _ in range(WARMUP_CALLS):
        call()
    found: list[int] = []
    while len(found) < protocol.operation_calls and sum(found) < protocol.operation_cap_s * 1e9:
        start = time.perf_counter_ns()
        call()
        found.append(time.perf_counter_ns() - start)
    return {"uses": uses, "alone_ns": found}
