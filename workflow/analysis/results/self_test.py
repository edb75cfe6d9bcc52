"""The self-test: what the harness reads where the truth is known."""

from dataclasses import dataclass

from analysis.statistics.intervals import (
    Interval,
    Ratio,
    geometric_mean,
    log_t_interval,
    paired_ratio,
)


@dataclass(frozen=True)
class KnownStep:
    """A fake step of known duration, timed as every step is."""

    nominal_ms: float
    measured_ms: float
    steps: int
    runs_ms: tuple[float, ...] = ()  # older self-tests have none

    @property
    def step_ms(self) -> float:
        """The mean over runs as the table has it: older files have their median."""
        return geometric_mean(self.runs_ms) if self.runs_ms else self.measured_ms

    @property
    def interval(self) -> Interval | None:
        """Of measured over true duration; None below two runs."""
        return log_t_interval([ms / self.nominal_ms for ms in self.runs_ms])

    @property
    def error(self) -> float:
        """Share of the duration that the harness adds (or loses, below 0)."""
        return self.step_ms / self.nominal_ms - 1


@dataclass(frozen=True)
class SameCell:
    """One cell measured under two names, ms/step by round."""

    model: str
    task: str
    batch_size: int
    column: str
    a_ms: dict[int, float]
    b_ms: dict[int, float]

    @property
    def ratio(self) -> Ratio | None:
        """A over B, paired by round; the truth is 1. None when no round has both."""
        return paired_ratio(self.a_ms, self.b_ms)


@dataclass(frozen=True)
class MonitorCost:
    """A step of known work with and without the monitor; entry i of both is a pair."""

    on_ms: tuple[float, ...]
    off_ms: tuple[float, ...]
    step: str

    @property
    def ratio(self) -> Ratio | None:
        """Time with over time without the monitor. None without a pair."""
        return paired_ratio(dict(enumerate(self.on_ms)), dict(enumerate(self.off_ms)))


@dataclass(frozen=True)
class SelfTest:
    """The parts of a self-test that were measured; `reason` says why one is missing."""

    identity: str
    started_at: str
    status: str
    reason: str
    known_steps: tuple[KnownStep, ...]
    same_cell: SameCell | None
    monitor: MonitorCost | None

    @property
    def ok(self) -> bool:
        return self.status == "ok"
