"""How much longer a step takes under the framework's profiler, where that is shown at all."""

from __future__ import annotations

import math
from statistics import fmean

from analysis.results.cells import Cell
from analysis.results.profiles import HostOverhead
from analysis.statistics.intervals import Ratio, t_interval


def profiler_cost(cell: Cell) -> Ratio | None:
    """A step under the profiler over one without it, from the blocks that were measured in turns:
    over runs, or within the only one that was profiled. None of older records.
    """
    runs = [record.host_overhead for record in cell.records if record.host_overhead]
    logs = [found for found in map(_logs, runs) if found]
    values = logs[0] if len(logs) == 1 else [fmean(found) for found in logs]
    if not values:
        return None
    return Ratio(
        math.exp(fmean(values)), t_interval(values), len(values), len(values), len(values) - 1
    )


def shown_cost(cell: Cell) -> float:
    """The same where its interval lies above 1, else 1: less than its scatter is no cost."""
    cost = profiler_cost(cell)
    return cost.value if cost and cost.interval and cost.interval.low > 1 else 1.0


def _logs(profile: HostOverhead) -> list[float]:
    return [math.log(pair.profiled_ms / pair.plain_ms) for pair in profile.pairs]
