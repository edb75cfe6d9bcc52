"""Differences in the work that columns did: parameters, how they are updated, how batches come to a
GPU; and what of a step is compiled, by whose choice.
"""

import math
import re
from collections.abc import Iterator
from functools import partial
from statistics import fmean

from analysis.caveats.core import (
    Found,
    Severity,
    by_value,
    found_in,
    labelled,
    measured,
    readings,
    rule,
    titles,
    where_and_how_much,
)
from analysis.caveats.thresholds import COPY_SHARE, FEW_PARAMETERS
from analysis.comparisons.cards import WORK, reported, unmeant
from analysis.data import Data
from analysis.data.operation_groups import Group, group_of
from analysis.formats.text import listed, percent
from analysis.results.cells import Cell
from analysis.results.reference import load_reference
from analysis.results.results import Results

UPDATE = "optimizer_update"
# GB/s of one lane and direction, by generation (PCI-SIG), encoding taken off.
LANE_GB_PER_S = {1: 0.25, 2: 0.5, 3: 0.985, 4: 1.969, 5: 3.938, 6: 7.563}
ASSUMED = (3, 16)  # where the machine's card lacks the link


@rule
def parameters_differ(data: Data) -> Iterator[Found]:
    """Columns of one row that do not hold, or do not train, the same number of parameters: as
    severe as the difference is large, some biases or another model. What differs little in all, by
    what is trained, is told once.
    """
    for row in data.results.rows:
        of_trained = 0
        for key in reversed(WORK):
            numbers = by_value(row.measured, partial(reported, key))
            if len(numbers) < 2:
                continue
            values = {f"{number:,}": cells for number, cells in numbers.items()}
            fewest, most = min(numbers), max(numbers)
            more, share = most / fewest - 1 if fewest else math.inf, (most - fewest) / most
            severity = Severity.WARNING if key == "trainable_parameters" else Severity.CRITICAL
            severity = Severity.NOTE if more < FEW_PARAMETERS else severity
            excess = most - fewest
            if severity is Severity.NOTE and excess == of_trained:
                continue
            of_trained = excess
            evidence = {"what": key.replace("_", " "), "values": titles(values), "excess": excess}
            words = {
                "row": row.row.label,
                "most": most,
                "share": percent(share) if share >= 0.01 else f"{100 * share:.2g}\u00a0%",
                "factor": f", a factor of {1 + more:.1f}" if 0.5 <= more < math.inf else "",
                "same": severity is Severity.NOTE,
            }
            yield Found(row.measured, evidence, words, severity)


@rule
def optimizer_update_differs(data: Data) -> Iterator[Found]:
    """Rows whose columns update parameters in different ways, with the update's share of a step."""
    for row in data.results.rows:
        ways = by_value(row.measured, partial(reported, UPDATE))
        if len(ways) < 2 or not unmeant(row.measured, (UPDATE,)):
            continue
        shares = found_in(row.measured, _share)
        evidence = {"what": UPDATE.replace("_", " "), "values": titles(ways)}
        seen = [f"{percent(share)} in {cell.column.title}" for cell, share in shares.items()]
        evidence["share"] = readings(shares)
        yield Found(row.measured, evidence, {"row": row.row.label, "seen": seen})


def _share(cell: Cell) -> float | None:
    """The optimizer's part of a step, mean over runs; None if no profile names it."""
    shares = [
        sum(part.ms for part in profile.operations if group_of(part.name) is Group.OPTIMIZER)
        / run.divided_ms
        for run in cell.ok_runs
        if run.divided_ms and (profile := run.record.host_overhead)
    ]
    return fmean(shares) if any(shares) else None


@rule
def feeding_differs(data: Data) -> Iterator[Found]:
    """Columns that copy a batch at different times, or from different memory, and pay for it.

    Columns of which nothing is copied are left out.
    """
    link, gb_per_s = _link(data.results)
    for row in data.results.rows:
        ways = by_value(row.measured, partial(reported, "feeding"))
        ways = {way: cells for way, cells in ways.items() if "copied" in way}
        sizes = {c: max(c.reported("fed_bytes_per_step"), default=None) for c in row.measured}
        largest = max(filter(None, sizes.values()), default=0)
        if len(ways) < 2 or not largest or not row.comparable:
            continue
        copy_ms = largest / gb_per_s / 1e6
        share = copy_ms / min(cell.step_ms for cell in row.comparable)
        evidence = {
            "what": "feeding",
            "values": titles(ways),
            "bytes_per_step": labelled(sizes),
            "gb_per_s": gb_per_s,
            "share_of_fastest_step": share,
            "threshold": COPY_SHARE,
        }
        words = {"row": row.row.label, "link": link, "largest": largest, "copy_ms": copy_ms}
        if share >= COPY_SHARE:
            yield Found(row.measured, evidence, words)


def _link(results: Results) -> tuple[str, float]:
    """The name and the GB/s, in one direction, of the link between host and GPU."""
    facts = [fact for card in results.cards for part in card.sections for fact in part.facts]
    link = next((fact.value for fact in facts if fact.name == "PCIe" and fact.value), "")
    found = re.fullmatch(r"generation (\d+), (\d+) lanes", link)
    known = found and int(found[1]) in LANE_GB_PER_S
    generation, lanes = map(int, found.groups()) if known else ASSUMED
    gb_per_s = LANE_GB_PER_S[generation] * lanes
    unsure = "" if known else "; assumed, it is not on the machine's card"
    return f"PCIe (generation {generation}, {lanes} lanes, {gb_per_s:.1f} GB/s{unsure})", gb_per_s


@rule
def xla_as_published(data: Data) -> Iterator[Found]:
    """Cells that are told what to compile, where Keras would choose otherwise on this machine."""
    published = load_reference().conditions
    told = [
        cell
        for cell in measured(data.results.rows)
        if _is_told(cell)
        # where a script asked a model that it did not time, the page ran what Keras chooses
        and published.execution_of(cell.column.framework, cell.row) != "graph"
    ]
    for ran in (True, False):
        cells = [cell for cell in told if bool(cell.records[0].parity.get("jit_compile")) is ran]
        asked, own = dict.fromkeys(cells, ran), dict.fromkeys(cells, not ran)
        evidence = {"jit_compile": labelled(asked), "jit_compile_auto": labelled(own)}
        yield Found(cells, evidence, {"compiled": ran})


def _is_told(cell: Cell) -> bool:
    """True if the published setting overrode Keras's choice."""
    asked = cell.column.settings.get("jit_compile") == "published"
    card = (cell.records[0].parity if cell.records else None) or {}
    own = card.get("jit_compile_auto")
    return asked and own is not None and bool(card.get("jit_compile")) != bool(own)


@rule
def parts_left_eager(data: Data) -> Iterator[Found]:
    """Cells with parts that ran outside of all compiled programs, by name."""

    def left(cell: Cell) -> str:
        names = {*cell.reported("left_eager")} - {"", "no module", "nothing"}  # once, nothing
        return listed(sorted(names)) if names else ""

    yield from where_and_how_much(found_in(measured(data.results.rows), left))


@rule
def convolutions_not_tuned(data: Data) -> Iterator[Found]:
    """Rows with images on a GPU in which columns of PyTorch take cuDNN's heuristics."""
    untuned = [
        cell
        for row in data.results.rows
        if not all(cell.reported("cudnn_benchmark") for cell in row.measured)
        for cell in row.measured
        if cell.reported("convolution_precision")
        and cell.reported("cudnn_benchmark")[:1] == [False]
    ]
    yield Found(untuned, {"cudnn_benchmark": labelled(dict.fromkeys(untuned, False))})
