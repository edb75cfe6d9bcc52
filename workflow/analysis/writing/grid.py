"""A plain table of the page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from analysis.formats.text import markdown


@dataclass(frozen=True)
class Grid:
    """A table for a template: texts only. `marked` are indices of lines worth a look."""

    caption: str
    header: tuple[str, ...]
    lines: tuple[tuple[str, ...], ...]
    marked: frozenset[int] = frozenset()
    mark: str = "differs"

    @classmethod
    def of(cls, texts: pd.DataFrame, caption: str, **marked: Any) -> Grid:
        """A table of this frame of texts; its columns are the header."""
        lines = tuple(texts.itertuples(index=False, name=None))
        return cls(caption, tuple(texts.columns), lines, **marked)

    @property
    def markdown(self) -> str:
        """The table as Markdown, without the caption; every text is shown as it is."""
        header, *lines = [" | ".join(map(markdown, line)) for line in (self.header, *self.lines)]
        rule = " | ".join("---" for _ in self.header)
        return "\n".join(f"| {line} |" for line in (header, rule, *lines))
