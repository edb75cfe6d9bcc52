"""The time of a token by the length of the cache."""

from matplotlib.figure import Figure

from analysis.data import CELL, RUN, Data
from analysis.figures.panels import Points, size_panels
from analysis.topics.padding.compute import compared_calls, kind_means


def padding(data: Data) -> Figure:
    """Draw ms per new token against the length of the cache, at the row's number of new tokens."""
    labels = ("max_length, tokens", "ms per new token")
    nothing = "no row that generates text has times at two lengths"
    return size_panels(data, token_ms(data), labels, nothing)


def token_ms(data: Data) -> Points:
    """ms per new token by length, of the calls with as many new tokens as the row's own; without
    cells of one length.
    """
    found = compared_calls(data)
    if found.empty:
        return {}
    own = found.groupby(RUN, sort=False)["new_tokens"].transform("first")
    means = kind_means(found[found["new_tokens"] == own])
    means["ms"] /= means["new_tokens"]
    points = {key: of_cell.set_index("max_length")["ms"] for key, of_cell in means.groupby(CELL)}
    return {key: lengths.to_dict() for key, lengths in points.items() if len(lengths) > 1}
