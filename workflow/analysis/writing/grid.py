"""A plain table of the page."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd


@dataclass(frozen=True)
class Grid:
    """For the template: texts only. `marked` are indices of lines worth a look."""

    caption: str
    header: tuple[str, ...]
    lines: tuple[tuple[str, ...], ...]
    marked: frozenset[int] = frozenset()
    mark: str = "differs"

    @classmethod
    def of(cls, texts: pd.DataFrame, caption: str) -> Grid:
        """A table of this frame of texts; its columns are the header."""
        return cls(caption, tuple(texts.columns), tuple(texts.itertuples(index=False, name=None)))
