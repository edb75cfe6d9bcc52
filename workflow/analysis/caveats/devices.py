"""Under which conditions alone a processor and a GPU were compared."""

from __future__ import annotations

from collections.abc import Iterator

from analysis.caveats.causes import REACH
from analysis.caveats.core import Caveat, Changes, Severity, rule
from analysis.comparisons.devices import pairs_on_devices
from analysis.formats.text import count, listed
from analysis.results.results import Results


@rule(
    "Processor and GPU were compared in one way alone",
    "With other threads, batch sizes or data the GPU may win elsewhere.",
    Changes.ELSEWHERE,
    "Add batch sizes, and columns on the processor with other numbers of threads.",
    REACH,
)
def devices_compared_in_one_way(results: Results) -> Iterator[Caveat]:
    """One number of threads, one batch size, data that are no real ones."""
    found = [
        comparison
        for pair in pairs_on_devices(results)
        for comparison in pair.comparisons
        if comparison.gain
    ]
    if not found:
        return
    threads = sorted({comparison.base.column.settings["threads"] for comparison in found})
    batch_sizes = sorted({comparison.row.row.batch_size for comparison in found})
    ways = []
    if len(threads) == 1:
        ways.append(f"with {count(threads[0], 'thread')} on the processor")
    if len(batch_sizes) == 1:
        ways.append(f"in batches of {batch_sizes[0]}")
    ways.append("on random inputs, which say nothing of accuracy")
    cells = dict.fromkeys(cell for c in found for cell in (c.base, c.new))
    sentence = f"Processor and GPU were compared {listed(ways)} alone."
    evidence = {"threads": threads, "batch_sizes": batch_sizes}
    yield Caveat("devices_compared_in_one_way", Severity.NOTE, tuple(cells), evidence, sentence)
