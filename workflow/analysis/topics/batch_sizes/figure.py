"""The time of a sample by the size of its batch."""

from matplotlib.figure import Figure

from analysis.data import CELL, Data
from analysis.figures.panels import Points, size_panels
from analysis.statistics.fullest import of_fullest_runs
from analysis.statistics.intervals import geometric_mean
from analysis.topics.batch_sizes.compute import steps


def batch(data: Data) -> Figure:
    """Draw ms per sample against the batch size."""
    labels = ("batch size, logarithmic", "ms per sample, log.")
    nothing = "no row has times at two batch sizes"
    return size_panels(data, sample_ms(data), labels, nothing, log=True)


def sample_ms(data: Data) -> Points:
    """ms/step over the batch size, by batch size, of the runs that were timed at the most sizes."""
    found = of_fullest_runs(steps(data), CELL, ["samples"])
    found = found.assign(each=(found["ms"] / found["samples"]).astype(float))
    means = found.groupby([*CELL, "samples"])["each"].agg(geometric_mean).reset_index("samples")
    cells = means.groupby(CELL)
    return {key: of_cell.set_index("samples")["each"].to_dict() for key, of_cell in cells}
