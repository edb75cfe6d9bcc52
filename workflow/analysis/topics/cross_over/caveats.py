"""The few conditions under which a processor and a GPU were compared."""

from collections.abc import Iterator

from analysis.caveats.core import Found, rule
from analysis.data import Data
from analysis.formats.text import count
from analysis.topics.cross_over.compute import on_both_devices


@rule
def devices_compared_in_one_way(data: Data) -> Iterator[Found]:
    """Say that there was one number of threads, one batch size, and no real data."""
    found = on_both_devices(data).dropna(subset="speedup")
    threads = sorted({cell.column.settings["threads"] for cell in found["base_cell"]})
    batch_sizes = sorted(set(found["batch_size"].tolist()))
    ways = []
    if len(threads) == 1:
        ways.append(f"with {count(threads[0], 'thread')} on the processor")
    if len(batch_sizes) == 1:
        ways.append(f"in batches of {batch_sizes[0]}")
    ways.append("on random inputs, which say nothing of accuracy")
    cells = dict.fromkeys(found[["base_cell", "new_cell"]].to_numpy().flat)
    yield Found(cells, {"threads": threads, "batch_sizes": batch_sizes}, {"ways": ways})
