"""Numbers and words as they are printed: one digit rule, one spelling of NA, one escape per format.

Reasons, titles and warnings come from outside (an exception can say anything), so every writer
passes all text through its escape.
"""

import math
import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from string import ascii_lowercase

from analysis.statistics.intervals import Interval
from contract.table_text import NA as NA
from contract.table_text import decimals
from contract.table_text import ms as ms

MOST_TIMES = 100  # that an end of a useful interval is more, or less, than its time
FLOP_UNITS = ("FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP")

_CONTROL = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]+"
)
_MARKDOWN = re.compile(r"([\\`*\[\]<>|~$&]|\b_|_\b)")
_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "[": "{[}",
    "]": "{]}",
    '"': "''",
    "\u00a0": "~",
}
# Set as “, for which LaTeX has a letter; as '' the quotation would begin with its end.
_OPENING_QUOTE = re.compile(r'(?<![^\s(\[])"')
# What LaTeX has no letter for, unless a package brings it: one such ends its run.
_NOT_LATEX = re.compile("[^ -\u017f–—‘’“”…]")


def interval_ms(value_ms: float, interval: Interval) -> tuple[str, str]:
    """The ends of the interval of a time, to the digit of the time; those that are no use, a
    hundred times away from it, to their own first digit.
    """
    places = decimals(value_ms)
    low, high = (
        f"{end:.{places}f}"
        if value_ms / MOST_TIMES <= end <= value_ms * MOST_TIMES
        else f"{end:.0e}"
        for end in (interval.low, interval.high)
    )
    return low, high


def percent(share: float, signed: bool = False) -> str:
    """A share, or a difference with its sign: below 10 % with a decimal, a difference below 1 %
    with two.
    """
    places = 0 if abs(share) >= 0.0995 else 2 if signed and abs(share) < 0.00995 else 1
    number = f"{100 * share:{'+' if signed else ''}z.{places}f}"
    return f"{number.rstrip('0').rstrip('.') if places else number}\u00a0%"


def times(ratio: float) -> str:
    """A ratio of times; what a step gains has no limit where nothing of it is left."""
    return f"{ratio:.2f}\u00d7" if math.isfinite(ratio) else "no limit"


def seconds(value_s: float | None) -> str:
    """A duration in seconds."""
    return NA if value_s is None else f"{value_s:.2f}" if value_s < 10 else f"{value_s:.1f}"


def mib(value_mib: float | None) -> str:
    """An amount of memory in MiB."""
    return NA if value_mib is None else f"{value_mib:,.0f}"


def flops(value: float) -> str:
    """An amount of arithmetic to three digits: '1.50 TFLOP'."""
    power = min(max(int(math.log10(value)) // 3, 0), len(FLOP_UNITS) - 1) if value >= 1 else 0
    scaled = value / 1000**power
    return f"{scaled:.{max(0, 2 - int(math.log10(max(scaled, 1))))}f} {FLOP_UNITS[power]}"


def count(number: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun: '1 run', '3 runs'."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def spread(values: Iterable[float | None], spell: Callable[[float], str] = "{:,}".format) -> str:
    """The range of some values: '20' when all are equal, '20 to 100' else."""
    known = [value for value in values if value is not None]
    if not known:
        return "unknown"
    low, high = spell(min(known)), spell(max(known))
    return low if low == high else f"{low} to {high}"


def listed(items: list[str], nothing: str = "none") -> str:
    """Items in the words of a sentence: 'a', 'a and b', 'a, b and c'; 'a; b, c and d' where one of
    three is 'b, c'. Of no items the word for that.
    """
    if len(items) < 2:
        return items[0] if items else nothing
    between = "; " if len(items) > 2 and any(", " in item for item in items) else ", "
    return f"{between.join(items[:-1])} and {items[-1]}"


def spelled(value: str | int | float | bool | None) -> str:
    """A value of a parity card as text."""
    if value is None:
        return NA
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else str(value)


@lru_cache(maxsize=4096)  # most of the texts of a table stand in it again and again
def plain(text: str) -> str:
    """One line without control characters: safe for a terminal."""
    return _CONTROL.sub(" ", text).strip()


def markdown(text: str) -> str:
    """Text that Markdown shows as it is, in a table cell too."""
    return _MARKDOWN.sub(r"\\\1", plain(text))


def markdown_code(text: str) -> str:
    """Text as code in a table of Markdown: nothing in it is a link, or calls anybody by name."""
    return "`{}`".format(plain(text).replace("`", "'").replace("|", r"\|"))


def latex(text: str) -> str:
    """Text in UTF-8 for LaTeX with no package but booktabs; signs of other scripts are named by
    their code.
    """
    known = _NOT_LATEX.sub(lambda match: f"[U+{ord(match[0]):04X}]", plain(text))
    known = _OPENING_QUOTE.sub("“", known)
    return "".join(_LATEX.get(char, char) for char in known)


def csv_text(text: str) -> str:
    """Text that a spreadsheet does not take for a formula."""
    line = plain(text)
    return f"'{line}" if line.startswith(("=", "+", "-", "@")) else line


def letter(index: int) -> str:
    """The letters of an index from 0: a, b, ... z, aa, ab, ..."""
    head, tail = divmod(index, len(ascii_lowercase))
    return (letter(head - 1) if head else "") + ascii_lowercase[tail]


def anchor(*parts: str) -> str:
    """An id in a page, different for different parts: characters but letters, digits and _ are
    spelled by their code.
    """
    return "-".join(re.sub(r"[^A-Za-z0-9_]", lambda m: f".{ord(m[0]):x}.", part) for part in parts)
