"""The rules of the workflow that made the results, from the left to the right."""

from itertools import accumulate

from matplotlib.figure import Figure

from analysis.data import Data
from analysis.figures.style import INK, RULE
from analysis.formats.text import count

CHARACTER_IN, LINE_IN, BETWEEN_IN = 0.07, 0.44, 0.75  # of a name, of a box, between two layers
SIZE = 8


def rules(data: Data) -> Figure:
    """A box per rule with its number of jobs; an arrow leads to a rule that reads its files."""
    results = data.results
    graph = results.rule_graph
    if graph is None:
        figure = Figure(figsize=(6, 0.5))
        figure.text(0.5, 0.5, f"There is no {results.plan.rules}.", ha="center", va="center")
        return figure
    texts = {
        rule.name: f"{rule.name}\n{count(rule.jobs, 'job')}"
        for layer in graph.layers
        for rule in layer
    }
    widths = [
        BETWEEN_IN + CHARACTER_IN * max(len(rule.name) for rule in layer) for layer in graph.layers
    ]
    wide, high = sum(widths), LINE_IN * max(map(len, graph.layers))
    figure = Figure(figsize=(wide, high))
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, wide), ylim=(0, high))
    axes.set_axis_off()
    box = {"boxstyle": "round", "edgecolor": INK, "facecolor": "none"}
    boxes = {}
    for layer, width, right in zip(graph.layers, widths, accumulate(widths), strict=True):
        top = (high + (len(layer) - 1) * LINE_IN) / 2
        for line, rule in enumerate(layer):
            at = (right - width / 2, top - line * LINE_IN)
            centre = {"ha": "center", "va": "center", "fontsize": SIZE}
            boxes[rule.name] = axes.text(*at, texts[rule.name], bbox=box, **centre)
    arrow = {"arrowstyle": "-|>", "color": RULE, "shrinkA": 0, "shrinkB": 0}
    for needed, reading in graph.arrows:
        ends = {"xycoords": boxes[reading], "textcoords": boxes[needed]}
        axes.annotate("", (0, 0.5), xytext=(1, 0.5), **ends, arrowprops=arrow)
    return figure
