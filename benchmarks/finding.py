"""A line of the table that `simulations.py` prints, and its bars."""

from __future__ import annotations

from dataclasses import dataclass

COVERS, NOMINAL, RARE = (0.93, 0.97), (0.03, 0.07), (0.0, 0.05)


@dataclass(frozen=True)
class Finding:
    """The share of experiments in which something happened, and the limits where it should lie."""

    what: str
    runs: int
    share: float
    bar: tuple[float, float] | None = None

    @property
    def missed(self) -> bool:
        return self.bar is not None and not self.bar[0] <= self.share <= self.bar[1]

    @property
    def line(self) -> str:
        """The finding as a line of the table."""
        low, high = self.bar or (0, 0)
        bar = "" if not self.bar else f"{100 * low:.0f} to {100 * high:.0f} %"
        cells = (self.what, self.runs, f"{100 * self.share:.1f} %", bar)
        return f"| {' | '.join(map(str, cells))}{' MISSED' if self.missed else ''} |"
