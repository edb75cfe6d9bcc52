"""The tests that claims name: from results and a claim's parameters to what was found."""

from __future__ import annotations

from collections.abc import Callable

from analysis.claims.contests import first_in_rows, no_best_backend
from analysis.claims.devices import faster_on_device
from analysis.claims.gains import faster_in_every_row, gain_at_least, gain_in_share_of_rows
from analysis.claims.generation import slow_by_padding
from analysis.claims.host import host_rarely_pays
from analysis.claims.native import native_code_pays
from analysis.claims.outcome import Outcome
from analysis.claims.releases import release_gain

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
        faster_on_device,
        release_gain,
        native_code_pays,
    )
}
