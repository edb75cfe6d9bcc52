"""The tests that claims name: from results and a claim's parameters to what was found."""

from __future__ import annotations

from collections.abc import Callable

from analysis.claims.contests import first_in_rows, no_best_backend
from analysis.claims.gains import faster_in_every_row, gain_at_least, gain_in_share_of_rows
from analysis.claims.generation import slow_by_padding
from analysis.claims.host import host_rarely_pays
from analysis.claims.outcome import Outcome, capital
from analysis.results.cells import Results


def not_in_the_table(results: Results, why: str) -> Outcome:
    """A claim about something that no row measures."""
    return Outcome(None, f"{capital(why)}.", tested=False)


TESTS: dict[str, Callable[..., Outcome]] = {
    test.__name__: test
    for test in (
        no_best_backend,
        first_in_rows,
        faster_in_every_row,
        gain_at_least,
        gain_in_share_of_rows,
        slow_by_padding,
        host_rarely_pays,
        not_in_the_table,
    )
}
