"""Looks: a column's colour, marker and hatch in figures, from its framework and settings alone.

A framework has its own look, and shades of its colour for columns with settings. Each value of a
setting has a place number; the sum of them picks shade, marker and hatch. If few values are
possible, their places are declared so that all combinations differ. Numbers and names that anyone
may choose take one of 44 places, so two of these can look alike.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass

from contract.settings import said
from planning.frameworks import Framework

MARKERS = "X<>*Pso^v"  # filled, and distinct when small; one of them may be the framework's own
HATCHES = ("o", "*", "O", "+", "|", "||", "OO", "///", "...", "xxx")
PLACES = 45  # nine markers and five shades have no common divisor: every place is another pair


@dataclass(frozen=True)
class Look:
    """How figures draw a column."""

    colour: str
    marker: str
    hatch: str


def look(framework: Framework, named: Mapping[str, object]) -> Look:
    """The look of a framework with the settings that are not its default; without any, its own."""
    if not named:
        return Look(framework.colours[0], framework.marker, framework.hatch)
    place = sum(_place(setting, value) for setting, value in named.items()) % PLACES
    markers = [framework.marker, *MARKERS.replace(framework.marker, "")][: len(MARKERS)]
    return Look(
        colour=framework.colours[place % len(framework.colours)],
        marker=markers[place % len(markers)],
        hatch=HATCHES[place % len(HATCHES)],
    )


def _place(setting: str, value) -> int:
    """The place that is declared for a value, or one from 1 to 44 by its number or name."""
    if setting == "overlay":
        return sum(_among(zlib.crc32(overlay.word.encode())) for overlay in value)
    place = _among(value if isinstance(value, int) else zlib.crc32(value.encode()))
    return said(setting, value).get("look", place)


def _among(number: int) -> int:
    return 1 + (number - 1) % (PLACES - 1)
