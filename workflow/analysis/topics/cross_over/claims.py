"""Claims that a net is trained faster on one device than on another, and the conditions of a
source that compares two devices of one machine.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pandas as pd

from analysis.claims.conditions import Differences
from analysis.claims.outcome import Outcome, claim_test, untested
from analysis.comparisons.pairs import interval_of
from analysis.data import ROW, Data
from analysis.formats.spelling import within
from analysis.formats.text import listed
from analysis.results.cells import Cell
from analysis.results.reference import PublishedDevices, Reference
from analysis.results.results import Results
from analysis.results.stand_in import names_a_simulated
from analysis.statistics.intervals import MARGIN, Interval, above, ends
from analysis.topics.cross_over.compute import on_both_devices
from analysis.topics.cross_over.section import TEXTS

NAMES = {"cpu": "processor", "cuda": "GPU"}


def conditions(results: Results, reference: Reference, asked: dict[str, Any]) -> Differences:
    """Return what the two cells of a claim do not share with the source.

    Another net is another experiment. Other hardware and libraries are conditions under which a
    claim about processors and GPUs may hold, or not.
    """
    row = tuple(asked[name] for name in ROW)
    found = _pair(results, row, asked["framework"])
    cells = [] if found is None else [found.base_cell, found.new_cell]
    published = reference.devices
    settings = [*_hardware(cells, published), *_libraries(cells, published)]
    return Differences([*_net(cells, published)], settings)


@claim_test(conditions)
def faster_on_device(
    results: Results,
    model: str,
    task: str,
    batch_size: int,
    framework: str,
    device: str,
    at_least: float | None = None,
) -> Outcome:
    """Test that one row of a framework takes less time on this device than on the other one: beyond
    the margin, or by at least so many times.
    """
    found = _pair(results, (model, task, batch_size), framework)
    if found is None or pd.isna(found.speedup):
        absent = "no columns of this framework run it on both a processor and a GPU"
        why = absent if found is None else found.missing
        return untested(f"Not measured: {why}.")
    ratio, interval = found.speedup, interval_of(found)
    if device == "cpu":  # t(GPU) / t(processor) instead of t(processor) / t(GPU)
        ratio = 1 / ratio
        interval = interval and Interval(1 / interval.high, 1 / interval.low)
    other = NAMES["cpu" if device == "cuda" else "cuda"]
    told = {"other": other, "device": NAMES[device], "ratio": within(ratio, *ends(interval))}
    text = TEXTS.say("measured", **found._asdict() | told)
    evidence = {"ratio": ratio, "interval": [interval.low, interval.high] if interval else None}
    return Outcome(above(interval, at_least or 1 + MARGIN), text, evidence=evidence)


def _pair(results: Results, row: tuple[str, str, int], framework: str) -> Any:
    """Return the first pair of columns of a framework, in a row; None where the table has none."""
    pairs = on_both_devices(Data(results)).itertuples()
    asked = (row, framework)
    return next(
        (p for p in pairs if (p.new_cell.row.key, p.new_cell.column.framework) == asked), None
    )


def _net(cells: Sequence[Cell], published: PublishedDevices) -> Iterator[str]:
    works = [record.work for cell in cells for record in cell.records if record.work]
    if works:
        expected = published.parameters[cells[0].row.model]
        if others := sorted({work.parameters for work in works} - {expected}):
            texts = [f"{size:,}" for size in others]
            yield f"the net has {listed(texts)} parameters instead of {expected:,}"


def _hardware(cells: Iterable[Cell], published: PublishedDevices) -> Iterator[str]:
    for cell in cells:
        device = cell.column.accelerator
        machines = [record.machine for record in cell.records]
        names = {m.accelerator_name if device == "cuda" else m.cpu for m in machines}
        expected = published.hardware[device]
        if others := sorted(name for name in names if name and not _same(name, expected)):
            yield f"the {NAMES[device]} is {listed(others)}, not {expected}"


def _same(name: str, published: str) -> bool:
    """Return whether a device's own name has the words of the published one; drivers add some."""
    if names_a_simulated(name):
        return False
    words = published.partition(" (")[0].lower().split()
    return all(word in name.lower() for word in words)


def _libraries(cells: Iterable[Cell], published: PublishedDevices) -> Iterator[str]:
    packages = [record.environment.packages for cell in cells for record in cell.records]
    for name, version in published.versions.items():
        found = {of_run[name].partition("+")[0] for of_run in packages if name in of_run}
        if others := sorted(found - {version}):
            yield f"{name} {listed(others)} instead of {version}"
