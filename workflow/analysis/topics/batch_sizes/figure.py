"""The time of a sample by the size of its batch."""

from matplotlib.figure import Figure

from analysis.data import CELL, CellKey, Data, of_fullest_runs
from analysis.figures.panels import Points, size_panels
from analysis.statistics.intervals import geometric_mean
from analysis.topics.batch_sizes.compute import steps


def batch(data: Data) -> Figure:
    """Draw ms per sample against the batch size."""
    labels = ("batch size, logarithmic", "ms per sample, log.")
    nothing = "no row has times at two batch sizes"
    return size_panels(data, sample_ms(data), labels, nothing, log=True)


def sample_ms(data: Data) -> Points:
    """ms/step over the batch size, by batch size, of the runs that were timed at the most sizes."""
    found = of_fullest_runs(steps(data), ["samples"])
    found = found.assign(each=(found["ms"] / found["samples"]).astype(float))
    means = found.groupby([*CELL, "samples"])["each"].agg(geometric_mean)
    cells: dict[CellKey, dict[int, float]] = {}
    for (*key, samples), mean_ms in means.items():
        cells.setdefault(tuple(key), {})[samples] = mean_ms
    return cells
