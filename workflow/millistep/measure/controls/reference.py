"""The process of the reference workload: fixed work that shows whether the machine drifted.

A loop of plain Python, a copy in the device's memory, products of two matrices in every dtype that
the models may compute in. It starts, reports and ends as a run does.
"""

import statistics
import time
from collections.abc import Callable
from typing import Any

from millistep.measure.controls.matmul import library
from millistep.measure.interference import Others
from millistep.measure.process import Events, run

DTYPES = {"cpu": ("float32", "bfloat16"), "cuda": ("float32", "tf32", "bfloat16")}
LOOP_TURNS = 500_000
COPY_MIB = {"cpu": 128, "cuda": 1024}  # more than the caches hold
BLOCK = {"cpu": 1, "cuda": 10}  # issued between two synchronizations, so that a device never waits
LEAST_BLOCKS = 3


def measure(request: dict[str, Any], events: Events) -> None:
    """Do each kind of work for ``part_s`` seconds, and report it in an event."""
    accelerator, part_s = request["accelerator"], request["part_s"]
    others = Others()
    with others:
        turns = repeated(loop, lambda: None, 1, part_s)
        events.send("python_loop", ms=1000 * statistics.median(turns))

        device, block = library(request), BLOCK[accelerator]
        mib = COPY_MIB[accelerator]
        copies = repeated(device.copy(mib), device.fence, block, part_s)
        events.send("memory_copy", gib_per_s=mib / 1024 / statistics.median(copies))

        # Rows of a matrix that reaches the device's peak and is quickly multiplied.
        size = 8192 if accelerator == "cuda" else 1024 if request["threads"] <= 8 else 4096
        products = []
        for dtype in DTYPES[accelerator]:
            seconds = repeated(device.product(dtype, size), device.fence, block, part_s)
            products.append(
                {
                    "dtype": dtype,
                    "size": size,
                    "flops_per_s": 2 * size**3 / min(seconds),
                    "step_ms": 1000 * statistics.median(seconds),
                }
            )
            events.send("matmul", products=products)
    events.send("foreign", share=others.share())


def loop() -> int:
    """Add numbers in plain Python: work for the interpreter alone."""
    total = 0
    for number in range(LOOP_TURNS):
        total += number & 3
    return total


def repeated(
    work: Callable[[], object], fence: Callable[[], None], block: int, part_s: float
) -> list[float]:
    """Return seconds per ``work()``, a number per block of calls between two synchronizations."""
    work()  # the first one allocates, chooses an algorithm or compiles
    fence()
    seconds: list[float] = []
    end = time.perf_counter() + part_s
    while len(seconds) < LEAST_BLOCKS or time.perf_counter() < end:
        start = time.perf_counter()
        for _ in range(block):
            work()
        fence()
        seconds.append((time.perf_counter() - start) / block)
    return seconds


def main() -> None:
    run(measure)
