"""A file of numbers read by polars, by all threads of the run."""

import numpy as np
import polars

from measure.native.host_ways import Way


def parse(path: str) -> np.ndarray:
    """Read a file of numbers: float64 of (rows, columns)."""
    return polars.read_csv(path, has_header=False).to_numpy(order="c")


def way() -> Way:
    """The function as it is; the pool is as large as POLARS_MAX_THREADS said at the import."""
    return Way(parse, (parse,), "polars", threads=polars.thread_pool_size)
