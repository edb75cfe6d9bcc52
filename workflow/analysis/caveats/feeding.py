"""How batches come to a GPU, where copying one takes a noticeable part of a step."""

from __future__ import annotations

import re
from collections.abc import Iterator

from analysis.caveats.causes import SETTINGS
from analysis.caveats.core import Caveat, Changes, Severity, label, rule
from analysis.caveats.thresholds import COPY_SHARE
from analysis.formats.text import listed, ms, percent
from analysis.results.cells import Cell
from analysis.results.results import Results
from analysis.results.rows import RowCells

# GB/s of one lane and direction, by generation (PCI-SIG), encoding taken off.
LANE_GB_PER_S = {1: 0.25, 2: 0.5, 3: 0.985, 4: 1.969, 5: 3.938, 6: 7.563}
ASSUMED = (3, 16)  # where the machine's card lacks the link


@rule(
    "Batches reach the GPU in different ways",
    "Copying them takes a noticeable part of a step; part of a difference may come from that.",
    Changes.ORDER,
    cause=SETTINGS,
)
def feeding_differs(results: Results) -> Iterator[Caveat]:
    """Columns that copy a batch at different times, or from different memory, and pay for it."""
    link, rate = _link(results)
    for row in results.rows:
        ways = _ways(row)
        sizes = [size for cell in row.measured if (size := _bytes(cell))]
        if len(ways) < 2 or not sizes or not row.comparable:
            continue
        copy_ms = max(sizes) / rate / 1e6
        share = copy_ms / min(cell.step_ms for cell in row.comparable)
        if share < COPY_SHARE:
            continue
        columns = "; ".join(f"{way} in {listed(titles)}" for way, titles in ways.items())
        sentence = (
            f"{row.row.label}: batches do not come to the device in the same way ({columns}), and "
            f"copying the {max(sizes) / 1e6:.3g} MB of one takes at least {ms(copy_ms)} ms, at the "
            f"rate of {link}, {percent(share)} of the fastest step, so part of a difference may "
            "come from that."
        )
        evidence = {
            "what": "feeding",
            "values": ways,
            "bytes_per_step": {label(cell): _bytes(cell) for cell in row.measured},
            "gb_per_s": rate,
            "share_of_fastest_step": share,
            "threshold": COPY_SHARE,
        }
        yield Caveat("feeding_differs", Severity.WARNING, row.measured, evidence, sentence)


def _link(results: Results) -> tuple[str, float]:
    """The name and the GB/s, in one direction, of the link between host and GPU."""
    sections = [section for card in results.cards for section in card.sections]
    facts = [fact for section in sections for fact in section.facts]
    link = next((fact.value for fact in facts if fact.name == "PCIe" and fact.value), "")
    found = re.fullmatch(r"generation (\d+), (\d+) lanes", link)
    known = found and int(found[1]) in LANE_GB_PER_S
    generation, lanes = map(int, found.groups()) if known else ASSUMED
    rate = LANE_GB_PER_S[generation] * lanes
    unsure = "" if known else "; assumed, it is not on the machine's card"
    return f"PCIe (generation {generation}, {lanes} lanes, {rate:.1f} GB/s{unsure})", rate


def _ways(row: RowCells) -> dict[str, list[str]]:
    """Columns by how their batches come to the device; columns of which nothing is copied are left
    out.
    """
    ways: dict[str, list[str]] = {}
    for cell in row.measured:
        for way in dict.fromkeys(_entries(cell, "feeding")):
            if "copied" in way:
                ways.setdefault(way, []).append(cell.column.title)
    return ways


def _bytes(cell: Cell) -> int | None:
    return max(_entries(cell, "fed_bytes_per_step"), default=None)


def _entries(cell: Cell, key: str) -> list:
    found = [(record.parity or {}).get(key) for record in cell.records]
    return [value for value in found if value is not None]
