"""The machine of a run, and what else happened there meanwhile; field for field the record's."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Machine:
    """The machine that a run was measured on; `id` is equal on equal machines."""

    id: str
    cpu: str
    cores: int
    memory_mib: int
    os: str
    accelerator_name: str | None
    accelerator_memory_mib: int | None

    @property
    def name(self) -> str:
        """The words that identify it; its kernel, which is not among them, changes with updates."""
        device = f", {self.accelerator_name}" if self.accelerator_name else ""
        return f"{self.cpu}, {self.cores} cores, {self.memory_mib / 1024:.0f} GiB{device}"

    @property
    def described(self) -> str:
        """The words that identify it to a reader."""
        return f"{self.name}, {self.os}"

    @property
    def device(self) -> str:
        """What computes the steps of a run that sees its accelerator."""
        return self.accelerator_name or self.cpu


@dataclass(frozen=True)
class Threads:
    """The thread policy and the processors the process was pinned to."""

    policy: str
    requested: int
    affinity: list[int]


@dataclass(frozen=True)
class Load:
    """What else the machine did: one-minute load averages, a share of its processors, MiB; and what
    its operating system did for the run itself.
    """

    before: float | None
    after: float | None
    foreign_cpu_share: float | None
    swapped_mib: float | None
    system_cpu_share: float | None = None  # of its threads' time; older records have neither
    page_faults_per_step: float | None = None


@dataclass(frozen=True)
class Range:
    """The lowest, the median and the highest of a reading during the timed steps."""

    min: float
    median: float
    max: float


@dataclass(frozen=True)
class GpuMonitor:
    """The device during the timed steps; None where the driver does not tell."""

    sm_clock_mhz: Range | None
    memory_clock_mhz: Range | None
    temperature_c: Range | None
    power_w: Range | None
    utilization_percent: Range | None
    throttle_reasons: tuple[str, ...] | None
    foreign_processes: int | None
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
