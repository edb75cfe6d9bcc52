"""The measured process of the monitor's on/off pair: a fenced matrix product on the device.

The monitor is stopped and continued by signals, so that nothing but its samples differs.
"""

import json
import os
import signal
import sys
import time
import traceback
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parent.parent)

from measure.child import Events, installed, leave  # noqa: E402 (the path above finds them)
from measure.machine import die_with_parent  # noqa: E402
from measure.matmul import library  # noqa: E402

SIZE = {"cpu": 256, "cuda": 4096}  # a step of about a millisecond
WARMUP_S = 0.5


def main() -> None:
    die_with_parent()
    task = json.loads(sys.argv[1])
    events = Events(task["events_fd"])
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, task["affinity"])
    try:
        events.send("packages", packages=installed(), prefix=sys.prefix)
        events.send("pair", **measure(task))
        events.send("done")
    except BaseException as error:
        events.send("failed", type=type(error).__name__, message=str(error))
        traceback.print_exc()
        leave(1)
    leave(0)


def measure(task: dict) -> dict:
    """Mean times of a step in parts with the monitor and without, each pair in another order."""
    device, size = library(task), SIZE[task["accelerator"]]
    product = device.product("float32", size)

    def step():
        product()
        device.fence()

    mean_step_ms(step, WARMUP_S)
    times_ms: dict[bool, list[float]] = {True: [], False: []}
    for number in range(task["pairs"]):
        # off, on, on, off: a drift falls on both alike.
        for on in (True, False) if number % 2 else (False, True):
            os.kill(task["monitor_pid"], signal.SIGCONT if on else signal.SIGSTOP)
            times_ms[on].append(mean_step_ms(step, task["part_s"]))
    os.kill(task["monitor_pid"], signal.SIGCONT)
    words = f"product of two {size} x {size} float32 matrices, fenced"
    return {"on_ms": times_ms[True], "off_ms": times_ms[False], "step": words}


def mean_step_ms(step, part_s: float) -> float:
    """Of as many steps as fit."""
    steps, start = 0, time.perf_counter()
    while time.perf_counter() < start + part_s:
        step()
        steps += 1
    return 1000 * (time.perf_counter() - start) / steps


if __name__ == "__main__":
    main()
