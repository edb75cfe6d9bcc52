"""Looks: colour, marker and hatch of a column in figures, from its framework and settings alone.

A framework has its own, and shades of its colour for columns with settings. Each value of a setting
has a place, declared where few are possible, so that all their combinations differ; the sum of the
places picks shade, marker and hatch. Numbers and names that anyone may choose take one of 44
places, so that two of these can meet.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass

from contract.settings import said
from planning.frameworks import Framework

MARKERS = "X<>*Pso^v"  # filled, and told apart when small; one of them may be the framework's own
HATCHES = ("o", "*", "O", "+", "|", "||", "OO", "///", "...", "xxx")
PLACES = 45  # nine markers and five shades have no common divisor, so every place is another pair


@dataclass(frozen=True)
class Look:
    """How figures draw a column."""

    colour: str
    marker: str
    hatch: str


def look(framework: Framework, named: Mapping[str, object]) -> Look:
    """Of a framework with the settings that are not its default; without any, its own."""
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
    """The declared place, or one from 1 to 44 by number or name."""
    if setting == "overlay":
        return sum(_among(zlib.crc32(overlay.word.encode())) for overlay in value)
    place = _among(value if isinstance(value, int) else zlib.crc32(value.encode()))
    return said(setting, value).get("look", place)


def _among(number: int) -> int:
    return 1 + (number - 1) % (PLACES - 1)
