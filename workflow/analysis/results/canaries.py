"""Canaries: the same small work before and after a session, which shows whether the machine
drifted.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from analysis.statistics.intervals import MARGIN

DISTURBED = 0.10  # share of its processors that others used beside a canary on a processor


@dataclass(frozen=True)
class MatrixProduct:
    """Square matrix products on the device: the best in FLOP/s, the median in ms."""

    dtype: str  # what it computes in: float32, tf32 or bfloat16
    size: int
    flops_per_s: float
    step_ms: float


@dataclass(frozen=True)
class Canary:
    """Fixed work while no run is measured; numbers are None where it was not done."""

    identity: str
    machine_id: str
    started_at: datetime
    finished_at: datetime
    total_s: float
    status: str
    reason: str
    python_loop_ms: float | None
    memory_copy_gib_per_s: float | None
    matmul: tuple[MatrixProduct, ...]
    foreign_cpu_share: float | None = None  # of its processors; older canaries do not say

    @property
    def ok(self) -> bool:
        return self.status == "ok"

    @property
    def disturbed(self) -> bool:
        """True if others worked beside it so much that on a processor it tells nothing."""
        return (self.foreign_cpu_share or 0.0) >= DISTURBED

    @property
    def durations(self) -> dict[str, float]:
        """How long each piece of work took, by its name; comparable only between canaries."""
        found = {f"{product.dtype} matmul": product.step_ms for product in self.matmul}
        if self.memory_copy_gib_per_s is not None:
            found["memory copy"] = 1 / self.memory_copy_gib_per_s
        if self.python_loop_ms is not None:
            found["Python loop"] = self.python_loop_ms
        return found


@dataclass(frozen=True)
class Around:
    """The canaries before and after a session, on one accelerator; either is None where it was not
    measured.
    """

    before: Canary | None
    after: Canary | None

    @property
    def drift(self) -> dict[str, float]:
        """Time after over time before, by the name of the work; empty unless both are ok."""
        if not (self.before and self.after and self.before.ok and self.after.ok):
            return {}
        before, after = self.before.durations, self.after.durations
        return {name: after[name] / before[name] for name in before if name in after}

    @property
    def drifted(self) -> dict[str, float]:
        """The ratios of `drift` beyond the margin within which times count as the same."""
        return {
            name: ratio for name, ratio in self.drift.items() if max(ratio, 1 / ratio) > 1 + MARGIN
        }

    @property
    def most(self) -> float:
        """The largest of the ratios of `drift`, or of their inverses; 1 where there are none."""
        return max((max(ratio, 1 / ratio) for ratio in self.drift.values()), default=1.0)


def peak_flops_per_s(canaries: Iterable[Canary | None]) -> dict[str, float]:
    """The best matrix product of all canaries that are ok, by dtype: what the device can do."""
    products = [product for canary in canaries if canary and canary.ok for product in canary.matmul]
    return {
        dtype: max(product.flops_per_s for product in products if product.dtype == dtype)
        for dtype in dict.fromkeys(product.dtype for product in products)
    }
