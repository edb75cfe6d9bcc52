"""The operation that a model is built around, as a run timed it alone. Field for field the
record's; raw times stay in nanoseconds.
"""

from dataclasses import dataclass
from functools import cached_property
from statistics import median

from analysis.statistics.intervals import NS_PER_MS


@dataclass(frozen=True)
class Difference:
    """The difference between what a way gives and what it must give; of losses over how many steps,
    and against which way.
    """

    largest_difference: float
    allowed: float
    steps: int | None = None
    against: str | None = None


@dataclass(frozen=True)
class Agreement:
    """How well a way gives what every way must give; `gradients` is None for an operation without
    one, `losses` where nothing is trained.
    """

    outputs: Difference
    gradients: Difference | None
    losses: Difference | None


@dataclass(frozen=True)
class Build:
    """How code was compiled and linked in the run's scratch folder."""

    seconds: float
    compiler: str
    compile_flags: tuple[str, ...]
    link_flags: tuple[str, ...]
    packages: tuple[str, ...]  # beside those of the environment


@dataclass(frozen=True)
class TimedOperation:
    """One operation, by one way; `uses`: how often a step calls it, None where it could not be
    timed alone; `lines`: of code that the way takes beside the model.
    """

    name: str
    way: str
    uses: int | None
    alone_ns: tuple[int, ...]  # of calls outside any step
    lines: int
    agreement: Agreement
    build: Build | None

    @cached_property
    def alone_ms(self) -> float | None:
        """ms of the median call; None where none was timed."""
        return median(self.alone_ns) / NS_PER_MS if self.alone_ns else None

    @property
    def in_a_step_ms(self) -> float | None:
        """ms that all uses in a step take, when they are timed alone."""
        return self.uses * self.alone_ms if self.uses and self.alone_ns else None
