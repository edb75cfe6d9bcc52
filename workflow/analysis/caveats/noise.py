"""What disturbed the measurement: other processes at work."""

from __future__ import annotations

from collections.abc import Iterator

from analysis.caveats.causes import NOISE
from analysis.caveats.core import (
    Caveat,
    Changes,
    Severity,
    frame_rule,
    where_and_how_much,
)
from analysis.caveats.readings import worst
from analysis.caveats.thresholds import (
    FOREIGN_CPU_SHARE,
)
from analysis.data import Data
from analysis.formats.text import percent
from analysis.results.profiles import FOREIGN_CPU_HEAVY


@frame_rule(
    "Other processes used the processors",
    "Times may be too long; where others took a quarter or more, they are greyed, not compared.",
    Changes.ORDER,
    "Close other programs, remove these records and start again.",
    NOISE,
)
def foreign_load(data: Data) -> Iterator[Caveat]:
    """Other processes worked during the timed steps; from FOREIGN_CPU_HEAVY on a number tells
    nothing.
    """
    shares = worst(data, "load.foreign_cpu_share", lambda share: share >= FOREIGN_CPU_SHARE)
    heavy = {cell: share for cell, share in shares.items() if share >= FOREIGN_CPU_HEAVY}
    light = {cell: share for cell, share in shares.items() if cell not in heavy}
    for found, severity in ((heavy, Severity.CRITICAL), (light, Severity.WARNING)):
        yield from where_and_how_much(
            "foreign_load",
            found,
            "Other processes used the processors during the timed steps, as a share of all cores: "
            "{where}.",
            percent,
            severity=severity,
            threshold=FOREIGN_CPU_SHARE,
        )
