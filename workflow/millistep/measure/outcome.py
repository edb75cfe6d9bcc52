"""What a task computes, and how long complete calls take: two versions must do the same work.

The model is built again, so that both versions start from equal weights. All batches differ, so
nothing that was computed for one serves another. All results end on the host, so no work is left.
"""

import dataclasses
import math
import time
from typing import Any

from millistep.measure.frameworks import Framework
from millistep.measure.frameworks.loops import Ticks
from millistep.measure.protocol import PROTOCOLS
from millistep.measure.timer import Timer

LOSSES, OUTPUTS, TOKENS = "losses", "outputs", "tokens"
STEPS = {"fit": 10, "predict": 2}  # whose losses or outputs are compared
LOOP_STEPS = 2  # of a custom loop, before its outputs are compared
PAIRS, CALL_S, MOST_STEPS = 5, 0.5, 64
MOST_NUMBERS = 500  # of one array, evenly spaced


def outcome(framework: Framework, step_ns: float) -> dict[str, Any] | None:
    """Return losses or outputs, and the ms per step of calls that end with them on the host.

    step_ns: the time of a step as it was measured. Calls and windows of steps alternate, and the
    shortest of each counts. A custom loop has outputs alone; None if it returns none.
    """
    if not getattr(framework, "compares", False):
        return _of_a_loop(framework)
    framework.build()
    task, seeds = framework.cell.task, iter(range(1000, 10_000))

    def batches(number: int) -> list[Any]:
        own = framework.cell
        cells = [dataclasses.replace(own, seed=own.seed + next(seeds)) for _ in range(number)]
        return [framework.models.batch(cell, own.batch_size) for cell in cells]

    values = framework.compute(batches(STEPS[task]))
    steps = min(MOST_STEPS, max(STEPS[task], math.ceil(CALL_S / (step_ns / 1e9))))
    pairs = [(_call_ms(framework, batches(steps)), _step_ms(framework)) for _ in range(PAIRS)]
    return {
        "kind": LOSSES if task == "fit" else OUTPUTS,
        "values": [number for array in values for number in numbers(array)],
        "steps": steps,
        "call_ms": min(call for call, _ in pairs),
        "step_ms": min(step for _, step in pairs),
    }


def _of_a_loop(framework: Framework) -> dict[str, Any] | None:
    import numpy as np

    framework.build()
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


def _call_ms(framework: Framework, batches: list[Any]) -> float:
    start = time.perf_counter_ns()
    framework.compute(batches)
    return (time.perf_counter_ns() - start) / 1e6 / len(batches)


def _step_ms(framework: Framework) -> float:
    short = dataclasses.replace(
        PROTOCOLS["smoke"], windows=1, window_s=CALL_S, warmup_steps=1, synchronized_steps=0
    )
    batches = getattr(framework, "batches_per_tick", 1)
    timer = Timer(short, framework.fence, framework.compilations, batches=batches)
    framework.run(timer)
    return timer.step_ns / 1e6


def numbers(array: Any) -> list[float | None]:
    """Return numbers of an array, evenly spaced, and its root mean square; None if not finite."""
    import numpy as np

    flat = np.asarray(array).astype("float64").ravel()
    some = flat[:: max(1, math.ceil(flat.size / MOST_NUMBERS))]
    root = math.sqrt(float((flat**2).mean())) if flat.size else 0.0
    return [x if math.isfinite(x) else None for x in map(float, [*some, root])]


def joined(batches: list[Any]) -> Any:
    """Return batches of equal structure as one: arrays in tuples, lists and dicts."""
    import numpy as np

    first = batches[0]
    if isinstance(first, dict):
        return {name: joined([batch[name] for batch in batches]) for name in first}
    if isinstance(first, tuple | list):
        return type(first)(joined(list(parts)) for parts in zip(*batches, strict=True))
    return np.concatenate(batches)


def leaves(found: Any) -> list[Any]:
    """Return all arrays or tensors in nested tuples, lists, dicts and objects with attributes."""
    if found is None:
        return []
    if isinstance(found, dict):
        return [leaf for each in found.values() for leaf in leaves(each)]
    if isinstance(found, tuple | list):
        return [leaf for each in found for leaf in leaves(each)]
    return [found] if hasattr(found, "shape") else leaves(vars(found))
