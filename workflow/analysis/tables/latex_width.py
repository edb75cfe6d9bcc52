"""How wide LaTeX sets a text in its default type, so that wide tables can be split."""

from analysis.formats.text import plain

TEXT_WIDTH_PT = 345  # of the class article as it is, on both usual papers
BOLD = 1.15  # a digit of bold type over one of upright type
# Small type is wider for its size: that of a digit over half its size.
STRETCH = {5: 1.36, 7: 1.14}
# Computer Modern at 10 pt, in thousandths of its size, each group by its widest character.
GROUPS = {
    310: "ijl.,:;'!| ",
    400: "frst-()[]I`",
    500: "0123456789acegkoqvxyz/*",
    560: "bdhnpu?$~^_",
    800: "wABDEFGHKLNOPQRSTUVXYZ#&<>=+\\{}",
}
WIDTHS = {character: width / 1000 for width, group in GROUPS.items() for character in group}
WIDEST = 1.03  # W, and characters that are not listed
CODE = len("[U+0000]") * 0.78  # what is printed in the place of other characters than ASCII


def width_pt(text: str, size_pt: int, bold: bool = False) -> float:
    """At most what LaTeX makes of this text, in points."""
    ems = sum(WIDTHS.get(char, WIDEST) if char.isascii() else CODE for char in plain(text))
    return ems * size_pt * STRETCH[size_pt] * (BOLD if bold else 1)
