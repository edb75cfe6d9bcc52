"""The profile of a run, as its record has it."""

from dataclasses import dataclass

from contract.disturbance import disturbance

REST = "operations that are not listed"


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation in a step: wall ms while it was the innermost, how often it ran, and `launched`,
    the same or 0 where it hands most of its time on to others.
    """

    name: str
    ms: float
    count: float
    launched: float


@dataclass(frozen=True, slots=True)
class Pair:
    """ms of a step in a block without the profiler, and in the next one, under it."""

    plain_ms: float
    profiled_ms: float


@dataclass(frozen=True)
class HostOverhead:
    """The result of a profile, which is never timed: share of a step in which no operation
    computes, time of a step under the profiler, its operations; older records have only the share.
    """

    share: float
    method: str
    steps: int
    step_ms: float | None = None
    pairs: tuple[Pair, ...] = ()
    foreign_cpu_share: float | None = None
    operations: tuple[Operation, ...] = ()
    rest_ms: float = 0.0
    rest_launched: float = 0.0

    @property
    def disturbed(self) -> bool:
        """True if others took so much of the processors that it tells nothing."""
        return bool(disturbance(self.foreign_cpu_share, None))

    @property
    def all_operations(self) -> tuple[Operation, ...]:
        """The operations, with the rest as one of them."""
        if not self.rest_ms:
            return self.operations
        rest = (self.rest_ms, self.rest_launched, self.rest_launched)
        return (*self.operations, Operation(REST, *rest))

    @property
    def launched(self) -> float:
        """The number of operations of a step that computed themselves; on a GPU of kernels."""
        return sum(operation.launched for operation in self.all_operations)
