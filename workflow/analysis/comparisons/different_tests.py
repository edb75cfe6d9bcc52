"""Where the table and an effect show different things of one pair of columns in one row.

Three tests, each right for what it is about. The table asks of each column whether it is slower
than the fastest of its row, corrected for the columns of that row (Holm). A row of an effect asks
it of its pair alone. An effect as a whole asks it of all its rows and pairs at once (Holm). All
three take the same ratios and the same variances; the more comparisons are corrected for, the less
is shown.
"""

from __future__ import annotations

from dataclasses import dataclass

from analysis.comparisons.effects import Comparison, Effect
from analysis.results.cells import contest
from analysis.statistics.best_set import Standing
from analysis.statistics.intervals import Verdict


@dataclass(frozen=True)
class DifferentTests:
    """Comparisons of an effect that the table calls otherwise.

    `table_only`: shown slower in the table, not shown for the effect as a whole.
    `pair_only`: faster or slower as a pair alone, undecided in the table.
    """

    effect: Effect
    table_only: list[Comparison]
    pair_only: list[Comparison]


def different_tests(effect: Effect) -> DifferentTests:
    """Of the comparisons one of whose columns is the fastest of its row."""
    standings = {found: _against_fastest(found) for found in effect.comparisons}
    slower, undecided = (
        [found for found, standing in standings.items() if standing is asked]
        for asked in (Standing.SLOWER, Standing.UNDECIDED)
    )
    return DifferentTests(
        effect,
        [found for found in slower if found not in effect.shown],
        [found for found in undecided if _is_decided(found)],
    )


def _against_fastest(comparison: Comparison) -> Standing | None:
    """The table's standing of the slower of the two; None where neither is the fastest of those
    that it compares both with.
    """
    pair, row = (comparison.base, comparison.new), comparison.row
    cells = next((cells for cells in row.contestants if {*pair} <= {*cells}), ())
    fastest = contest(cells).fastest
    names = [cell.column.name for cell in pair]
    if fastest not in names:
        return None
    (other,) = (name for name in names if name != fastest)
    return row.standings.get(other)


def _is_decided(comparison: Comparison) -> bool:
    gain = comparison.gain
    return bool(gain) and gain.verdict in (Verdict.FASTER, Verdict.SLOWER)
