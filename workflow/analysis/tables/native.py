"""Operations in several ways: what each brings over the best that the framework does itself, and
what it costs, as CSV.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from analysis.comparisons.native import Payoff, all_payoffs, alone_ratio, pay_back
from analysis.comparisons.native_ways import Way
from analysis.results.results import Results
from analysis.statistics.intervals import Interval, Ratio
from analysis.tables.csv_files import csv_of, value_text

HEADER = ("model", "task", "batch_size", "operation", "framework", "column", "way", "written_as")
HEADER += ("best", "alone_ms", "ms_per_step", "share", "share_ci95_low", "share_ci95_high")
HEADER += ("most_by_share", "gain_alone", "gain_alone_ci95_low", "gain_alone_ci95_high")
HEADER += ("gain_step", "gain_step_ci95_low", "gain_step_ci95_high", "rounds", "verdict")
HEADER += ("beyond_share", "lines", "build_s", "packages", "compiler", "compile_flags")
HEADER += ("link_flags", "steps_to_earn_back", "earn_back_ci95_low", "earn_back_ci95_high")
NEVER = "never"


def native_csv(results: Results) -> str:
    """One line per way of an operation that was measured. Gains are t(best way of the framework) /
    t(this way), paired by round; the verdict, of the whole framework, stands with its best native
    way. NA where nothing is built or compared.
    """
    lines = (_line(found, way) for found in all_payoffs(results) for way in found.ways.every)
    return csv_of(HEADER, (list(map(value_text, line)) for line in lines))


def _line(payoff: Payoff, way: Way) -> Iterable[Any]:
    best = way in (payoff.own, payoff.native)
    yield from (*payoff.row.row.key, payoff.operation, payoff.framework, way.cell.column.name)
    yield from (way.word, "native" if way.native else "framework", str(best).lower())
    yield from (way.alone_ms, way.cell.step_ms, way.share, *_ends(way.share_interval))
    yield payoff.most if way is payoff.own else None
    yield from _gains(payoff, way)
    yield from (way.lines, way.build_s, *_build(way), *_earned_back(payoff, way))


def _gains(payoff: Payoff, way: Way) -> Iterable[Any]:
    if way is payoff.own:
        return [None] * 9
    alone, step = alone_ratio(payoff.own, way), payoff.step_of(way)
    best = way is payoff.native
    return (
        *(*_ratio(alone), *_ratio(step), step.rounds if step else None),
        str(payoff.pays) if best else None,
        str(payoff.beyond).lower() if best else None,
    )


def _build(way: Way) -> Iterable[str | None]:
    build = way.build
    if build is None:
        return (None,) * 4
    flags = (" ".join(build.compile_flags), " ".join(build.link_flags))
    return (" ".join(build.packages), build.compiler, *flags)


def _earned_back(payoff: Payoff, way: Way) -> Iterable[int | str | None]:
    step = None if way is payoff.own else payoff.step_of(way)
    found = pay_back(way, step)
    if found is None:
        return (None,) * 3
    if step.interval is None:
        return (found.steps or NEVER, None, None)
    return tuple(number or NEVER for number in (found.steps, found.earliest, found.latest))


def _ratio(ratio: Ratio | None) -> tuple[float | None, ...]:
    return (ratio.value, *_ends(ratio.interval)) if ratio else (None, None, None)


def _ends(interval: Interval | None) -> tuple[float | None, float | None]:
    return (interval.low, interval.high) if interval else (None, None)
