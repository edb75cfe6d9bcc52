"""What the operating system did for this process while steps were timed."""

import resource


class Kernel:
    """Two readings of what this process used, around the timed steps."""

    def __init__(self) -> None:
        self._readings: list[resource.struct_rusage] = []

    def read(self) -> None:
        """Take a reading: call before the first block and after the last one."""
        self._readings.append(resource.getrusage(resource.RUSAGE_SELF))

    def found(self, steps: int, elapsed_ns: int, threads: int) -> dict[str, float | None]:
        """Entries of a record's ``load``: the share of the threads' time that the kernel took, and
        pages of memory that a step was the first to touch since they were mapped.
        """
        if len(self._readings) < 2:
            return {"system_cpu_share": None, "page_faults_per_step": None}
        before, after = self._readings
        return {
            "system_cpu_share": (after.ru_stime - before.ru_stime) / (elapsed_ns / 1e9 * threads),
            "page_faults_per_step": (after.ru_minflt - before.ru_minflt) / steps,
        }
