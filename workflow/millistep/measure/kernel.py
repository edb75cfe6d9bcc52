"""What the operating system did for this process while steps were timed."""

import resource


class Kernel:
    """System time and page faults of this process, added up over several intervals."""

    def __init__(self) -> None:
        self._start: resource.struct_rusage | None = None
        self._system_s, self._faults = 0.0, 0

    def begin(self) -> None:
        """Start an interval."""
        self._start = resource.getrusage(resource.RUSAGE_SELF)

    def end(self) -> None:
        """End the interval."""
        after = resource.getrusage(resource.RUSAGE_SELF)
        if self._start:
            self._system_s += after.ru_stime - self._start.ru_stime
            self._faults += after.ru_minflt - self._start.ru_minflt

    def found(self, steps: int, elapsed_ns: int, threads: int) -> dict[str, float | None]:
        """Return entries of a record's ``load``: the kernel's share of the threads' time, and the
        pages that a step was the first to touch since they were mapped.
        """
        if not steps:
            return {"system_cpu_share": None, "page_faults_per_step": None}
        return {
            "system_cpu_share": self._system_s / (elapsed_ns / 1e9 * threads),
            "page_faults_per_step": self._faults / steps,
        }
