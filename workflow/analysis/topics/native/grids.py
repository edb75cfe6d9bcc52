"""The tables of the section: each model around an operation in each framework is a line."""

from collections.abc import Callable, Iterable
from typing import Any

import pandas as pd

from analysis.formats.text import NA, listed, ms, percent, seconds, times
from analysis.results.timed_operation import Agreement, Build
from analysis.statistics.intervals import MARGIN
from analysis.topics.native.compute import NEVER
from analysis.writing.grid import Grid

MODEL = "Model and framework"
EARN_BACK = ("steps_to_earn_back", "earn_back_ci95_low", "earn_back_ci95_high")


def problem(found: pd.DataFrame) -> Grid:
    """Show how much of a step the operation takes, a line per payoff."""
    caption = (
        "The fastest way of each framework itself, by the step; the share of the operation in it: "
        "its uses times the median of calls outside any step, over the step of the same run; and "
        "1 / (1 - share), what the step would gain if the operation took no time; 95 % intervals "
        "over runs"
    )
    texts = {
        MODEL: found["title"],
        "Operation": found["operation"],
        "Best way of the framework": found["cell_framework"].map(_column),
        "Operation alone, ms": _known(found["alone_ms_framework"], ms),
        "ms/step": _known(found["ms_per_step_framework"], ms),
        "Its share of a step": spelled(found, "share", _share, "_framework"),
        "The most that it could bring": spelled(found, "most_by_share", times, "_framework"),
    }
    return Grid.of(pd.DataFrame(texts), caption)


def pays(found: pd.DataFrame) -> Grid:
    """Show what the best native way brings, and what it costs; a line per payoff that has one."""
    caption = (
        "The best native way over the best way of the framework: t(framework) / t(native), "
        "paired by round, with 95 % intervals; what it costs in lines of code (in brackets "
        "those of the framework's way), in seconds of building and in packages; and after how many "
        "steps the build is earned back. Yes needs a native way that is faster by more than "
        f"{percent(MARGIN)} than every way of the framework, with intervals for all native ways at "
        f"once; no that none of them is{_threads(found)}"
    )
    whys = zip(found["verdict"], found["why_not_shown"], strict=True)
    lines = zip(found["lines_native"], _known(found["lines_framework"], str), strict=True)
    builds = [first.build for first in found["first_native"]]
    texts = {
        MODEL: found["title"],
        "Best native way": found["cell_native"].map(_column),
        "Times as fast: the operation": _gain(found, "gain_alone"),
        "the whole step": _gain(found, "gain_step"),
        "Worth it": [f"{verdict}: {why}" if why else str(verdict) for verdict, why in whys],
        "Lines of code": [f"{native} ({own})" for native, own in lines],
        "Build, s": _known(found["build_s_native"], seconds),
        "Extra packages": [listed(list(build.packages)) if build else NA for build in builds],
        "Steps that earn it back": list(
            map(earned_back, *(found[f"{name}_native"] for name in EARN_BACK))
        ),
    }
    return Grid.of(pd.DataFrame(texts), caption)


def every_way(ways: pd.DataFrame) -> Grid:
    """List the ways of one payoff, then those without a time with the reason."""
    first = ways.iloc[0]
    alone = _known(ways["alone_ms"], ms)
    reasons = [f"{cell.status}: {cell.reason}" for cell in ways["cell"]]
    texts = {
        "Column": ways["cell"].map(_column),
        "Operation alone, ms": [
            text if cell.ok_runs else reason
            for text, cell, reason in zip(alone, ways["cell"], reasons, strict=True)
        ],
        "Share of its step": _known(ways["share"], percent),
        "ms/step": _known(ways["ms_per_step"], ms),
        "Faster than the best way of the framework: alone": _known(ways["gain_alone"], times),
        "in the step": _known(ways["gain_step"], times),
        "Lines": _known(ways["lines"], str),
        "Build, s": _known(ways["build_s"], seconds),
        "Compiler and flags": _known(ways["first"], lambda first: build_text(first.build)),
        "Largest difference, of what is allowed": _known(
            ways["first"], lambda first: agreement_text(first.agreement)
        ),
    }
    return Grid.of(pd.DataFrame(texts), f"{first['title']}: every way of {first['operation']}")


def spelled(
    found: pd.DataFrame, name: str, spell: Callable[[float], str], kind: str = ""
) -> list[str]:
    """Spell '7.10× [6.90×, 7.30×]' for each line, without brackets where it has no interval."""
    names = (f"{name}{end}{kind}" for end in ("", "_ci95_low", "_ci95_high"))
    value, low, high = (_known(found[each], spell) for each in names)
    ends = (f" [{a}, {b}]" if a != NA else "" for a, b in zip(low, high, strict=True))
    return [text + interval for text, interval in zip(value, ends, strict=True)]


def earned_back(steps: int | str | None, low: int | str | None, high: int | str | None) -> str:
    """Spell '1,234', '1,234 [1,100, never]', 'never'."""
    if pd.isna(steps):
        return NA
    ends = "" if pd.isna(low) or low == high == NEVER else f" [{_number(low)}, {_number(high)}]"
    return _number(steps) + ends


def build_text(build: Build | None) -> str:
    """Spell 'g++ 12.2.0: -O3 -march=native; linked with -lc10'; NA where nothing is built."""
    if build is None:
        return NA
    link = f"; linked with {' '.join(build.link_flags)}" if build.link_flags else ""
    return f"{build.compiler}: {' '.join(build.compile_flags) or 'no flags'}{link}"


def agreement_text(found: Agreement) -> str:
    """Spell 'outputs 0 of 0, gradients 1e-06 of 1e-05, losses of 10 steps 1e-07 of 0.0001'."""
    named = {"outputs": found.outputs, "gradients": found.gradients, "losses": found.losses}
    return listed(
        [
            f"{name}{f' of {part.steps} steps' if part.steps else ''} "
            f"{part.largest_difference:.2g} of {part.allowed:.2g}"
            for name, part in named.items()
            if part
        ]
    )


def _known(values: Iterable[Any], spell: Callable[[Any], str]) -> list[str]:
    return [NA if pd.isna(value) else spell(value) for value in values]


def _share(value: float) -> str:
    return percent(max(value, 0.0))


def _gain(found: pd.DataFrame, name: str) -> list[str]:
    """Spell a gain on one line of the table."""
    return [text.replace(" ", "\u00a0") for text in spelled(found, name, times, "_native")]


def _column(cell: Any) -> str:
    return cell.column.title


def _number(steps: int | str) -> str:
    return steps if steps == NEVER else f"{steps:,}"


def _threads(found: pd.DataFrame) -> str:
    """Warn that native code may have fewer threads than what it is compared with."""
    records = (record for cell in found["cell_native"] for record in cell.records)
    most = max((record.threads.requested for record in records), default=1)
    if most == 1:
        return ""
    return (
        f". A framework's own operations have up to {most} threads here, native code those that "
        "it makes: that of this repository makes none"
    )
