"""A file of numbers read by pyarrow, by all threads of the run."""

import numpy as np
import pyarrow.csv

from measure.native.host_ways import Way

NO_HEADER = pyarrow.csv.ReadOptions(autogenerate_column_names=True)


def parse(path: str) -> np.ndarray:
    """Read a file of numbers: float64 of (rows, columns)."""
    columns = pyarrow.csv.read_csv(path, read_options=NO_HEADER).columns
    return np.column_stack([column.to_numpy() for column in columns])


def way() -> Way:
    """The function as it is; the pool is as large as OMP_NUM_THREADS said at the import."""
    return Way(parse, (parse,), "pyarrow", threads=pyarrow.cpu_count)
