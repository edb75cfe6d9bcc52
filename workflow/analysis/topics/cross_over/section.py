"""From how many parameters on the GPU is faster, and a published table of both devices beside ours:
the section, a key sentence and how it was found.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import fmean
from typing import Any

import pandas as pd

from analysis.comparisons.pairs import interval_of
from analysis.data import ROW, Data
from analysis.formats.text import NA, count, ms, percent, seconds, times_within
from analysis.results.cells import Cell
from analysis.results.profiles import HostOverhead
from analysis.results.published_devices import PublishedDevices
from analysis.results.record import Record
from analysis.statistics.cross_over import DRAWS
from analysis.topics import KeySentence
from analysis.topics.cross_over.compute import amount, on_both_devices, shown, sweeps, words
from analysis.writing.grid import Grid

HEADER = ("Net and column", "Cross-over", "t(CPU) / t(GPU) at the smallest size", "at the largest")
HEADER += ("No operation computes, CPU and GPU: at the smallest size", "at the largest")
HEADER += ("Operations of a step, CPU and GPU",)
PUBLISHED = ("Net", "Device", "Published: ms/step", "s/epoch, with validation")
PUBLISHED += ("Accuracy, validation", "This run: ms/step", "s/epoch by that, steps alone", "on")
DEVICES = {"cpu": ("CPU", "base_cell"), "cuda": ("GPU", "new_cell")}


def section(data: Data) -> dict[str, Any] | None:
    """Return both tables; None where neither has a line."""
    tables = {"cross_overs": cross_overs(data), "published": beside_the_published(data)}
    return tables if any(table.lines for table in tables.values()) else None


def cross_overs(data: Data) -> Grid:
    """Return a line per framework, net, task and batch size that is planned in several sizes."""
    caption = (
        "From how many parameters on the GPU is faster at every size, interpolated between "
        "two sizes in logarithms, with a 95 % interval by bootstrap over runs"
    )
    return Grid(caption, HEADER, tuple(_line(*found) for found in sweeps(data)))


def _line(sweep: pd.Series, measured: pd.DataFrame) -> tuple[str, ...]:
    head = (f"{sweep.label}: {sweep.title}", words(sweep))
    compared = list(measured.dropna(subset="speedup").itertuples())
    if not compared:
        return (*head, *[NA] * 5)
    ends = (compared[0], compared[-1])
    operations = _of_both(compared[-1], "operations_per_step", "{:.0f}".format)
    ratios = (times_within(size.speedup, interval_of(size)) for size in ends)
    shares = (_of_both(size, "share", percent) for size in ends)
    return (*head, *ratios, *shares, operations)


def _of_both(size: Any, name: str, text: Callable[[float], str]) -> str:
    """Return what the profiles of both cells say under this name, means over their runs."""
    return " and ".join(
        text(fmean(known)) if (known := _known(cell, name)) else NA
        for cell in (size.base_cell, size.new_cell)
    )


def _known(cell: Cell, name: str) -> list[float]:
    profiles: list[HostOverhead] = [r.host_overhead for r in cell.records if r.host_overhead]
    return [value for profile in profiles if (value := getattr(profile, name)) is not None]


def beside_the_published(data: Data) -> Grid:
    """Return the published trainings of rows that this table has on both devices."""
    published: PublishedDevices = data.reference.devices
    caption = (
        f"{published.title}, in {published.software}: CPU {published.hardware['cpu']}, GPU "
        f"{published.hardware['cuda']}; {published.method}. Other hardware, software and method "
        "than this run's, so the two are not ranked together"
    )
    found = on_both_devices(data)
    frameworks = found["new_cell"].map(lambda cell: cell.column.framework)
    found = found[frameworks == published.framework]
    found = published.trainings.merge(found.drop_duplicates(ROW), on=ROW)
    return Grid(caption, PUBLISHED, tuple(map(_beside, found.itertuples())))


def _beside(found: Any) -> tuple[str, ...]:
    device, side = DEVICES[found.device]
    cell: Cell = getattr(found, side)
    low, high = f"{found.ms_per_step_low:g}", f"{found.ms_per_step_high:g}"
    epoch_s = found.steps_per_epoch * cell.step_ms / 1000 if cell.ok_runs else None
    return (
        f"{cell.row.label}, {found.epochs} epochs",
        device,
        low if low == high else f"{low} to {high}",
        f"{found.total_s / found.epochs:.1f}",
        f"{found.accuracy:.4f}, {found.validation_accuracy:.4f}",
        ms(cell.step_ms) if cell.ok_runs else cell.status,
        seconds(epoch_s),
        ", ".join(sorted({_machine(cell, record) for record in cell.records})) or NA,
    )


def _machine(cell: Cell, record: Record) -> str:
    on_gpu = cell.column.accelerator == "cuda"
    return record.machine.accelerator_name or NA if on_gpu else record.machine.cpu


def key_sentences(data: Data) -> list[KeySentence]:
    """Say between which sizes a GPU overtakes, as far as intervals show that it does."""
    compared = [sweep for sweep, _ in sweeps(data) if pd.notna(sweep.outcome)]
    found = [sweep for sweep in compared if shown(sweep)]
    if not found:
        return []
    low, high = min(s.ci95_low for s in found), max(s.ci95_high for s in found)
    text = (
        f"In {len(found)} of {count(len(compared), 'sweep')} over the sizes of a model the GPU is "
        f"faster from some size on: {amount(low)} to {amount(high)} parameters."
    )
    return [KeySentence(text, "#cross_over")]


def methods(data: Data) -> list[str]:
    """Say how the size is found from which on the GPU is faster, where a net has several."""
    if not any(pd.notna(sweep.outcome) for sweep, _ in sweeps(data)):
        return []
    return [
        "The cross-over of two devices is the size of a net from which on the mean log ratio of "
        "their times favours the GPU at every measured size, linear in the logarithm of the number "
        "of parameters between two of them. Its 95 % interval is a bootstrap over runs: the middle "
        f"of {DRAWS:,} cross-overs, for each of which the mean of every size is drawn from "
        "Student's t with the standard error and the degrees of freedom of its rounds."
    ]
