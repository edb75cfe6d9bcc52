"""Sentences and tables, as ``texts.yaml`` beside the modules that say them has them.

A sentence is a Jinja template. A table has a `caption` and `columns`: a template for each title,
over the records of a frame, in which what is missing is None.
"""

from pathlib import Path
from typing import Any

import pandas as pd

from analysis.formats.sentences import template, texts_of
from analysis.writing.grid import Grid


class Texts:
    """Texts beside a module: `Texts(__file__)`."""

    def __init__(self, module: str) -> None:
        self._file = Path(module).with_name("texts.yaml")

    def say(self, name: str, /, **values: Any) -> str:
        """Return a sentence."""
        return template(texts_of(self._file)[name]).render(values)

    def grid(self, name: str, found: pd.DataFrame, /, **values: Any) -> Grid:
        """Return a table with a line per line of the frame; `values` are for its caption too."""
        texts = texts_of(self._file)[name]
        columns = [template(text) for text in texts["columns"].values()]
        lines = tuple(tuple(of.render(line, **values) for of in columns) for line in records(found))
        return Grid(template(texts["caption"]).render(values), tuple(texts["columns"]), lines)


def records(found: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the lines of a frame, with None for what is missing."""
    return found.astype(object).where(found.notna(), None).to_dict("records")
