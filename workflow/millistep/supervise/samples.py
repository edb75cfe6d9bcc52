"""The record's `monitor` and `energy`, computed from the samples of a run; pure arithmetic.

A sample is a reading of :class:`supervise.monitor.Monitor`. A window is the time from the start of
the first timing window to the end of the last one, ``(start, end)`` in nanoseconds of the clock
that all processes share.
"""

import statistics
from bisect import bisect_left, bisect_right
from itertools import pairwise
from typing import Any

Samples = list[dict[str, Any]]
Window = tuple[int, int] | None

RANGES = ("sm_clock_mhz", "memory_clock_mhz", "temperature_c", "power_w", "utilization_percent")


def summary(samples: Samples, window: Window, interval_s: float) -> dict[str, Any] | None:
    """Return the record's ``monitor``; None without a window or a sample."""
    if window is None or not samples:
        return None
    # Values that change slowly come also from the samples around a short window.
    inside, around = _inside(samples, window), _inside(samples, window, margin=1)
    return {
        "interval_s": interval_s,
        "samples": len(inside),
        "load_max": max(_values(inside, "load"), default=None),
        "frequency_mhz": _range(_values(inside, "frequency_mhz")),
        "throttled": _growth(samples, window, "throttle_events"),
        "swapped_mib": _growth(samples, window, "swapped_mib"),
        "gpu": _gpu(_values(inside, "gpu"), _values(around, "gpu")),
    }


def last_free_mib(samples: Samples) -> float | None:
    """MiB of free device memory in the last sample of the GPU; None without one."""
    return next((s["gpu"]["free_memory_mib"] for s in reversed(samples) if s["gpu"]), None)


def energy(samples: Samples, window: Window, steps: int | None) -> dict[str, Any] | None:
    """Return the record's ``energy``; None without a counter, or with too few samples.

    steps: all steps of the window, those between timing windows included.

    Power changes when timing starts. With two samples inside, only the parts before the first and
    after the last are estimated, from the mean power across the window's borders.
    """
    counted = [sample for sample in samples if sample["joules"] is not None]
    if window is None or not steps or len(_inside(counted, window)) < 2:
        return None
    start, end = (_joules_at(counted, at_ns) for at_ns in window)
    if start is None or end is None:
        return None
    return {"joules_per_step": (end - start) / steps, "counter": counted[0]["counter"]}


def _inside(samples: Samples, window: tuple[int, int], margin: int = 0) -> Samples:
    """Return the samples in the window, with `margin` ones before and after it."""
    times = [sample["at_ns"] for sample in samples]
    first, end = bisect_left(times, window[0]), bisect_right(times, window[1])
    return samples[max(0, first - margin) : end + margin]


def _values(samples: Samples, name: str) -> list[Any]:
    return [sample[name] for sample in samples if sample[name] is not None]


def _range(values: list[float]) -> dict[str, Any] | None:
    if not values:
        return None
    return {"min": min(values), "median": statistics.median(values), "max": max(values)}


def _growth(samples: Samples, window: tuple[int, int], name: str) -> Any:
    """Return a counter's growth from the last sample before the window to the first after it."""
    counted = [sample for sample in samples if sample[name] is not None]
    counts = _values(_inside(counted, window, margin=1), name)
    return counts[-1] - counts[0] if counts else None


def _joules_at(samples: Samples, at_ns: int) -> float | None:
    """Return the energy counter at a time, by linear interpolation; None out of range."""
    for left, right in pairwise(samples):
        if left["at_ns"] <= at_ns <= right["at_ns"]:
            part = (at_ns - left["at_ns"]) / (right["at_ns"] - left["at_ns"])
            return float(left["joules"] + part * (right["joules"] - left["joules"]))
    return None


def _gpu(inside: Samples, around: Samples) -> dict[str, Any] | None:
    if not around:
        return None
    reasons = _values(around, "throttle_reasons")
    return {
        **{name: _range(_values(inside, name)) for name in RANGES},
        "throttle_reasons": sorted({word for of in reasons for word in of}) if reasons else None,
        "foreign_processes": max(_values(around, "foreign_processes"), default=None),
        "process_memory_mib": _range(_values(inside, "process_memory_mib")),
    }
