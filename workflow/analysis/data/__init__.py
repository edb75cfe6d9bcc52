"""All that was measured as tables: see :mod:`analysis.data.frames`."""

from analysis.data.frames import CELL, ROW, RUN, CellKey, Data, cell_key, of_fullest_runs

__all__ = ["CELL", "ROW", "RUN", "CellKey", "Data", "cell_key", "of_fullest_runs"]
