"""Changes of a record that many tests make."""

from __future__ import annotations

import math
import random
from typing import Any

from contract import ending

ENDING = {
    "done": True,
    "exit_code": 0,
    "failure": None,
    "timed_out_after_s": None,
    "memory_over_mib": None,
    "kernel_killed_for_memory": False,
    "measured": True,
    "device_free_mib": None,
    "last_words": None,
}
FAILURES = {"oom": "MemoryError", "error": "RuntimeError", "unsupported": "WrongDevice"}


def takes(record: dict[str, Any], step_ms: float) -> None:
    """Every step takes so long."""
    for block in record["timing"]["blocks"]:
        block["elapsed_ns"] = round(1e6 * block["steps"] * step_ms)


def stretch(record: dict[str, Any], factor: float, of: slice = slice(None)) -> None:
    """Steps take so many times as long, in all blocks or in some."""
    for block in record["timing"]["blocks"][of]:
        block["elapsed_ns"] = round(block["elapsed_ns"] * factor)


def slow_down(record: dict[str, Any]) -> None:
    """By a tenth from the sixth block on."""
    stretch(record, 1.1, slice(5, None))


def fail(record: dict[str, Any], status: str, message: str = "") -> None:
    """Turn a record into that of a run that ended so."""
    record.update(timing=None, probes=[], work=None, parity=None)
    raw = {**ENDING, "done": False, "exit_code": 1, "measured": False}
    if status in FAILURES:
        raw["failure"] = {"type": FAILURES[status], "message": message}
    elif status == "timeout":
        raw["timed_out_after_s"] = 60.0
    elif status == "killed":
        raw["exit_code"] = -9
    else:
        record["not_tried"] = {"needed_mib": 4096.0, "available_mib": 2048.0, "memory_of": "host"}
    record["ending"] = None if record["not_tried"] else raw
    record["status"], record["reason"] = ending.of_record(record)
    assert record["status"] == status


def uneven(record: dict[str, Any]) -> None:
    """A change: runs scatter by 2 %, differently in every cell."""
    cell = record["cell"]
    seed = f"{cell['column']} {cell['task']} {cell['run']}"
    stretch(record, math.exp(0.02 * random.Random(seed).gauss(0.0, 1.0)))


EAGER = {"aten::addmm": (0.5, 24), "aten::native_layer_norm": (0.05, 5), "aten::gelu": (0.1, 2)}
EAGER |= {"aten::_softmax": (0.1, 2), "aten::copy_": (0.05, 30), "aten::addcdiv_": (0.1, 40)}


def profile(
    step_ms: float,
    idle: float = 0.1,
    slower: float = 1.0,
    operations: dict[str, tuple[float, float]] = EAGER,
) -> dict[str, Any]:
    """A record's host_overhead: parts of a profiled step of `slower` times step_ms, of which each
    operation takes a share, in so many calls; the rest is not listed.
    """
    profiled_ms = slower * step_ms
    listed = sum(share for share, _ in operations.values())
    return {
        "share": idle,
        "method": "a profiler",
        "steps": 3,
        "step_ms": profiled_ms,
        "pairs": [{"plain_ms": step_ms, "profiled_ms": profiled_ms}] * 3,
        "operations": [
            {"name": name, "ms": share * profiled_ms, "count": 2 * calls, "launched": calls}
            for name, (share, calls) in operations.items()
        ],
        "rest_ms": max(0.0, 1 - idle - listed) * profiled_ms,
        "rest_launched": 0.0,
    }
