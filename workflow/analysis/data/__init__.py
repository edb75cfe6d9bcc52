"""All that was measured as tables: see :mod:`analysis.data.frames`."""

from analysis.data.frames import CELL, ROW, Data

__all__ = ["CELL", "ROW", "Data"]
