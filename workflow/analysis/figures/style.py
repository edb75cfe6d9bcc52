"""How figures look. Colour, marker and hatch of a column are those of the plan: the same
everywhere, legible in grey and when colour-blind.

Ink, rule and published are placeholders, which the report replaces by its own colours (dark mode).
"""

from typing import Any

INK = "#1c1e21"
RULE = "#c9cdd2"
PUBLISHED = "#6b7178"

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
