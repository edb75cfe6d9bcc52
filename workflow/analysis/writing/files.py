"""A DataFrame as CSV or Parquet. Text is escaped, numbers are unrounded, what is missing is NA."""

import io
from typing import Any

import pandas as pd

from analysis.formats.text import NA, csv_text, plain


def to_csv(frame: pd.DataFrame) -> str:
    """The frame as CSV: its names, then its lines."""
    # as objects: pandas makes floats of whole numbers beside missing ones
    columns = {csv_text(name): list(map(_escaped, values)) for name, values in frame.items()}
    safe = pd.DataFrame(columns, dtype=object)
    return safe.to_csv(index=False, na_rep=NA, lineterminator="\n")


def to_parquet(frame: pd.DataFrame) -> bytes:
    """The frame as Parquet. Columns keep their types; one of mixed types holds text."""
    buffer = io.BytesIO()
    frame.apply(_one_type).rename(columns=plain).to_parquet(buffer, index=False, store_schema=False)
    return buffer.getvalue()


def _escaped(value: Any) -> Any:
    return csv_text(value) if isinstance(value, str) else value


def _one_type(values: pd.Series) -> pd.Series:
    """A column of one type: whole numbers beside floats are floats; text is without controls."""
    kinds = {type(value) for value in values.dropna()}
    if kinds == {int, float}:
        return values.astype(float)
    if len(kinds) > 1 or str in kinds:
        return values.map(lambda value: None if pd.isna(value) else plain(str(value)))
    return values
