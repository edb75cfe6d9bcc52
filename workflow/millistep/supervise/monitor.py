"""The monitor: samples the machine in a thread of the supervisor while a run is measured.

A run is worth more than its monitor: readings that fail are None, and the run goes on.
"""

import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from millistep.supervise.processors import beside
from millistep.supervise.sampler import Sampler

STOP_S = 5.0  # a driver may hang in a reading


class Monitor:
    """Samples the machine while the ``with`` block runs; ``samples`` holds the readings.

    processors: those of the run; the monitor uses other ones if there are any.
    gpu: as the run sees it, see :func:`supervise.device.word`; None: no GPU is sampled.
    """

    def __init__(
        self,
        processors: Sequence[int],
        gpu: str | None,
        interval_s: float,
        system: Path = Path("/sys"),
    ) -> None:
        self.samples: list[dict[str, Any]] = []
        self._processors, self._interval_s = list(processors), interval_s
        self._sampler = Sampler(self._processors, gpu, system)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> "Monitor":
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._stop.set()
        self._thread.join(STOP_S)

    def _run(self) -> None:
        if hasattr(os, "sched_setaffinity"):  # Linux, where both are a thread's own
            os.sched_setaffinity(0, beside(self._processors))
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 19)
        while not self._stop.wait(self._interval_s):
            self.samples.append(self._sampler.sample())
