"""The measured process of the monitor's on/off pair: a fenced matrix product on the device.

The monitor is stopped and continued by signals, so that nothing but its samples differs.
"""

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path[0] = str(Path(__file__).resolve().parents[2])

from measure.controls.matmul import library  # noqa: E402 (the path above finds them)
from measure.process import Events, run  # noqa: E402

SIZE = {"cpu": 256, "cuda": 4096}  # a fraction of a millisecond on a processor, some on a GPU
WARMUP_S = 0.5


def measure(request: dict[str, Any], events: Events) -> None:
    """Report mean step times of parts with the monitor and without; pairs alternate in order."""
    device, size = library(request), SIZE[request["accelerator"]]
    product = device.product("float32", size)

    def step() -> None:
        product()
        device.fence()

    mean_step_ms(step, WARMUP_S)
    times_ms: dict[bool, list[float]] = {True: [], False: []}
    for number in range(request["pairs"]):
        # off, on, on, off: a drift falls on both alike.
        for on in (True, False) if number % 2 else (False, True):
            os.kill(request["monitor_pid"], signal.SIGCONT if on else signal.SIGSTOP)
            times_ms[on].append(mean_step_ms(step, request["part_s"]))
    os.kill(request["monitor_pid"], signal.SIGCONT)
    words = f"product of two {size} x {size} float32 matrices, fenced"
    events.send("pair", on_ms=times_ms[True], off_ms=times_ms[False], step=words)


def mean_step_ms(step: Callable[[], None], part_s: float) -> float:
    """Mean of as many steps as fit into ``part_s`` seconds."""
    steps, start = 0, time.perf_counter()
    while time.perf_counter() < start + part_s:
        step()
        steps += 1
    return 1000 * (time.perf_counter() - start) / steps


if __name__ == "__main__":
    run(measure)
