"""What a run does not share with a source that compares two devices of one machine, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from analysis.claims.conditions import Differences
from analysis.formats.text import listed
from analysis.results.cells import Cell
from analysis.results.published_devices import PublishedDevices
from analysis.results.stand_in import names_a_simulated

DEVICES = {"cpu": "processor", "cuda": "GPU"}


def device_differences(cells: Sequence[Cell], published: PublishedDevices) -> Differences:
    """Between the cells of one row and the source.

    Another net is another experiment. Other hardware and libraries are conditions under which a
    claim about processors and GPUs may hold, or not.
    """
    settings = [*_hardware(cells, published), *_libraries(cells, published)]
    return Differences([*_net(cells, published)], settings)


def _net(cells: Sequence[Cell], published: PublishedDevices) -> Iterator[str]:
    records = [record for cell in cells for record in cell.records]
    if records:
        expected = published.parameters[cells[0].row.model]
        others = sorted({r.work.parameters for r in records if r.work} - {expected})
        if others:
            texts = [f"{size:,}" for size in others]
            yield f"the net has {listed(texts)} parameters instead of {expected:,}"


def _hardware(cells: Sequence[Cell], published: PublishedDevices) -> Iterator[str]:
    for cell in cells:
        device = cell.column.accelerator
        machines = [record.machine for record in cell.records]
        names = {m.accelerator_name if device == "cuda" else m.cpu for m in machines}
        expected = published.hardware[device]
        if others := sorted(name for name in names if name and not _same(name, expected)):
            yield f"the {DEVICES[device]} is {listed(others)}, not {expected}"


def _same(name: str, published: str) -> bool:
    """Whether a device's own name has the words of the published one; drivers add some."""
    if names_a_simulated(name):
        return False
    words = published.partition(" (")[0].lower().split()
    return all(word in name.lower() for word in words)


def _libraries(cells: Sequence[Cell], published: PublishedDevices) -> Iterator[str]:
    packages = [record.environment.packages for cell in cells for record in cell.records]
    for name, version in published.versions.items():
        found = {of_run[name].partition("+")[0] for of_run in packages if name in of_run}
        if others := sorted(found - {version}):
            yield f"{name} {listed(others)} instead of {version}"
