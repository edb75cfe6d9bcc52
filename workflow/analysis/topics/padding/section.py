"""How the share of static padding was found, for the methods text."""

from analysis.data import CELL, Data
from analysis.topics.padding.compute import KIND, calls, in_some_runs, shares
from analysis.writing.texts import Texts

TEXTS = Texts(__file__)


def methods(data: Data) -> list[str]:
    """The paragraph of the methods text; none where no cell shows what padding costs."""
    found, timed = shares(data), calls(data)
    if not found:
        return []
    timed = timed[[key in found for key in timed[CELL].itertuples(index=False, name=None)]]
    kinds = timed[KIND].drop_duplicates().sort_values(KIND).itertuples(index=False)
    named = [f"{new_tokens} at {length}" for new_tokens, length in kinds]
    over_runs = all(share.over_runs for share in found.values())
    once = in_some_runs(timed, "max_length")
    return [TEXTS.say("methods", kinds=named, once=once, over_runs=over_runs)]
