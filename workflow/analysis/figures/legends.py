"""Legends above the panels of a figure, and the room that they take."""

from collections.abc import Mapping, Sequence

from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from analysis.figures.style import INK
from analysis.results.plan import Column

LINE_IN, AROUND_IN = 0.21, 0.13
LINE_CHARACTERS, MOST_BESIDE = 116, 3  # of the entries that stand beside each other


def legend(figure: Figure, handles: Mapping[str, Artist]) -> None:
    """Add a legend of marks, lines or patches by their labels."""
    ncols = _per_line(handles)
    placed = {"loc": "outside upper center", "ncols": ncols, "fontsize": 9}
    figure.legend(list(handles.values()), list(handles), **placed)


def of_columns(columns: Sequence[Column]) -> dict[str, Line2D]:
    """The colour and marker of every column as entries of a legend."""
    looks = ({"color": column.colour, "marker": column.marker} for column in columns)
    return dict(
        zip(column_labels(columns), (Line2D([], [], **look) for look in looks), strict=True)
    )


def of_marks(marks: Mapping[str, Mapping]) -> dict[str, Line2D]:
    """Marks that may have any colour as entries of a legend."""
    return {
        name: Line2D([], [], **{"linestyle": "", "color": INK, **mark})
        for name, mark in marks.items()
    }


def legend_in(labels: Mapping[str, Artist]) -> float:
    """The height in inches that a legend takes."""
    return AROUND_IN + LINE_IN * max(2, -(-len(labels) // _per_line(labels)))


def column_labels(columns: Sequence[Column]) -> list[str]:
    """The titles; that of a column that looks like an earlier one names the earlier one too."""
    first: dict[tuple[str, str, str], Column] = {}
    labels = []
    for column in columns:
        other = first.setdefault((column.colour, column.marker, column.hatch), column)
        alike = "" if other is column else f" (drawn as {other.title})"
        labels.append(f"{column.title}{alike}")
    return labels


def _per_line(labels: Mapping[str, Artist]) -> int:
    return min(MOST_BESIDE, max(1, LINE_CHARACTERS // max(map(len, labels), default=1)))
