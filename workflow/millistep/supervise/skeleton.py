"""The record of a run before anything is measured."""

import json
from typing import Any

from millistep.supervise import ending, machine, preconditions, processors
from millistep.supervise.record import SCHEMA, now

CELL_FIELDS = (
    "scale",
    "accelerator",
    "model",
    "task",
    "batch_size",
    "column",
    "framework",
    "run",
)
THREAD_POLICY = (
    "one thread per processor, of each physical core first, in a process confined to these, "
    "the same number in every pool"
)


def skeleton(identity_text: str, environment: dict[str, Any]) -> dict[str, Any]:
    """Return a record without results, with what is measured and where; its status is
    killed.
    """
    identity = json.loads(identity_text)
    return {
        "schema": SCHEMA,
        "identity": identity_text,
        "cell": {name: identity[name] for name in CELL_FIELDS},
        "status": "killed",
        "reason": ending.WHOLE_JOB_KILLED,
        "ending": None,
        "not_tried": None,
        "started_at": now(),
        "finished_at": now(),
        "total_s": 0.0,
        "environment": {
            name: environment[name]
            for name in ("name", "method", "definition_sha256", "python", "packages")
        }
        | {"variables": identity["variables"]},
        "threads": {
            "policy": THREAD_POLICY,
            "requested": identity["threads"],
            "affinity": processors.pinned(identity["threads"]),
        },
        "machine": _machine(identity),
        "session": None,
        "load": {
            "before": None,
            "after": None,
            "foreign_cpu_share": None,
            "system_cpu_share": None,
            "page_faults_per_step": None,
            "quota_periods": None,
            "quota_throttled_periods": None,
            "swapped_mib": None,
        },
        "monitor": None,
        "timing": None,
        "probes": [],
        "work": None,
        "memory": {
            "peak_rss_mib": None,
            "peak_device_mib": None,
            "peak_device_counts": None,
            "device_limit_mib": None,
            "allocated_bytes_per_step": None,
        },
        "energy": None,
        "host_overhead": None,
        "calls": None,
        "outcome": None,
        "parity": None,
        "warnings": [],
        "log_tail": [],
    }


def _machine(identity: dict[str, Any]) -> dict[str, Any]:
    """Return the machine's description, without a GPU that is not there."""
    try:
        return preconditions.machine_card(identity)
    except preconditions.Refused:
        return machine.summary("cpu")
