"""A plain table of the page."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Grid:
    """For the template: texts only. `marked` are indices of lines worth a look."""

    caption: str
    header: tuple[str, ...]
    lines: tuple[tuple[str, ...], ...]
    marked: frozenset[int] = frozenset()
    mark: str = "differs"
