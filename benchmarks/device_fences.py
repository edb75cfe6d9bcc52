"""The work left after a synchronization, and the error of a clock without one, on a real GPU.

    python3 benchmarks/device_fences.py --scale paper --models bert --interpreter keras3-jax=PATH

Each cell is stepped in blocks through its public call. At the end of a block the clock is read
before the synchronization, after it, and after ``cuCtxSynchronize``, which waits for all work of
any library on the device. ``without``: the first over the last; ``fenced``: the second over the
last; ``left us``: the longest time that the device still needed after the synchronization.
For PyTorch, ``events`` is the time between two CUDA events around each block over that of the
clock. ``again`` is the cost of a synchronization with nothing to wait for.
"""

import contextlib
import ctypes
import statistics
import time

from cells import asked, framework_of, last_line_inside, parser, planned, title

WARM_UP_STEPS = 8  # compiled in the first, CUDA graphs are recorded in the next ones
BLOCKS = 6
BLOCK_S = 0.3
HEAD = (
    "| cell | ms/step | without | fenced | left us | again us | events |",
    "|---|---:|---:|---:|---:|---:|---:|",
)


def main():
    options = asked(parser(__doc__, "paper"), inside)
    given = dict(options.interpreter)
    wanted = (options.models, options.columns or list(given), options.tasks)
    plan, runs = planned(options.scale, *wanted, accelerator="cuda", interpreters=given)
    print("\n".join(HEAD), flush=True)
    for run in runs:
        print(f"| {title(run)} | {last_line_inside(plan, run, __file__)}", flush=True)


def inside(identity):
    """Step a cell in this process, which runs in the framework's environment."""
    framework = framework_of(identity)
    framework.load()
    framework.build()
    blocks = Blocks(framework.fence, synchronization(), events(framework))
    framework.run(blocks)
    return blocks.line()


def synchronization():
    """Return ``cuCtxSynchronize`` of the context that the frameworks share, of the first visible
    GPU.
    """
    driver = ctypes.CDLL("libcuda.so.1")

    def call(name, *arguments):
        if status := getattr(driver, name)(*arguments):
            raise OSError(f"{name}: CUDA error {status}")

    device, context = ctypes.c_int(), ctypes.c_void_p()
    call("cuInit", 0)
    call("cuDeviceGet", ctypes.byref(device), 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)

    def synchronise():
        call("cuCtxSetCurrent", context)  # of this thread; Keras may tick in another
        call("cuCtxSynchronize")

    return synchronise


def events(framework):
    """Return a function that records a CUDA event on PyTorch's stream; None elsewhere."""
    torch = getattr(framework, "torch", None)
    if torch is None:
        return None

    def recorded():
        event = torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    return recorded


class Blocks:
    """Takes the place of the timer: a warm-up, then blocks, each ended by two synchronizations."""

    def __init__(self, fence, synchronise, event):
        self._fence, self._synchronise = fence, synchronise
        self._event = event or (lambda: None)
        self._steps = self._run()
        self._before, self._fenced, self._after = [], [], []  # ns of each block
        self._again, self._events_ms = [], []

    def start(self):
        pass

    def tick(self):
        with contextlib.suppress(StopIteration):
            next(self._steps)
            return False
        return True

    def _run(self):
        for _ in range(WARM_UP_STEPS):
            start = time.perf_counter_ns()
            yield
            self._synchronise()
        step_s = (time.perf_counter_ns() - start) / 1e9
        self._size = max(2, round(BLOCK_S / step_s))
        for _ in range(BLOCKS):
            begun = self._event()
            start = time.perf_counter_ns()
            for _ in range(self._size):
                yield
            ended = self._event()
            self._before.append(time.perf_counter_ns() - start)
            self._fence()
            self._fenced.append(time.perf_counter_ns() - start)
            self._synchronise()
            self._after.append(time.perf_counter_ns() - start)
            if begun:
                self._events_ms.append(begun.elapsed_time(ended))
            start = time.perf_counter_ns()
            self._fence()
            self._again.append(time.perf_counter_ns() - start)

    def line(self):
        """Return the cells of a line of the table."""
        total = sum(self._after)
        left_ns = [b - a for a, b in zip(self._fenced, self._after, strict=True)]
        events_ms = sum(self._events_ms)
        found = [
            f"{total / 1e6 / BLOCKS / self._size:.3f}",
            f"{sum(self._before) / total:.3f}",
            f"{sum(self._fenced) / total:.4f}",
            f"{max(left_ns) / 1e3:.0f}",
            f"{statistics.median(self._again) / 1e3:.0f}",
            f"{events_ms * 1e6 / total:.4f}" if events_ms else "",
        ]
        return " | ".join(found) + " |"


if __name__ == "__main__":
    main()
