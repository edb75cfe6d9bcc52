"""How long a further run of a cell would take, by a run that is done."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def of_another_run(record: dict[str, Any], planned_probes: Iterable[dict[str, Any]]) -> float:
    """Seconds, without what the first run of a cell measures beside its steps.

    record: as the supervisor wrote it. planned_probes: of its identity; those at other lengths are
    in every run.
    """
    timing = record["timing"]
    if timing is None:
        return float(record["total_s"])
    steps_ns = sum(block["elapsed_ns"] for block in timing["blocks"])
    steps_ns += sum(timing["synchronised_ns"])
    again_ns = sum(
        done["elapsed_ns"]
        for done, planned in zip(record["probes"], planned_probes, strict=False)
        if "max_length" in planned
    )
    extras_s = timing["timed_s"] - (steps_ns + again_ns) / 1e9
    return float(record["total_s"] - max(0.0, extras_s))
