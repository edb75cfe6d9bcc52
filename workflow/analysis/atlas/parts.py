"""The parts of the page of an atlas. Ten thousand cells have to open in a second, so long tables
are made of pieces, which a browser lays out when they come into view.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import pandas as pd

from analysis.formats.text import count, ms

ROWS_OF_A_PIECE = 100  # as in report/atlas.js
WIDTH, HEIGHT, EDGE = 120, 30, 3  # of a trend's line
LEAST_RANGE = 0.02  # of the logarithms that fill its height: noise is not to look like a cliff


@dataclass(frozen=True)
class Number:
    """A number on the page, with the cells or the archives that it rests on, for citing them."""

    text: str
    cells: Sequence[int] = ()
    archives: Sequence[int] = ()

    @property
    def address(self) -> str:
        return f"c{self.cells[0]}" if self.cells else f"a{self.archives[0]}"


Entry = str | Callable[[Any], Any]  # the name of an attribute of a line, or a function of the line


@dataclass(frozen=True)
class Section:
    """A table in pieces: `columns` gives, by title, what is shown of each line of `frame`; `ids`
    and `archives` give the address of a line and the number of its archive.
    """

    name: str
    columns: dict[str, Entry]
    frame: pd.DataFrame
    ids: Callable[[Any], str] = lambda one: ""
    archives: Callable[[Any], int | None] = lambda one: None

    @property
    def width_rem(self) -> int:
        """The width of every piece: fixed, so that columns line up whatever they hold."""
        return 8 * len(self.columns)

    @property
    def pieces(self) -> Iterator[list[Line]]:
        """The lines in pieces; what is missing in the frame is None."""
        named = self.frame.astype(object)
        lines = named.where(named.notna(), None).itertuples(index=False)
        while piece := [*map(self._line, islice(lines, ROWS_OF_A_PIECE))]:
            yield piece

    def _line(self, one: Any) -> Line:
        entries = [
            str(getattr(one, entry)) if isinstance(entry, str) else entry(one)
            for entry in self.columns.values()
        ]
        return Line(entries, self.ids(one), self.archives(one))


@dataclass(frozen=True)
class Line:
    """A row of a table; `id` is its address, `archive` the number of its archive."""

    entries: list[Any]
    id: str
    archive: int | None


class Course:
    """The times of a trend with their intervals, as a small line."""

    def __init__(self, points: list[list[float]]):
        logs = [[math.log(v) if v and v == v else None for v in point[1:]] for point in points]
        known = [v for point in logs for v in point if v is not None]
        low, high = min(known), max(known)
        step = (WIDTH - 2 * EDGE) / max(len(points) - 1, 1)
        scale = (HEIGHT - 2 * EDGE) / max(high - low, LEAST_RANGE)

        def at(place: int, value: float) -> str:
            return f"{EDGE + place * step:.1f} {HEIGHT - EDGE - (value - low) * scale:.1f}"

        self.line = "M" + "L".join(at(n, point[0]) for n, point in enumerate(logs))
        self.bars = "".join(
            f"M{at(n, point[1])}L{at(n, point[2])}"
            for n, point in enumerate(logs)
            if point[1] is not None
        )
        times_ms = [point[1] for point in points]
        self.label = f"{count(len(points), 'time')}, {ms(min(times_ms))} to {ms(max(times_ms))}"
        self.width, self.height = WIDTH, HEIGHT
