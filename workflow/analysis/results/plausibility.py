"""Can a run be as fast as it says? The FLOP/s that its time implies, against those of the best
matrix product that the canaries measured on the same machine.

It is the fastest block of a run that is judged. An asynchronous device takes some 30 programs into
its queue before it makes the host wait, so without a fence the first blocks are far too fast and
the others are not: their mean may well be possible.

Faster than that product, a run is invalid: a fence is missing, so that the clock stopped before the
work did, or the label of its precision or the count of its FLOPs is wrong. All of these are off by
factors. 10 % are allowed, because a canary is a measurement too: it catches the device at other
clocks, and one size of matrix is not the best of all. 30 % are allowed on processors, because a
product is not what they can do at most, and the kernel of another library may be nearer to it: on
two cores with AVX-512 multiply-adds alone made 424 GFLOP/s, PyTorch's products 331 to 355 by their
size, and a convolutional model in JAX 373 (benchmarks/processor_peak.py).

A canary that was slowed itself would make correct runs invalid. On a CPU only those count beside
which other processes took less than 10 % of the processors; where there is none, nothing is judged.

Convolutions of 3 x 3 in float32 may take fewer multiplications than are counted: Winograd's
algorithms need 2.25 to 4 times fewer (Lavin and Gray 2016), and cuDNN has both. Of what convolves
in float32 on a GPU, four times the peak is allowed.

The peak is that of the least exact arithmetic on the parity card or of any more exact one,
whichever is faster: a framework may always do better than asked, and bfloat16 is slower than
float32 on processors that emulate it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from analysis.formats.text import flops, ms, percent
from analysis.results.canaries import Canary, peak_flops_per_s
from analysis.results.cells import Cell
from analysis.results.results import Results
from analysis.results.runs import Run
from analysis.results.sessions import Session

TOLERANCE = {"cpu": 0.30, "cuda": 0.10}  # beyond the best product
WINOGRAD = 4.0  # times fewer multiplications, of F(4 x 4, 3 x 3)
INVALID = "invalid"

WIDTHS = ("float32", "tf32", "bfloat16")  # as canaries name them, the most exact first
WIDTH_OF = {
    "float64": "float32",
    "float32": "float32",
    "tf32": "tf32",
    "bfloat16": "bfloat16",
    "float16": "bfloat16",
}
CARD_ENTRIES = ("dtype", "matmul_precision", "convolution_precision")

Device = tuple[str, str]  # machine id and accelerator
Peaks = Mapping[Device, Mapping[str, float]]  # FLOP/s by dtype


def with_peaks(results: Results) -> Results:
    """The results, in which every run knows its peak and one above it is invalid."""
    peaks = peaks_by_device(results.sessions)

    def judged(cell: Cell) -> Cell:
        return replace(cell, runs=tuple(with_peak(run, peaks) for run in cell.runs))

    return results.with_cells(judged)


def with_peak(run: Run, peaks: Peaks) -> Run:
    """The run with its peak; invalid when it is beyond it, with a reason that gives the numbers."""
    if not run.ok:
        return run
    accelerator = run.record.cell.accelerator
    peaks_here = peaks.get((run.record.machine.id, accelerator), {})
    peak = peak_of(run.record.parity, peaks_here)
    run = replace(run, peak_flops_per_s=peak)
    if run.share_of_peak is None:
        return run
    implied = run.flops_per_s * run.step_ms / run.fastest_block_ms
    if implied <= _allowed(run, accelerator) * peak:
        return run
    reason = (
        f"in the fastest block of steps, {flops(run.record.work.flops_per_step)} in "
        f"{ms(run.fastest_block_ms)} ms are {flops(implied)}/s, {percent(implied / peak - 1)} more "
        f"than the {flops(peak)}/s of the best matrix product on this machine: the clock stopped "
        "before the work did, or its precision or FLOPs are not what the record says"
    )
    return replace(run, status=INVALID, reason=reason)


def least_ms(run: Run) -> float | None:
    """Return the ms that the FLOPs of a step take at least on the machine of the run; None where
    either is not known.
    """
    if run.share_of_peak is None:
        return None
    return run.step_ms * run.share_of_peak / _allowed(run, run.record.cell.accelerator)


def _allowed(run: Run, accelerator: str) -> float:
    """The multiple of the peak that a run may imply."""
    allowed = 1 + TOLERANCE[accelerator]
    card = run.record.parity or {}
    if accelerator == "cuda" and card.get("convolution_precision") == "float32":
        allowed *= WINOGRAD
    return allowed


def peaks_by_device(sessions: Iterable[Session]) -> Peaks:
    """The best product of each dtype on each accelerator of each kind of machine that has canaries:
    equal machines have one peak, and many sessions in which it was measured.
    """
    found: dict[Device, list[Canary]] = {}
    around = [(kind, each) for session in sessions for kind, each in session.canaries.items()]
    for accelerator, each in around:
        for canary in filter(None, (each.before, each.after)):
            if accelerator == "cpu" and canary.disturbed:
                continue
            found.setdefault((canary.machine_id, accelerator), []).append(canary)
    return {device: peak_flops_per_s(measured) for device, measured in found.items()}


def peak_of(card: Mapping[str, Any] | None, peaks: Mapping[str, float]) -> float | None:
    """FLOP/s of the best product at least as exact as the arithmetic of a parity card; None when no
    canary measured that arithmetic.
    """
    used = [card[entry] for entry in CARD_ENTRIES if card and card.get(entry) is not None]
    widths = [WIDTH_OF.get(name) for name in used]
    if not widths or None in widths:
        return None
    least = max(map(WIDTHS.index, widths))
    if WIDTHS[least] not in peaks:
        return None
    return max(peaks[width] for width in WIDTHS[: least + 1] if width in peaks)
