"""Caveats as data: what a reader must know before comparing two numbers.

A rule is a small pure function from the results to caveats, in one of the modules below; adding a
caveat is adding a function there. Every sentence must be true of the data that its evidence holds.
"""

from analysis.caveats import (
    attempts,
    clocks,
    comparability,
    compiling,
    coverage,
    drift,
    feeding,
    framework_warnings,
    harness,
    implied,
    modes,
    monitoring,
    nodes,
    noise,
    optimizers,
    parity,
    plausibility,
    provenance,
    ranking,
    stacks,
    steadiness,
    work,
)
from analysis.caveats.core import RULES, Caveat, Severity, collect

__all__ = [
    "RULES",
    "Caveat",
    "Severity",
    "attempts",
    "clocks",
    "collect",
    "comparability",
    "compiling",
    "coverage",
    "drift",
    "feeding",
    "framework_warnings",
    "harness",
    "implied",
    "modes",
    "monitoring",
    "nodes",
    "noise",
    "optimizers",
    "parity",
    "plausibility",
    "provenance",
    "ranking",
    "stacks",
    "steadiness",
    "work",
]
