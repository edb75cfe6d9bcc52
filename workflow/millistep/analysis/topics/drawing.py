"""Lines per configuration in a panel per workload, which several topics draw."""

from collections.abc import Iterable

import pandas as pd
from matplotlib.axes import Axes

from millistep.analysis.frames import CELL, WORKLOAD, Data


def draw_lines(data: Data, values: pd.Series, panels: Iterable[Axes], x: str, y: str) -> None:
    """Draw values, indexed by cell and then by x, on logarithmic axes.

    A panel belongs to one workload; a configuration has the color and marker of the other figures.
    """
    looks = data.configurations.set_index("configuration")
    labels = data.workloads.set_index(WORKLOAD)["workload"]
    for axes, (workload, of) in zip(
        panels, values.groupby(level=WORKLOAD, sort=False), strict=False
    ):
        for name, line in of.groupby(level="configuration", sort=False):
            look = looks.loc[name]
            points = line.droplevel(CELL).sort_index()
            style = {"color": look["color"], "marker": look["marker"], "label": look["title"]}
            axes.plot(points.index.astype(float), points, markersize=4, linewidth=1.2, **style)
        axes.set(title=labels.loc[workload], xlabel=x, ylabel=y, xscale="log", yscale="log")
