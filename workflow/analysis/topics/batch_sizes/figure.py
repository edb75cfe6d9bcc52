"""What a larger batch costs a sample."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.data import CELL, Data
from analysis.figures.panels import log_ticks
from analysis.figures.sizes import Points, size_panels
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
    each = (found["ms"] / found["samples"]).astype(float)
    means = each.groupby([found[name] for name in (*CELL, "samples")]).agg(geometric_mean)
    points: dict = {}
    for (*key, size), time in means.items():
        points.setdefault(tuple(key), {})[size] = time
    return points


def _logarithmic(axes: Axes, sizes: list[int], times: list[float]) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    low, high = min(times) / 1.3, max(times) * 1.3
    axes.set_ylim(low, high)
    log_ticks(axes.yaxis, low, high)
    axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
    axes.set_xticks([], minor=True)
