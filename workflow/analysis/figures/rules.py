"""The rules of the workflow that made the results, from the left to the right."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from analysis.data import Data
from analysis.figures.style import INK, RULE
from analysis.formats.text import count
from analysis.results.rule_graph import Rule, RuleGraph

CHARACTER_IN, LINE_IN = 0.064, 0.44  # of a name, of a box with the room below it
PADDING_IN, BETWEEN_IN, MARGIN_IN = 0.2, 0.55, 0.05
BOX_IN = 0.34  # high
SIZE = 8


def rules(data: Data) -> Figure:
    """A box per rule with its number of jobs; an arrow leads to a rule that reads its files."""
    results = data.results
    graph = results.rule_graph
    if graph is None:
        figure = Figure(figsize=(6, 0.5))
        figure.text(0.5, 0.5, f"There is no {results.plan.rules}.", ha="center", va="center")
        return figure
    widths = [_width_in(layer) for layer in graph.layers]
    high = max(map(len, graph.layers)) * LINE_IN + 2 * MARGIN_IN
    wide = sum(widths) + (len(widths) - 1) * BETWEEN_IN + 2 * MARGIN_IN
    figure = Figure(figsize=(wide, high))
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, wide), ylim=(0, high))
    axes.set_axis_off()
    _draw(axes, graph, widths, high)
    return figure


def _width_in(layer: list[Rule]) -> float:
    return PADDING_IN + CHARACTER_IN * max(max(len(r.name), len(_jobs(r))) for r in layer)


def _jobs(rule: Rule) -> str:
    return count(rule.jobs, "job")


def _draw(axes: Axes, graph: RuleGraph, widths: list[float], high: float) -> None:
    box = {"boxstyle": "round,pad=0,rounding_size=0.06", "edgecolor": INK, "facecolor": "none"}
    places: dict[str, tuple[float, float, float]] = {}  # left, right, middle
    left = MARGIN_IN
    for layer, width in zip(graph.layers, widths, strict=True):
        top = (high + len(layer) * LINE_IN) / 2
        for line, rule in enumerate(layer):
            middle = top - (line + 0.5) * LINE_IN
            places[rule.name] = left, left + width, middle
            axes.add_patch(FancyBboxPatch((left, middle - BOX_IN / 2), width, BOX_IN, **box))
            axes.text(left + width / 2, middle, rule.name, ha="center", va="bottom", size=SIZE)
            axes.text(left + width / 2, middle, _jobs(rule), ha="center", va="top", size=SIZE - 1)
        left += width + BETWEEN_IN
    arrow = {"arrowstyle": "-|>", "color": RULE, "shrinkA": 0, "shrinkB": 0}
    for needed, reading in graph.arrows:
        _, start, start_middle = places[needed]
        end, _, end_middle = places[reading]
        axes.annotate("", (end, end_middle), (start, start_middle), arrowprops=arrow)
