"""How figures look: one colour, marker and hatch per column, as the plan has them, the same
everywhere, legible in grey and when colour-blind.

Ink, rule and published are placeholders, which the report replaces by its own colours (dark mode).
"""

from dataclasses import dataclass
from typing import Any

from analysis.results.plan import Column

INK = "#1c1e21"
RULE = "#c9cdd2"
PUBLISHED = "#6b7178"


@dataclass(frozen=True)
class Look:
    """How a column is drawn."""

    colour: str
    marker: str
    hatch: str


def look(column: Column) -> Look:
    """The look of a column; of two that have the same, legends say so."""
    return Look(column.colour, column.marker, column.hatch)


# What differs from Matplotlib's defaults. Text stays text (selectable, in the page's font); names
# and reasons come from outside, so nothing is read as mathematics; ids in the SVG are salted with a
# constant to be the same every time.
RC: dict[str, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "millistep",
    "pdf.fonttype": 42,  # TrueType: text of a PDF can be selected, and journals take it
    "text.parse_math": False,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": RULE,
    "grid.linewidth": 0.6,
    "hatch.linewidth": 0.6,
    "legend.frameon": False,
    "savefig.transparent": True,
}
