"""CSV parsing with PyArrow, on all threads of the run."""

import numpy as np
import pyarrow.csv

PACKAGES = ("pyarrow",)
NO_HEADER = pyarrow.csv.ReadOptions(autogenerate_column_names=True)
threads = pyarrow.cpu_count


def parse(path):
    """Return the numbers of a file, float64 of (rows, columns)."""
    columns = pyarrow.csv.read_csv(path, read_options=NO_HEADER).columns
    return np.column_stack([column.to_numpy() for column in columns])


def operation():
    return parse
