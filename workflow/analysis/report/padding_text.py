"""How the share of static padding was found, for the methods text."""

from __future__ import annotations

from analysis.comparisons.calls import calls_of
from analysis.comparisons.padding import padding_share
from analysis.formats.text import listed
from analysis.results.results import Results


def padding_text(results: Results) -> list[str]:
    """A paragraph; none where no cell shows what padding costs."""
    shares, kinds = [], set()
    for cell in (cell for row in results.rows for cell in row.comparable):
        length = results.plan.models[cell.row.model].architecture.get("max_length")
        if length and (share := padding_share(cell, length)):
            shares.append(share)
            kinds |= {call.kind for run in cell.ok_runs for call in calls_of(run, length)}
    if not shares:
        return []
    named = [f"{new_tokens} at {length}" for new_tokens, length in sorted(kinds)]
    interval = "Student's t over the runs' own shares"
    if not all(share.over_runs for share in shares):
        interval = "of a single run, the fit's own, which does not hold for another run"
    return [
        "What static padding costs a call of generate() was bounded from calls with these numbers "
        f"of new tokens at max_length: {listed(named)}; longer prompts made up the difference. The "
        "times of each run were fitted as a + b n + c n L for n new tokens at length L (least "
        "squares on relative deviations), and c n L was taken as padding, all L positions of it. "
        f"Its 95 % interval is {interval}."
    ]
