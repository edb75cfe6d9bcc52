"""What a larger batch costs a sample."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.data import CELL, Data
from analysis.figures.panels import Points, log_scale, size_panels
from analysis.statistics.fullest import of_fullest_runs
from analysis.statistics.intervals import geometric_mean
from analysis.topics.batch_sizes.compute import steps


def batch(data: Data) -> Figure:
    """Draw ms per sample against the batch size."""
    labels = ("batch size, logarithmic", "ms per sample, log.")
    nothing = "no row has times at two batch sizes"
    return size_panels(data, sample_ms(data), labels, nothing, _logarithmic)


def sample_ms(data: Data) -> Points:
    """ms/step over the batch size, by batch size, of the runs that were timed at the most sizes."""
    found = of_fullest_runs(steps(data), CELL, ["samples"])
    found = found.assign(each=(found["ms"] / found["samples"]).astype(float))
    means = found.groupby([*CELL, "samples"])["each"].agg(geometric_mean).reset_index("samples")
    cells = means.groupby(CELL)
    return {key: of_cell.set_index("samples")["each"].to_dict() for key, of_cell in cells}


def _logarithmic(axes: Axes, sizes: list[int], times: list[float]) -> None:
    log_scale(axes.yaxis, min(times) / 1.3, max(times) * 1.3)
    axes.set_xscale("log")
    axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
    axes.set_xticks([], minor=True)
