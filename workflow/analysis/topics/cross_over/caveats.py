"""Under which conditions alone a processor and a GPU were compared."""

from __future__ import annotations

from collections.abc import Iterator

from analysis.caveats.causes import REACH
from analysis.caveats.core import Caveat, Changes, Severity, rule
from analysis.data import Data
from analysis.formats.text import count, listed
from analysis.results.results import Results
from analysis.topics.cross_over.compute import on_both_devices


@rule(
    "Processor and GPU were compared in one way alone",
    "With other threads, batch sizes or data the GPU may win elsewhere.",
    Changes.ELSEWHERE,
    "Add batch sizes, and columns on the processor with other numbers of threads.",
    REACH,
)
def devices_compared_in_one_way(results: Results) -> Iterator[Caveat]:
    """Tell of one number of threads, one batch size, data that are no real ones."""
    found = on_both_devices(Data(results)).dropna(subset="speedup")
    if found.empty:
        return
    threads = sorted({cell.column.settings["threads"] for cell in found["base_cell"]})
    batch_sizes = sorted(set(found["batch_size"].tolist()))
    ways = []
    if len(threads) == 1:
        ways.append(f"with {count(threads[0], 'thread')} on the processor")
    if len(batch_sizes) == 1:
        ways.append(f"in batches of {batch_sizes[0]}")
    ways.append("on random inputs, which say nothing of accuracy")
    cells = dict.fromkeys(found[["base_cell", "new_cell"]].to_numpy().flat)
    sentence = f"Processor and GPU were compared {listed(ways)} alone."
    evidence = {"threads": threads, "batch_sizes": batch_sizes}
    yield Caveat("devices_compared_in_one_way", Severity.NOTE, tuple(cells), evidence, sentence)
