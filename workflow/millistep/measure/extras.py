"""Measurements after the timing windows: probes of other sizes, calls of functions, outcomes.

The outcome of a task is what it computes, and how long complete calls take: two versions must do
the same work. The model is built again, so that both start from equal weights. All batches differ,
so nothing that was computed for one serves another. All results end on the host: no work is left.
"""

import dataclasses
import math
import sys
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable
from functools import partial
from itertools import chain
from statistics import median
from types import FrameType
from typing import Any

from millistep.measure.conformance import check_end, work_of_step
from millistep.measure.frameworks import Framework
from millistep.measure.frameworks.loops import Ticks, leaves
from millistep.measure.interference import Others
from millistep.measure.process import MAX_MESSAGE
from millistep.measure.protocol import PROTOCOLS, Protocol
from millistep.measure.timer import Timer


def probe(framework: Framework, protocol: Protocol, planned: dict[str, Any]) -> dict[str, Any]:
    """Measure a step at another batch size or length; a failure is a finding of its own."""
    cell, sizes = framework.cell, {**planned}
    batch_size = sizes.pop("batch_size", cell.batch_size)
    changed = dataclasses.replace(cell, architecture={**cell.architecture, **sizes})
    amount = work_of_step(dataclasses.replace(changed, batch_size=batch_size))
    windows = protocol.length_windows if "max_length" in sizes else protocol.probe_windows
    timer = _timer(framework, protocol, windows=windows)
    found: dict[str, Any] = {"steps": 0, "elapsed_ns": 0, "windows": [], "failed": None}
    try:
        framework.cell = changed
        framework.run_at(batch_size, timer)
        check_end(timer)
        found |= {"steps": timer.steps, "elapsed_ns": timer.elapsed_ns, "windows": timer.recorded}
    except Exception as error:
        found["failed"] = {"type": type(error).__name__, "message": str(error)[:MAX_MESSAGE]}
        traceback.print_exc()
    finally:
        framework.cell = cell
    generates = cell.task == "generate"
    return {
        "batch_size": batch_size,
        "max_length": changed.architecture.get("max_length") if generates else None,
        "new_tokens": amount["tokens_per_step"] if generates else None,
        **found,
    }


def _timer(framework: Framework, protocol: Protocol, **changed: Any) -> Timer:
    short = dataclasses.replace(protocol, warmup_steps=1, synchronized_steps=0, **changed)
    batches = framework.batches_per_tick
    return Timer(short, framework.fence, framework.compilations, batches=batches)


WARM, COUNTED = 3, 10  # ticks before the counted ones, which may call once-only functions
MOST_FUNCTIONS = 300
OURS = "millistep."


def calls(framework: Framework) -> dict[str, Any]:
    """Return the calls of a step, and those of each function, the most frequent first.

    Of each function the median over the steps counts: whether one thread waits for another in a
    step, or the garbage collector runs, is chance.
    """
    by_tick: defaultdict[int, Counter[str]] = defaultdict(Counter)

    def count(frame: FrameType, event: str, argument: Any) -> None:
        module, code = str(frame.f_globals.get("__name__")), frame.f_code
        if event == "call" and not module.startswith(OURS):
            name = f"{module}.{getattr(code, 'co_qualname', code.co_name)}"
            by_tick[ticks.count][name] += 1

    ticks = CountedSteps(partial(sys.setprofile, count), partial(sys.setprofile, None))
    try:
        framework.run(ticks)
    finally:
        sys.setprofile(None)
    of_ticks = [by_tick[WARM + 1 + place] for place in range(COUNTED)]
    counts = Counter(
        {
            name: median(each[name] for each in of_ticks) / framework.batches_per_tick
            for name in sorted({*chain(*of_ticks)})
        }
    )
    return {
        "steps": counted_steps(framework),
        "per_step": sum(counts.values()),
        "functions": [
            {"name": name, "per_step": number}
            for name, number in counts.most_common(MOST_FUNCTIONS)
            if number
        ],
    }


def counted_steps(framework: Framework) -> int:
    return COUNTED * framework.batches_per_tick


class CountedSteps(Ticks):
    """Ticks of which the last ones count: calls `begin` before these and `end` after them."""

    def __init__(self, begin: Callable[[], object], end: Callable[[], object]) -> None:
        super().__init__(WARM + COUNTED)
        self._begin, self._end = begin, end

    def tick(self) -> bool:
        over = super().tick()
        if self.count == WARM + 1:
            self._begin()
        elif over:
            self._end()
        return over


LOSSES, OUTPUTS, TOKENS = "losses", "outputs", "tokens"
COMPARED_STEPS = {"fit": 10, "predict": 2}  # whose losses or outputs are compared
LOOP_STEPS = 2  # of a custom loop, before its outputs are compared
PAIRS, CALL_S, MOST_STEPS = 5, 0.5, 256
# A busy machine makes calls longer than their steps, too. Beyond this share of a step, more pairs
# follow: the shortest call shows what the work alone takes. Pairs next to others that used a tenth
# of the CPUs count only if there are no quiet ones.
SUSPECT, DISTURBED, MOST_PAIRS = 0.2, 0.1, 12
MOST_NUMBERS = 500  # of one array, evenly spaced


def outcome(framework: Framework, step_ns: float) -> dict[str, Any] | None:
    """Return losses or outputs, and the ms per step of calls that end with them on the host.

    step_ns: the time of a step as it was measured. Calls and windows of steps alternate, and the
    shortest of each counts. A custom loop has outputs alone; None if it returns none.
    """
    framework.build()
    if not framework.compute or framework.own_loop:
        return _of_a_loop(framework)
    compute, task, seeds = framework.compute, framework.cell.task, iter(range(1000, 10_000))

    def batches(number: int) -> list[Any]:
        own = framework.cell
        cells = [dataclasses.replace(own, seed=own.seed + next(seeds)) for _ in range(number)]
        return [framework.models.batch(cell, own.batch_size) for cell in cells]

    values = compute(batches(COMPARED_STEPS[task]))
    steps = min(MOST_STEPS, max(COMPARED_STEPS[task], math.ceil(CALL_S / (step_ns / 1e9))))
    # ms per step of a call, and of a window of steps
    quiet: list[tuple[float, float]] = []
    disturbed: list[tuple[float, float]] = []
    others = Others()
    call_ms = step_ms = math.inf
    for _ in range(MOST_PAIRS):
        if len(quiet) >= PAIRS and call_ms <= (1 + SUSPECT) * step_ms:
            break
        given = batches(steps)
        with others:
            start = time.perf_counter_ns()
            compute(given)
            took_ms = (time.perf_counter_ns() - start) / 1e6 / steps
            del given  # the memory of many batches
            timer = _timer(framework, PROTOCOLS["smoke"], windows=1, window_s=CALL_S)
            framework.run(timer)
        pairs = disturbed if (others.latest or 0.0) >= DISTURBED else quiet
        pairs.append((took_ms, timer.step_ns / 1e6))
        call_ms, step_ms = map(min, zip(*(quiet or disturbed), strict=True))
    return {
        "kind": LOSSES if task == "fit" else OUTPUTS,
        "values": [number for array in values for number in numbers(array)],
        "steps": steps,
        "call_ms": call_ms,
        "step_ms": step_ms,
    }


def _of_a_loop(framework: Framework) -> dict[str, Any] | None:
    import numpy as np

    framework.run(Ticks(LOOP_STEPS))
    arrays = [np.asarray(array) for array in leaves(framework.loop_outputs)]
    if not arrays:
        return None
    return {
        "kind": TOKENS if all(array.dtype.kind in "iu" for array in arrays) else OUTPUTS,
        "values": [number for array in arrays for number in numbers(array)],
        "steps": LOOP_STEPS,
        "call_ms": None,
        "step_ms": None,
    }


def numbers(array: Any) -> list[float | None]:
    """Return numbers of an array, evenly spaced, and its root mean square; None if not finite."""
    import numpy as np

    flat = np.asarray(array).astype("float64").ravel()
    some = flat[:: max(1, math.ceil(flat.size / MOST_NUMBERS))]
    root = math.sqrt(float((flat**2).mean())) if flat.size else 0.0
    return [x if math.isfinite(x) else None for x in map(float, [*some, root])]
