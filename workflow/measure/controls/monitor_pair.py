"""The measured process of the monitor's on/off pair: a fenced matrix product on the device.

The monitor is stopped and continued by signals, so that nothing but its samples differs.
"""

import os
import signal
import sys
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

sys.path[0] = str(Path(__file__).resolve().parents[2])

from measure.controls import repeated  # noqa: E402 (the path above finds them)
from measure.controls.matmul import library  # noqa: E402
from measure.process import Events, run  # noqa: E402

SIZE = {"cpu": 256, "cuda": 4096}  # a fraction of a millisecond on a processor, some on a GPU
WARMUP_S = 0.5


def measure(request: dict[str, Any], events: Events) -> None:
    """Report mean step times of parts with the monitor and without; pairs alternate in order."""
    device, size = library(request), SIZE[request["accelerator"]]
    seconds = partial(repeated, device.product("float32", size), device.fence, 1)
    seconds(WARMUP_S)
    times_ms: dict[bool, list[float]] = {True: [], False: []}
    for number in range(request["pairs"]):
        # off, on, on, off: a drift falls on both alike.
        for on in (True, False) if number % 2 else (False, True):
            os.kill(request["monitor_pid"], signal.SIGCONT if on else signal.SIGSTOP)
            times_ms[on].append(1000 * fmean(seconds(request["part_s"])))
    os.kill(request["monitor_pid"], signal.SIGCONT)
    words = f"product of two {size} x {size} float32 matrices, fenced"
    events.send("pair", on_ms=times_ms[True], off_ms=times_ms[False], step=words)


if __name__ == "__main__":
    run(measure)
