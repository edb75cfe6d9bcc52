"""Every way of an operation, with what was built for it and how far it agrees, as a table."""

from __future__ import annotations

from analysis.comparisons.native import Payoff, alone_ratio
from analysis.comparisons.native_ways import Way
from analysis.formats.text import NA, listed, ms, percent, seconds, times
from analysis.results.cells import Cell
from analysis.results.timed_operation import Agreement, Build
from analysis.writing.grid import Grid

HEADER = ("Column", "Operation alone, ms", "Share of its step", "ms/step")
HEADER += ("Faster than the best way of the framework: alone", "in the step", "Lines", "Build, s")
HEADER += ("Compiler and flags", "Largest difference, of what is allowed")


def ways_grid(payoff: Payoff, title: str) -> Grid:
    """One line per way, then those without a time with the reason."""
    lines = [_line(payoff, way) for way in payoff.ways.every]
    lines += [_missing(cell) for cell in payoff.ways.missing]
    return Grid(f"{title}: every way of {payoff.operation}", HEADER, tuple(lines))


def _line(payoff: Payoff, way: Way) -> tuple[str, ...]:
    gains = [None, None]
    if payoff.own and way is not payoff.own:
        gains = [alone_ratio(payoff.own, way), payoff.step_of(way)]
    return (
        way.cell.column.title,
        ms(way.alone_ms),
        NA if way.share is None else percent(way.share),
        ms(way.cell.step_ms),
        *(times(gain.value) if gain else NA for gain in gains),
        str(way.lines),
        seconds(way.build_s),
        build_text(way.build),
        agreement_text(way.first.agreement),
    )


def _missing(cell: Cell) -> tuple[str, ...]:
    return (cell.column.title, f"{cell.status}: {cell.reason}", *[NA] * (len(HEADER) - 2))


def build_text(build: Build | None) -> str:
    """'g++ 12.2.0: -O3 -march=native; linked with -lc10'; NA where nothing is built."""
    if build is None:
        return NA
    link = f"; linked with {' '.join(build.link_flags)}" if build.link_flags else ""
    return f"{build.compiler}: {' '.join(build.compile_flags) or 'no flags'}{link}"


def agreement_text(found: Agreement) -> str:
    """'outputs 0 of 0, gradients 1e-06 of 1e-05, losses of 10 steps 1e-07 of 0.0001'."""
    named = {"outputs": found.outputs, "gradients": found.gradients, "losses": found.losses}
    return listed(
        [
            f"{name}{f' of {part.steps} steps' if part.steps else ''} "
            f"{part.largest_difference:.2g} of {part.allowed:.2g}"
            for name, part in named.items()
            if part
        ]
    )
