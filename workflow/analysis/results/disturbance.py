"""Numbers that are not worth comparing, because something else computed beside the run."""

from collections.abc import Iterable

from analysis.results.profiles import FOREIGN_CPU_HEAVY
from analysis.results.record import Record


def disturbance(records: Iterable[Record]) -> str:
    """Why the times tell nothing: 'other processes took at least 25 % of the processors', for
    example, in one of these runs; empty where none was disturbed so much.
    """
    records = list(records)
    shares = [record.load.foreign_cpu_share or 0.0 for record in records]
    devices = [record.monitor.gpu for record in records if record.monitor and record.monitor.gpu]
    processes = max((gpu.foreign_processes or 0 for gpu in devices), default=0)
    found = []
    if max(shares, default=0.0) >= FOREIGN_CPU_HEAVY:
        found.append(
            f"other processes took at least {100 * FOREIGN_CPU_HEAVY:.0f}\u00a0% of the processors"
        )
    if processes:
        found.append("other processes computed on the GPU")
    return " and ".join(found)
