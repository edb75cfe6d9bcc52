"""How often a container's quota of CPU time stopped this process while steps were timed."""

from collections.abc import Sequence
from pathlib import Path

PERIODS, THROTTLED = "nr_periods", "nr_throttled"


class Quota:
    """Counts the periods of control groups, added up over several intervals.

    files: ``cpu.stat`` of each group with a quota. The group that was stopped most often counts.
    """

    def __init__(self, files: Sequence[str]) -> None:
        self._files = [Path(file) for file in files]
        self._start: list[tuple[int, int] | None] = []
        self._sums = [(0, 0) for _ in files]

    def begin(self) -> None:
        """Start an interval."""
        self._start = [_counted(file) for file in self._files]

    def end(self) -> None:
        """End the interval."""
        for place, (before, file) in enumerate(zip(self._start, self._files, strict=True)):
            after = _counted(file)
            if before and after:
                periods, throttled = self._sums[place]
                sums = (periods + after[0] - before[0], throttled + after[1] - before[1])
                self._sums[place] = sums

    def found(self) -> dict[str, int | None]:
        """Return entries of a record's ``load``; None without a quota."""
        periods, throttled = max(self._sums, key=lambda sums: sums[1], default=(None, None))
        return {"quota_periods": periods, "quota_throttled_periods": throttled}


def _counted(file: Path) -> tuple[int, int] | None:
    """Return the periods so far, and in how many of them the group was stopped."""
    try:
        lines = dict(line.split(maxsplit=1) for line in file.read_text().splitlines())
        return int(lines[PERIODS]), int(lines[THROTTLED])
    except (OSError, ValueError, KeyError):
        return None
