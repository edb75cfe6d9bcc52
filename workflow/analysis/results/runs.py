"""A planned run and what became of it."""

from dataclasses import dataclass
from functools import cached_property
from statistics import median

from analysis.results.record import Record
from analysis.statistics.intervals import NS_PER_MS, Sitting, run_mean_ms
from analysis.statistics.steady_state import Steadiness, steadiness
from contract.disturbance import disturbance

OK = "ok"
UNSUPPORTED = "unsupported"
STALE = "stale"
NOT_MEASURED = "not measured"
NOT_PLANNED = "not planned"


@dataclass(frozen=True)
class Run:
    """A planned run and what became of it; a stale run keeps its record and never enters a mean."""

    number: int
    position: int
    path: str
    status: str
    reason: str
    record: Record | None
    peak_flops_per_s: float | None = None  # what its machine can do; None where no canary says
    settled: bool = False  # whether its mean leaves out warm-up, as that of most runs of its cell

    @property
    def ok(self) -> bool:
        return self.status == OK

    @property
    def disturbed(self) -> str:
        """What else computed beside it, so much that its time tells nothing; empty where nothing
        did, and unless it is ok.
        """
        if not (self.ok and self.record):
            return ""
        gpu = self.record.monitor and self.record.monitor.gpu
        return disturbance(self.record.load.foreign_cpu_share, gpu and gpu.foreign_processes)

    @property
    def sitting(self) -> Sitting:
        """Round, session, node and start: runs of a row that share all of these are compared."""
        session = self.record.session if self.record else None
        if session is None:
            return Sitting(self.number)
        return Sitting(self.number, session.id, session.node, session.start)

    @property
    def divided_ms(self) -> float | None:
        """The step that operations of its profile are parts of; None where it names none. That is
        the profiled one, and on a device the timed one: it times its kernels by itself, however
        long a step is under the profiler.
        """
        profile = self.record.host_overhead if self.record else None
        profiled_ms = profile and profile.step_ms
        on_device = profiled_ms and self.record.cell.accelerator != "cpu"
        return self.step_ms if on_device else profiled_ms

    @property
    def idle_share(self) -> float | None:
        """Share of this step in which no operation computes; None without a profile."""
        profile = self.record.host_overhead if self.record else None
        if profile is None or self.divided_ms in (None, profile.step_ms):
            return profile and profile.share
        return max(0.0, 1 - (1 - profile.share) * profile.step_ms / self.divided_ms)

    @cached_property
    def step_ms(self) -> float | None:
        """Pipelined ms/step, the headline; None unless ok."""
        return run_mean_ms(self._blocks[self.left_out :]) if self.ok else None

    @property
    def left_out(self) -> int:
        """The number of blocks at its start that are not in its mean."""
        return self.steadiness.warm_up if self.settled and self.steadiness else 0

    @cached_property
    def fastest_block_ms(self) -> float | None:
        """ms/step of the fastest block; None unless ok."""
        return min(run_mean_ms([block]) for block in self._blocks) if self.ok else None

    @cached_property
    def steadiness(self) -> Steadiness | None:
        """How steady its steps were; None unless ok."""
        return steadiness(self._blocks) if self.ok else None

    @property
    def _blocks(self) -> list[tuple[int, int]]:
        return [(block.steps, block.elapsed_ns) for block in self.record.timing.blocks]

    @property
    def flops_per_s(self) -> float | None:
        """The FLOP/s that its time implies; None unless ok, and where FLOPs are not counted."""
        flops = self.record.work.flops_per_step if self.ok and self.record.work else None
        return flops / (self.step_ms / 1000) if flops else None

    @property
    def share_of_peak(self) -> float | None:
        """Implied FLOP/s over those of the machine's best matrix product."""
        if self.flops_per_s is None or self.peak_flops_per_s is None:
            return None
        return self.flops_per_s / self.peak_flops_per_s

    @cached_property
    def synchronised_ms(self) -> float | None:
        """Median ms of a step with a fence after it; None when none was timed."""
        times_ns = self.record.timing.synchronised_ns if self.ok else ()
        return median(times_ns) / NS_PER_MS if times_ns else None

    @property
    def legacy_ms(self) -> float | None:
        """ms/step by the published arithmetic; None when it was not taken."""
        legacy = self.record.timing.legacy if self.ok else None
        return legacy.step_ms if legacy else None
