"""How the share of static padding was found, for the methods text."""

from analysis.data import CELL, Data
from analysis.formats.text import listed
from analysis.topics.padding.compute import KIND, calls, shares


def methods(data: Data) -> list[str]:
    """A paragraph; none where no cell shows what padding costs."""
    found = shares(data)
    if not found:
        return []
    shown = [key in found for key in calls(data)[CELL].itertuples(index=False, name=None)]
    kinds = calls(data)[shown][KIND].drop_duplicates().sort_values(KIND)
    named = [f"{new_tokens} at {length}" for new_tokens, length in kinds.itertuples(index=False)]
    interval = "Student's t over the runs' own shares"
    if not all(share.over_runs for share in found.values()):
        interval = "of a single run, the fit's own, which does not hold for another run"
    return [
        "What static padding costs a call of generate() was bounded from calls with these numbers "
        f"of new tokens at max_length: {listed(named)}; longer prompts made up the difference. The "
        "times of each run were fitted as a + b n + c n L for n new tokens at length L (least "
        "squares on relative deviations), and c n L was taken as padding, all L positions of it. "
        f"Its 95 % interval is {interval}."
    ]
