"""What a run's profile says: which operations a step went to, and what that is of the timed step.

A step under the profiler takes longer than the one in the table. So that the parts are those of
the table's number, what it took longer is taken off again: first from the time in which nothing
computes, since on a GPU kernels are timed by the device, which no profiler slows down, and on a
processor most of what a profiler does lies between two operations; what is more than that time, of
all operations in proportion. Where the profiled step was the shorter one, everything is longer in
proportion. The parts then add up to the timed step exactly.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

REST = "operations that are not listed"


@dataclass(frozen=True, slots=True)
class Operation:
    """Of a step: wall time by the innermost operation, how often it ran, and how often of these
    without another one inside.
    """

    name: str
    ms: float
    count: float
    launched: float


@dataclass(frozen=True)
class Divided:
    """A timed step in parts: ms in which nothing computes, and what computes, the longest first."""

    idle_ms: float
    operations: tuple[Operation, ...]


@dataclass(frozen=True)
class HostOverhead:
    """From a profile that is never timed: share of a step in which no operation computes, what a
    step took under the profiler, and its operations; older records have the share alone.
    """

    share: float
    method: str
    steps: int
    operations_per_step: float | None = None  # outermost ones; of a GPU what was launched
    step_ms: float | None = None
    operations: tuple[Operation, ...] = ()
    rest_ms: float = 0.0
    rest_launched: float = 0.0

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> HostOverhead:
        """From a part of a record that passed the schema."""
        operations = tuple(Operation(**entry) for entry in data.get("operations", ()))
        return cls(**{**data, "operations": operations})

    @property
    def all_operations(self) -> tuple[Operation, ...]:
        """With the rest as one of them."""
        if not self.rest_ms:
            return self.operations
        rest = (self.rest_ms, self.rest_launched, self.rest_launched)
        return (*self.operations, Operation(REST, *rest))

    @property
    def launched(self) -> float:
        """Operations of a step that hold no other, on a GPU kernels."""
        return sum(operation.launched for operation in self.all_operations)

    def slower(self, timed_ms: float) -> float | None:
        """A step under the profiler over the timed one."""
        return self.step_ms / timed_ms if self.step_ms else None

    def divided(self, timed_ms: float) -> Divided | None:
        """The timed step of its run in parts that add up to it; None in older records."""
        operations = self.all_operations
        busy_ms = sum(operation.ms for operation in operations)
        if not self.step_ms or not busy_ms:
            return None
        # What computed may end a moment after the clock was read.
        profiled_ms = max(self.step_ms, busy_ms)
        idle_ms = profiled_ms - busy_ms
        longer_ms = profiled_ms - timed_ms
        if longer_ms > 0:
            idle_ms = max(0.0, idle_ms - longer_ms)
        else:
            idle_ms *= timed_ms / profiled_ms
        factor = (timed_ms - idle_ms) / busy_ms
        return Divided(idle_ms, tuple(replace(part, ms=part.ms * factor) for part in operations))
