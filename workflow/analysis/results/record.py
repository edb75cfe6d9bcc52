"""A record as types: what one run of one cell measured. Field for field the schema; raw times stay
in nanoseconds.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from analysis.results.profiles import HostOverhead
from analysis.statistics.intervals import NS_PER_MS
from contract import ending, printed


@dataclass(frozen=True)
class Block:
    """Consecutive pipelined steps between two fences."""

    steps: int
    elapsed_ns: int

    @property
    def step_ms(self) -> float:
        return self.elapsed_ns / self.steps / NS_PER_MS


@dataclass(frozen=True)
class Probe(Block):
    """The same step at another batch size or generated length, timed in the same process."""

    batch_size: int
    max_length: int | None  # tokens of prompt and answer, where the task generates
    new_tokens: int | None  # per step, over the whole batch
    failed: str | None
    blocks: tuple[Block, ...] = ()  # the same by blocks; older records have none


@dataclass(frozen=True)
class Legacy:
    """ms/step by the published arithmetic."""

    step_ms: float
    steps: int
    method: str


@dataclass(frozen=True)
class Compilations:
    """Compiled programs or traces; None where the framework does not count them."""

    before_timing: int | None
    during_timing: int | None


@dataclass(frozen=True)
class Timing:
    """Where the time of a run went; names end in their unit."""

    import_s: float
    build_s: float
    first_step_s: float
    warmup_steps: int
    warmup_s: float
    blocks: tuple[Block, ...]
    stop: str
    extended: bool
    synchronised_ns: tuple[int, ...]
    legacy: Legacy | None
    compilations: Compilations
    timed_s: float
    other_s: float

    @property
    def steps(self) -> int:
        return sum(block.steps for block in self.blocks)


@dataclass(frozen=True)
class Work:
    """What one step computes, the same for every framework unless a caveat says otherwise."""

    parameters: int
    trainable_parameters: int
    flops_per_step: float | None
    tokens_per_step: int | None
    images_per_step: int | None


@dataclass(frozen=True)
class Range:
    """What was seen of a reading during the timed steps."""

    min: float
    median: float
    max: float


@dataclass(frozen=True)
class GpuMonitor:
    """The device during the timed steps."""

    sm_clock_mhz: Range | None
    memory_clock_mhz: Range | None
    temperature_c: Range | None
    power_w: Range | None
    utilization_percent: Range | None
    throttle_reasons: tuple[str, ...]
    foreign_processes: int
    process_memory_mib: Range | None = None


@dataclass(frozen=True)
class Monitor:
    """The machine during the timed steps; None where a reading does not exist."""

    interval_s: float
    samples: int
    load_max: float | None
    frequency_mhz: Range | None
    throttled: int | None
    swapped_mib: float | None
    gpu: GpuMonitor | None


@dataclass(frozen=True)
class Energy:
    """Of the timed pipelined steps, by the device's own counter."""

    joules_per_step: float
    counter: str


@dataclass(frozen=True)
class Epoch:
    """Seconds of its steps and of its validation, and what that found."""

    steps_s: float
    validation_s: float
    validation_loss: float
    validation_right: int


@dataclass(frozen=True)
class Training:
    """A training to its end; `images` are in whole batches."""

    data: str
    sha256: str
    status: str
    reason: str
    images: int | None
    validation_images: int | None
    epochs: tuple[Epoch, ...]


@dataclass(frozen=True)
class CellName:
    """The cell that a record is of."""

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
    """What was installed where the run ran."""

    name: str
    method: str
    definition_sha256: str
    python: str
    packages: dict[str, str]
    variables: dict[str, str] = field(default_factory=dict)  # that the configuration sets


@dataclass(frozen=True)
class Threads:
    """The thread policy and the processors the process was pinned to."""

    policy: str
    requested: int
    affinity: list[int]


@dataclass(frozen=True)
class Machine:
    """Where it ran; `id` is equal on equal machines."""

    id: str
    cpu: str
    cores: int
    memory_mib: int
    os: str
    accelerator_name: str | None
    accelerator_memory_mib: int | None


@dataclass(frozen=True)
class Load:
    """What else the machine did; one-minute load averages, a share of its processors, MiB."""

    before: float | None
    after: float | None
    foreign_cpu_share: float | None
    swapped_mib: float | None


@dataclass(frozen=True)
class Memory:
    """Peaks in MiB."""

    peak_rss_mib: float | None
    peak_device_mib: float | None  # by the framework's own counter
    peak_device_counts: str | None = None  # what that counts, in words
    device_limit_mib: float | None = None  # what the framework may take at most


@dataclass(frozen=True)
class Record:
    """One run."""

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
    withheld: tuple[str, ...]  # what could not be recorded, and why; places that hold nothing
    training: Training | None = None

    @property
    def driver_device_mib(self) -> float | None:
        """Most device memory that its processes held in the timed steps, by the driver."""
        gpu = self.monitor.gpu if self.monitor else None
        return gpu.process_memory_mib.max if gpu and gpu.process_memory_mib else None

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Record:
        """From data that already passed the schema.

        Status, reason and warnings are worded anew from the raw facts, so that old records read as
        new ones do.
        """
        status, reason = ending.of_record(data)
        plain = (
            "identity",
            "started_at",
            "finished_at",
            "total_s",
            "parity",
        )
        return cls(
            **{name: data[name] for name in plain},
            status=status,
            reason=reason,
            cell=CellName(**data["cell"]),
            environment=Environment(**data["environment"]),
            threads=Threads(**data["threads"]),
            machine=Machine(**data["machine"]),
            load=Load(**data["load"]),
            monitor=_monitor(data["monitor"]) if data["monitor"] else None,
            timing=_timing(data["timing"]) if data["timing"] else None,
            probes=tuple(_probe(probe) for probe in data["probes"] if not probe["failed"]),
            work=Work(**data["work"]) if data["work"] else None,
            memory=Memory(**data["memory"]),
            energy=Energy(**data["energy"]) if data["energy"] else None,
            host_overhead=_profile(data["host_overhead"]),
            warnings=(*data["warnings"], *printed.warnings(data["printed"])),
            restarted=ending.of_restart(data["restarted"]),
            probe_failures=tuple(ending.of_probes(data)),
            log_tail=tuple(data["log_tail"]),
            withheld=tuple(data.get("withheld", ())),
            training=_training(data["training"]) if data.get("training") else None,
        )


def _profile(data: dict[str, Any] | None) -> HostOverhead | None:
    return HostOverhead.from_json(data) if data else None


def _monitor(data: dict[str, Any]) -> Monitor:
    frequency, gpu = data["frequency_mhz"], data["gpu"]
    if gpu:
        readings = {k: Range(**v) if isinstance(v, dict) else v for k, v in gpu.items()}
        gpu = GpuMonitor(**{**readings, "throttle_reasons": tuple(gpu["throttle_reasons"])})
    return Monitor(
        **{**data, "frequency_mhz": Range(**frequency) if frequency else None, "gpu": gpu}
    )


def _probe(data: dict[str, Any]) -> Probe:
    return Probe(**{**data, "blocks": tuple(Block(**block) for block in data.get("blocks", ()))})


def _timing(data: dict[str, Any]) -> Timing:
    parts = {
        "blocks": tuple(Block(**block) for block in data["blocks"]),
        "synchronised_ns": tuple(data["synchronised_ns"]),
        "legacy": Legacy(**data["legacy"]) if data["legacy"] else None,
        "compilations": Compilations(**data["compilations"]),
    }
    judged = {"late_ns"}  # by the status, which is worded from the raw facts
    return Timing(**{k: v for k, v in data.items() if k not in judged} | parts)


def _training(data: dict[str, Any]) -> Training:
    return Training(**{**data, "epochs": tuple(Epoch(**epoch) for epoch in data["epochs"])})
