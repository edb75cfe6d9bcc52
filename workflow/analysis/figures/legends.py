"""Legends above the panels of a figure, and the room that they take."""

from collections.abc import Sequence

from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from analysis.figures.style import INK, Look, look
from analysis.results.plan import Column

LINE_IN, AROUND_IN = 0.21, 0.13
# Entries that stand beside each other, where none is longer than so many characters.
FITTING = ((3, 36), (2, 58))


def legend_of(figure: Figure, columns: Sequence[Column]) -> None:
    """Colour and marker of every column."""
    looks = map(look, columns)
    handles = [Line2D([], [], color=found.colour, marker=found.marker) for found in looks]
    _above(figure, handles, column_labels(columns))


def legend_of_marks(figure: Figure, marks: dict[str, dict]) -> None:
    """What marks of any colour mean."""
    handles = [Line2D([], [], **{"linestyle": "", "color": INK, **mark}) for mark in marks.values()]
    _above(figure, handles, list(marks))


def legend_of_patches(figure: Figure, patches: list[Patch], labels: list[str]) -> None:
    """What the parts of bars mean."""
    _above(figure, patches, labels)


def legend_in(labels: Sequence[str]) -> float:
    """Inches that a legend takes."""
    return AROUND_IN + LINE_IN * max(2, -(-len(labels) // _per_line(labels)))


def column_labels(columns: Sequence[Column]) -> list[str]:
    """Titles; of a column that looks like one before it, with the title of that one."""
    first: dict[Look, Column] = {}
    labels = []
    for column in columns:
        other = first.setdefault(look(column), column)
        alike = "" if other is column else f" (drawn as {other.title})"
        labels.append(f"{column.title}{alike}")
    return labels


def _above(figure: Figure, handles: list[Line2D] | list[Patch], labels: list[str]) -> None:
    placed = "upper center" if figure.get_layout_engine() is None else "outside upper center"
    figure.legend(handles, labels, loc=placed, ncols=_per_line(labels), fontsize=9)


def _per_line(labels: Sequence[str]) -> int:
    longest = max(map(len, labels), default=0)
    return next((number for number, most in FITTING if longest <= most), 1)
