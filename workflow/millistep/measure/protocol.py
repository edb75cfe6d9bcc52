"""How long a run is measured, per scale. Named numbers, in one place."""

from dataclasses import dataclass
from typing import Any

# The version of what a number means: which steps are timed, how, and of which models. It is part of
# every fingerprint, so a higher number measures everything again. tests/measured_code.py shows when
# to think about it.
MEASURE = 2


@dataclass(frozen=True)
class Protocol:
    """Bounds of one run; times in seconds."""

    windows: int  # timing windows of a run, one per turn
    check_windows: int  # the same in a regression check, for two versions that are nearly equal
    window_s: float  # aimed length of a timing window
    hard_cap_s: float  # stop the windows here, whatever was planned
    synchronized_steps: int
    synchronized_cap_s: float
    legacy_steps: int
    legacy_cap_s: float
    probe_windows: int  # of a probe at another batch size
    length_windows: int  # of a probe at another length
    monitor_s: float  # between two samples of the machine
    warmup_steps: int = 2  # steps discarded after the last compilation


SCALES = ("paper", "laptop", "smoke")
VALUES: dict[str, tuple[Any, ...]] = {  # by scale
    "windows": (20, 10, 8),
    "check_windows": (20, 20, 8),
    "window_s": (1.0, 0.15, 0.01),
    "hard_cap_s": (1200.0, 16.0, 4.0),
    "synchronized_steps": (20, 20, 5),
    "synchronized_cap_s": (60.0, 0.3, 1.0),
    "legacy_steps": (100, 20, 5),
    "legacy_cap_s": (120.0, 0.5, 1.0),
    "probe_windows": (4, 3, 2),
    "length_windows": (8, 4, 2),
    "monitor_s": (1.0, 0.5, 0.05),
}
PROTOCOLS = {
    scale: Protocol(**dict(zip(VALUES, values, strict=True)))
    for scale, *values in zip(SCALES, *VALUES.values(), strict=True)
}
