"""From how many parameters on the GPU is faster, and a published table of both devices beside ours,
as tables of the page.
"""

from __future__ import annotations

from statistics import fmean

from analysis.comparisons.cross_over import Size, Sweep, sweeps
from analysis.comparisons.devices import on_both_devices
from analysis.formats.text import NA, ms, percent, seconds, times
from analysis.results.cells import Cell
from analysis.results.published_devices import PublishedDevices, Training
from analysis.results.record import Record
from analysis.results.results import Results
from analysis.writing.grid import Grid

HEADER = ("Net and column", "Cross-over", "t(CPU) / t(GPU) at the smallest size", "at the largest")
HEADER += ("No operation computes, CPU and GPU: at the smallest size", "at the largest")
HEADER += ("Operations of a step, CPU and GPU",)
PUBLISHED = ("Net", "Device", "Published: ms/step", "s/epoch, with validation")
PUBLISHED += ("Accuracy, validation", "This run: ms/step", "s/epoch by that, steps alone", "on")


def cross_overs(results: Results) -> Grid:
    """One line per framework, net, task and batch size that is planned in several sizes."""
    caption = (
        "From how many parameters on the GPU is faster at every size, interpolated between "
        "two sizes in logarithms, with a 95 % interval by bootstrap over runs"
    )
    return Grid(caption, HEADER, tuple(map(_line, sweeps(results))))


def _line(sweep: Sweep) -> tuple[str, ...]:
    name = f"{sweep.label}: {sweep.pair.new.title}"
    if not sweep.compared:
        return (name, sweep.words, *[NA] * 5)
    ends = (sweep.compared[0], sweep.compared[-1])
    launched = _operations(sweep.compared[-1])
    return (name, sweep.words, *map(_ratio, ends), *map(_shares, ends), launched)


def _ratio(size: Size) -> str:
    ratio, interval = size.comparison.gain.ratio.value, size.comparison.gain.interval
    ends = f" [{times(interval.low)}, {times(interval.high)}]" if interval else ""
    return times(ratio) + ends


def _shares(size: Size) -> str:
    return " and ".join(_share(cell) for cell in (size.comparison.base, size.comparison.new))


def _share(cell: Cell) -> str:
    """Of a step, from profiles; see the caveat on time that no operation accounts for."""
    found = [record.host_overhead.share for record in cell.records if record.host_overhead]
    return percent(fmean(found)) if found else NA


def _operations(size: Size) -> str:
    """Which differ little between sizes; the more there are, the more a launch costs."""
    return " and ".join(_number(c) for c in (size.comparison.base, size.comparison.new))


def _number(cell: Cell) -> str:
    overheads = [record.host_overhead for record in cell.records if record.host_overhead]
    found = [each.operations_per_step for each in overheads if each.operations_per_step is not None]
    return f"{fmean(found):.0f}" if found else NA


def beside_the_published(results: Results, published: PublishedDevices) -> Grid:
    """The published trainings of rows that this table has on both devices; else no lines."""
    caption = (
        f"{published.title}, in {published.software}: CPU {published.hardware['cpu']}, GPU "
        f"{published.hardware['cuda']}; {published.method}. Other hardware, software and method "
        "than this run's, so the two are not ranked together"
    )
    lines = tuple(
        line for training in published.trainings if (line := _beside(results, published, training))
    )
    return Grid(caption, PUBLISHED, lines)


def _beside(
    results: Results, published: PublishedDevices, training: Training
) -> tuple[str, ...] | None:
    found = on_both_devices(results, training.row, published.framework)
    if found is None:
        return None
    cell = found.base if training.device == "cpu" else found.new
    low, high = f"{training.low_ms:g}", f"{training.high_ms:g}"
    return (
        f"{found.row.row.label}, {training.epochs} epochs",
        {"cpu": "CPU", "cuda": "GPU"}[training.device],
        low if low == high else f"{low} to {high}",
        f"{training.epoch_s:.1f}",
        f"{training.accuracy:.4f}, {training.validation_accuracy:.4f}",
        ms(cell.step_ms) if cell.ok_runs else cell.status,
        seconds(training.steps_per_epoch * cell.step_ms / 1000) if cell.ok_runs else NA,
        ", ".join(sorted({_machine(cell, record) for record in cell.records})) or NA,
    )


def _machine(cell: Cell, record: Record) -> str:
    on_gpu = cell.column.accelerator == "cuda"
    return record.machine.accelerator_name or NA if on_gpu else record.machine.cpu
