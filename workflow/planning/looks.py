"""Looks: colour, marker and hatch of a column in figures, from its framework and settings alone.

All columns of a framework share its hue. Each setting that a column names has a code, and the sum
of the codes, modulo 45, picks one of nine markers and of five shades (9 and 5 have no common
divisor, so every sum is another pair) and a hatch. The codes of the settings with few values are
chosen so that all their combinations differ, and two values of one setting differ in marker and in
shade; numbers and names that anyone may choose (threads, stacks, overlays, interpreters) take the
place that they have in a row of 44, so that two of these can meet. Figures say where two did.

The shades lie on five levels of luminance: apart in grey, and each readable on white and on black.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass

from planning.frameworks import Framework

NUMBER_OF_MARKERS = 9
MARKERS = "X<>*Pso^v"  # filled, and told apart when small; one of them may be the framework's own
HATCHES = ("o", "*", "O", "+", "|", "||", "OO", "///", "...", "xxx")
LUMINANCES = (0.08, 0.13, 0.21, 0.32, 0.46)  # of 1, relative, as in the contrast of WCAG
LOOKS = NUMBER_OF_MARKERS * len(LUMINANCES)
CODES = {
    "accelerator": {"cpu": 1, "cuda": 2},
    "precision": {"float32": 3, "tf32": 6},
    "mode": {"default": 11, "reduce-overhead": 22, "max-autotune": 33},
    "jit_compile": {"auto": 11, True: 22, False: 33},
    "optimizer": {"default": 4, "foreach": 8, "fused": 16},
    "cudnn_benchmark": {True: 12},
    "way": {"native": 14, "naive": 7, "callback": 28, "triton": 21},
}
# Ways of an operation on the processor alone, beside Python's: a marker each, five shades for all.
ON_HOST = ("numpy", "numba", "cython", "ctypes", "cffi", "pandas", "pyarrow", "polars")


@dataclass(frozen=True)
class Look:
    """How figures draw a column."""

    colour: str
    marker: str
    hatch: str


def look(framework: Framework, named: Mapping[str, object]) -> Look:
    """Of a framework with the settings that are not its default; without any, its own."""
    number = sum(_code(setting, value) for setting, value in named.items()) % LOOKS
    if not named:
        return Look(framework.colour, framework.marker, framework.hatch)
    markers = [framework.marker, *MARKERS.replace(framework.marker, "")][:NUMBER_OF_MARKERS]
    return Look(
        colour=shades(framework.colour)[number % len(LUMINANCES)],
        marker=markers[number % NUMBER_OF_MARKERS],
        hatch=HATCHES[number % len(HATCHES)],
    )


def _code(setting: str, value) -> int:
    """From 1 to 44."""
    if setting == "way" and value in ON_HOST:
        return 1 + ON_HOST.index(value)
    if setting in CODES and value in CODES[setting]:
        return CODES[setting][value]
    if setting == "overlay":
        return sum(_place(_checksum(overlay.word)) for overlay in value)
    return _place(value if isinstance(value, int) else _checksum(value))


def _place(number: int) -> int:
    return 1 + (number - 1) % (LOOKS - 1)


def _checksum(word: str) -> int:
    """The same on every machine, as ``hash`` is not; a month of a stack follows the one before."""
    year, _, month = word.partition("-")
    if year.isdigit() and month.isdigit():
        return 12 * int(year) + int(month)
    return zlib.crc32(word.encode())


def shades(colour: str) -> list[str]:
    """The colour itself and, of its hue, those of the other levels, the farthest first."""
    rgb = [_linear(int(colour[at : at + 2], 16) / 255) for at in (1, 3, 5)]
    own = _luminance(rgb)
    nearest = min(LUMINANCES, key=lambda level: abs(level - own))
    place = LUMINANCES.index(nearest)
    others = sorted(
        (level for level in LUMINANCES if level != nearest),
        key=lambda level: -abs(LUMINANCES.index(level) - place),
    )
    return [colour, *(_with_luminance(rgb, own, level) for level in others)]


def _with_luminance(rgb: list[float], own: float, level: float) -> str:
    """Mixed with black or with white, which leaves the hue."""
    if level < own:
        mixed = [part * level / own for part in rgb]
    else:
        white = (level - own) / (1 - own)
        mixed = [part + white * (1 - part) for part in rgb]
    return "#" + "".join(f"{round(255 * _gamma(part)):02x}" for part in mixed)


def _luminance(rgb: list[float]) -> float:
    red, green, blue = rgb
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(part: float) -> float:
    """sRGB to light."""
    return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4


def _gamma(part: float) -> float:
    """Light to sRGB."""
    return 12.92 * part if part <= 0.0031308 else 1.055 * part ** (1 / 2.4) - 0.055
