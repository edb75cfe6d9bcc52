"""Whether every column did the same work: parameters, how they are updated, how batches come to a
GPU.
"""

import math
import re
from collections.abc import Iterator
from statistics import fmean
from typing import Any

from analysis.caveats.core import Found, Severity, labelled, readings, rule
from analysis.caveats.thresholds import COPY_SHARE, FEW_PARAMETERS
from analysis.comparisons.cards import differing, subject
from analysis.data import Data
from analysis.data.operation_groups import Group, group_of
from analysis.formats.text import listed, percent
from analysis.results.cells import Cell
from analysis.results.results import Results
from analysis.results.rows import RowCells

UPDATE = "optimizer_update"
# GB/s of one lane and direction, by generation (PCI-SIG), encoding taken off.
LANE_GB_PER_S = {1: 0.25, 2: 0.5, 3: 0.985, 4: 1.969, 5: 3.938, 6: 7.563}
ASSUMED = (3, 16)  # where the machine's card lacks the link


@rule
def parameters_differ(data: Data) -> Iterator[Found]:
    """Columns of one row that do not hold, or do not train, the same number of parameters."""
    for row in data.results.rows:
        for key in ("parameters", "trainable_parameters"):
            columns: dict[int, list[str]] = {}
            for cell in row.measured:
                works = (record.work for record in cell.records if record.work)
                for number in sorted({getattr(work, key) for work in works}):
                    columns.setdefault(number, []).append(cell.column.title)
            if len(columns) > 1:
                yield _parameters(row, key, columns)


def _parameters(row: RowCells, key: str, columns: dict[int, list[str]]) -> Found:
    """As severe as the difference is large: some biases, or another model."""
    fewest, most = min(columns), max(columns)
    excess = most / fewest - 1 if fewest else math.inf
    severity = Severity.WARNING if key == "trainable_parameters" else Severity.CRITICAL
    severity = Severity.NOTE if excess < FEW_PARAMETERS else severity
    share = (most - fewest) / most
    part = percent(share) if share >= 0.01 else f"{100 * share:.2g}\u00a0%"
    size = f"by {most - fewest:,} of {most:,} ({part})"
    factor = f", a factor of {most / fewest:.1f}" if 0.5 <= excess < math.inf else ""
    what, titles = key.replace("_", " "), {f"{n:,}": found for n, found in columns.items()}
    work = "" if severity is Severity.NOTE else " That is not the same work."
    sentence = f"{row.row.label}: {what} differ {size}{factor} ({_columns(titles)}).{work}"
    evidence = {"what": what, "values": titles, "excess": most - fewest}
    return Found(row.measured, evidence, {"sentence": sentence}, severity)


def _columns(values: dict[str, list[str]]) -> str:
    """'fused in Keras 3 (JAX); for-loop in PyTorch (eager)'."""
    return "; ".join(f"{value} in {listed(titles)}" for value, titles in values.items())


def _ways(row: RowCells, key: str) -> dict[str, list[str]]:
    """Columns by what their cards say under a key."""
    ways: dict[str, list[str]] = {}
    for cell in row.measured:
        for way in cell.reported(key):
            ways.setdefault(way, []).append(cell.column.title)
    return ways


@rule
def optimizer_update_differs(data: Data) -> Iterator[Found]:
    """Rows that train whose columns update parameters in other ways, with the share of a step."""
    for row in data.results.rows:
        ways = _ways(row, UPDATE)
        if len(ways) < 2 or _meant(row):
            continue
        shares = {cell: found for cell in row.measured if (found := _share(cell)) is not None}
        evidence = {"what": UPDATE.replace("_", " "), "values": ways, "share": readings(shares)}
        words: dict[str, Any] = {"row": row.row.label, "columns": _columns(ways)}
        words["seen"] = [f"{percent(share)} in {c.column.title}" for c, share in shares.items()]
        yield Found(row.measured, evidence, words)


def _meant(row: RowCells) -> bool:
    """Whether all columns that update parameters in other ways are meant to."""
    pairs = [(one, other) for one in row.measured for other in row.measured]
    return all(UPDATE in subject(*pair) for pair in pairs if differing((UPDATE,), *pair))


def _share(cell: Cell) -> float | None:
    """Of a profiled step, mean over runs; None where no profile names an optimizer's operations."""
    profiles = [record.host_overhead for record in cell.records if record.host_overhead]
    shares = [
        sum(part.ms for part in profile.operations if group_of(part.name) is Group.OPTIMISER)
        / profile.step_ms
        for profile in profiles
        if profile.step_ms
    ]
    return fmean(shares) if shares and any(shares) else None


@rule
def feeding_differs(data: Data) -> Iterator[Found]:
    """Columns that copy a batch at different times, or from different memory, and pay for it.

    Columns of which nothing is copied are left out.
    """
    link, rate = _link(data.results)
    for row in data.results.rows:
        ways = {way: found for way, found in _ways(row, "feeding").items() if "copied" in way}
        sizes = {c: max(c.reported("fed_bytes_per_step"), default=None) for c in row.measured}
        largest = max(filter(None, sizes.values()), default=0)
        if len(ways) < 2 or not largest or not row.comparable:
            continue
        copy_ms = largest / rate / 1e6
        share = copy_ms / min(cell.step_ms for cell in row.comparable)
        evidence = {
            "what": "feeding",
            "values": ways,
            "bytes_per_step": labelled(sizes),
            "gb_per_s": rate,
            "share_of_fastest_step": share,
            "threshold": COPY_SHARE,
        }
        words = {"row": row.row.label, "columns": _columns(ways), "link": link}
        words |= {"largest": largest, "copy_ms": copy_ms}
        if share >= COPY_SHARE:
            yield Found(row.measured, evidence, words)


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
