"""A record as types: what one run of one cell measured. Field for field the schema."""

from __future__ import annotations

import marshal
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

from analysis.results.machine import Load, Machine, Monitor, Threads
from analysis.results.profiles import HostOverhead
from analysis.results.structure import build
from analysis.results.timed_operation import TimedOperation
from analysis.results.timing import Probe, Timing, Training
from contract import ending, printed


@dataclass(frozen=True)
class Work:
    """What one step computes, the same for every framework unless a caveat says otherwise."""

    parameters: int
    trainable_parameters: int
    flops_per_step: float | None
    tokens_per_step: int | None
    images_per_step: int | None


@dataclass(frozen=True)
class Energy:
    """The energy of the timed pipelined steps, by the device's own counter."""

    joules_per_step: float
    counter: str


@dataclass(frozen=True)
class CellName:
    """The cell and run that a record is of."""

    scale: str
    accelerator: str
    model: str
    task: str
    batch_size: int
    column: str
    framework: str
    run: int


@dataclass(frozen=True)
class Environment:
    """The environment of a run: what was installed there."""

    name: str
    method: str
    definition_sha256: str
    python: str
    packages: dict[str, str]
    variables: dict[str, str] = field(default_factory=dict)  # that the configuration sets

    @cached_property
    def found(self) -> tuple:
        """A key, equal where name, deployment, interpreter and all versions are."""
        return (self.name, self.method, self.python, tuple(sorted(self.packages.items())))


@dataclass(frozen=True)
class SessionName:
    """The session in which a run was measured; `neighbours`: most other slots of the node that were
    busy meanwhile, None when unknown.
    """

    id: str
    node: str
    device: str | None
    slot: int
    slots: int
    attempt: int
    neighbours: int | None
    start: str = ""  # of Snakemake, or of a bundle; older records do not know it


@dataclass(frozen=True)
class Memory:
    """Peaks of memory in MiB."""

    peak_rss_mib: float | None
    peak_device_mib: float | None  # by the framework's own counter
    peak_device_counts: str | None = None  # what that counts, in words
    device_limit_mib: float | None = None  # what the framework may take at most


@dataclass(frozen=True)
class Record:
    """The record of one run."""

    identity: str
    cell: CellName
    status: str
    reason: str
    started_at: str
    finished_at: str
    total_s: float
    environment: Environment
    threads: Threads
    machine: Machine
    load: Load
    monitor: Monitor | None
    timing: Timing | None
    probes: tuple[Probe, ...]
    work: Work | None
    memory: Memory
    energy: Energy | None
    host_overhead: HostOverhead | None
    parity: dict[str, Any] | None
    restarted: str | None
    warnings: tuple[str, ...]
    probe_failures: tuple[str, ...]  # why one at another batch size or length was not timed
    log_tail: tuple[str, ...]
    withheld: tuple[str, ...]  # the places where nothing could be recorded, and why
    training: Training | None = None
    session: SessionName | None = None
    operation: TimedOperation | None = None  # of a model around one; older records have none

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Record:
        """Build a record from data that already passed the schema.

        Status, reason and warnings are worded anew from the raw facts, so that old records read as
        new ones do.
        """
        status, reason = ending.of_record(data)
        withheld, profile = [*data.get("withheld", ())], data["host_overhead"]
        profile = profile and build(HostOverhead, profile)
        if profile and profile.disturbed:
            share = f"{100 * profile.foreign_cpu_share:.0f}\u00a0%"
            withheld.append(f"host_overhead: others used {share} of the processors meanwhile")
            profile = None
        shared = {name: _shared(kind, data.get(name)) for name, kind in SHARED.items()}
        worded = {
            "identity": sys.intern(data["identity"]),  # the plan has the same text
            "status": status,
            "reason": reason,
            "restarted": ending.of_restart(data["restarted"]),
            "warnings": [*data["warnings"], *printed.warnings(data["printed"])],
            "probes": [probe for probe in data["probes"] if not probe["failed"]],
            "probe_failures": ending.of_probes(data),
            "host_overhead": profile,
            "withheld": withheld,
        }
        return build(cls, {**data, **shared, **worded})


# Parts that are read once for all records in which they are the same.
SHARED = {"environment": Environment, "threads": Threads, "machine": Machine, "parity": dict}
SHARED |= {"work": Work, "session": SessionName}
MARSHAL_VERSION = 2  # the last that writes equal data as equal bytes, whoever else holds them


def _shared(kind: Callable[..., Any], data: dict[str, Any] | None) -> Any:
    """A part of a record, once for all records in which it is the same: of ten thousand cells the
    lists of packages alone took a gigabyte. Nobody changes what was read.
    """
    return None if data is None else _built(kind, marshal.dumps(data, MARSHAL_VERSION))


@cache
def _built(kind: Callable[..., Any], content: bytes) -> Any:
    return kind(**marshal.loads(content))
