"""The time by the published arithmetic, for the details of a cell."""

from statistics import fmean

from analysis.data import CellKey, Data
from analysis.formats.text import ms
from analysis.topics.legacy.compute import sentence


def cell_facts(data: Data) -> dict[CellKey, list[tuple[str, str]]]:
    """The mean over the runs that took it, and the reason why it is another time than ours."""
    found = {}
    for key, cell in data.cell_of.items():
        if times_ms := [run.legacy_ms for run in cell.ok_runs if run.legacy_ms]:
            why = f". {said}" if (said := sentence(cell)) else ""
            found[key] = [("Published arithmetic", f"{ms(fmean(times_ms))} ms{why}")]
    return found
