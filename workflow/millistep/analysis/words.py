"""Numbers and words as they are printed; escapes of each format; Jinja environments."""

import math
import re
import sys
import traceback
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup, escape

NA = "NA"
REPORT = Path(__file__).parent / "templates"
FLOP_UNITS = ("FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP")
_CONTROL = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]+"
)
_MARKDOWN = re.compile(r"([\\`*\[\]<>|~$&]|\b_|_\b)")


def number(value: float, digits: int = 3) -> str:
    """Return a number to so many significant digits, never rounding its integer part: '28.7'."""
    if value is None or pd.isna(value) or math.isinf(value):
        return NA
    rounded = float(f"{value:.{digits - 1}e}")
    places = max(0, digits - 1 - int(f"{rounded:e}".partition("e")[2])) if rounded else digits - 1
    return f"{value:z,.{places}f}"


def ms(value: float) -> str:
    """Return a time in ms to four significant digits: '214.5', '1307'."""
    return number(value, 4).replace(",", "")


def percent(share: float, signed: bool = False) -> str:
    """Return '12 %', '1.5 %'; signed '+12 %'."""
    if pd.isna(share) or math.isinf(share):
        return NA
    places = 0 if abs(share) >= 0.0995 else 1
    if 0 < abs(share) < 0.0005:  # which is not 0
        places = -math.floor(math.log10(100 * abs(share)))
    text = f"{100 * share:{'+' if signed else ''}z.{places}f}"
    return f"{text.removesuffix('.0')}\u00a0%"


def times(ratio: float) -> str:
    """Return a ratio of times: '1.30', '12.8', '0.0123'."""
    return f"{ratio:.2f}" if 0.0995 <= ratio < 9.995 else number(ratio, 3)


def gain(ratio: float) -> str:
    """Return a ratio of speeds as a gain in throughput: '+12 %'."""
    return percent(ratio - 1, signed=True)


def flops(value: float) -> str:
    """Return an amount of arithmetic: '1.50 TFLOP'."""
    power = min(int(math.log10(value)) // 3, len(FLOP_UNITS) - 1) if value >= 1 else 0
    return f"{number(value / 1000**power)} {FLOP_UNITS[power]}"


def count(items: int, noun: str, plural: str | None = None) -> str:
    """Return '1 run', '3 runs'."""
    return f"{items:,} {noun if items == 1 else plural or noun + 's'}"


def listed(items: Iterable[Any]) -> str:
    """Return 'a', 'a and b' or 'a, b and c'; 'a; b, c; and d' if an item has a comma."""
    *head, last = list(map(str, items)) or ["none"]
    if len(head) > 1 and any(", " in item for item in [*head, last]):
        return f"{'; '.join(head)}; and {last}"
    return f"{', '.join(head)} and {last}" if head else last


def some(items: Iterable[Any], most: int = 3) -> str:
    """Return the first items in words and the number of the others."""
    texts = list(dict.fromkeys(map(str, items)))
    more = len(texts) - most
    return listed(texts if more <= 0 else [*texts[:most], f"{more} more"])


def within(value: float, low: float, high: float, spell: Callable[[float], str] = times) -> str:
    """Return a value with its interval: '1.30 [1.25, 1.36]'; without one if it is missing."""
    return spell(value) if pd.isna(low) else f"{spell(value)} [{spell(low)}, {spell(high)}]"


def one_line(text: str, most: int = 300) -> str:
    """Return text from outside as one line without control characters, cut if it is long."""
    line = " ".join(_CONTROL.sub(" ", text).split())
    return line if len(line) <= most else f"{line[: most - 3]}..."


def markdown(text: str) -> str:
    """Return text that Markdown shows as it is, in a table cell too, as one line of it."""
    return escaped(one_line(text))


def escaped(text: str) -> str:
    """Return text, which may be long and have spaces that do not break, without markup."""
    return _MARKDOWN.sub(r"\\\1", text)


def csv_text(text: str) -> str:
    """Return text that a spreadsheet does not take for a formula."""
    line = one_line(text, 10_000)
    return f"'{line}" if line.startswith(("=", "+", "-", "@")) else line


def anchor(cell: Sequence[Any]) -> str:
    """Return the id of a cell (or workload) in the appendix."""
    return "-".join(
        re.sub(r"[^A-Za-z0-9_]", lambda m: f".{ord(m[0]):x}.", str(part)) for part in cell
    )


FILTERS = (number, percent, times, within, count, listed, some, markdown, escaped)


def code(text: str) -> Markup:
    """Return escaped HTML of a text in which backticks mark code."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))


@cache
def environment(html: bool = False) -> Environment:
    """Return the Jinja environment of Markdown and plain texts, or of pages (escaped)."""
    found = Environment(
        loader=FileSystemLoader(REPORT),
        undefined=StrictUndefined,
        autoescape=html,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    functions = {function.__name__: function for function in (*FILTERS, code)}
    found.filters |= functions
    return found


@cache
def template(text: str) -> Template:
    """Return a compiled text template with the spellings of this module as filters."""
    return environment().from_string(text)


def tried(name: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """Return what a function returns; print an error and return None if it fails.

    A topic or figure that fails must not cost the tables.
    """
    try:
        return function(*arguments)
    except Exception as error:
        traceback.print_exc()
        text = one_line(f"{type(error).__name__}: {error}", 160)
        print(f"millistep: {name} failed and is left out: {text}", file=sys.stderr)
        return None
