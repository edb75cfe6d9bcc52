"""What of a step is compiled, by whose choice, and what is not."""

from __future__ import annotations

from collections.abc import Iterator

from analysis.caveats.causes import SETTINGS
from analysis.caveats.core import (
    Caveat,
    Changes,
    Severity,
    label,
    places,
    rule,
    where_and_how_much,
)
from analysis.formats.text import listed
from analysis.results.cells import Cell
from analysis.results.results import Results


@rule(
    "XLA by the published benchmark's choice, not by Keras' own",
    "Left to themselves, these cells would run in the other way.",
    Changes.ELSEWHERE,
    "Add a column with jit_compile: auto, which shows what Keras' own choice changes.",
    SETTINGS,
)
def xla_as_published(results: Results) -> Iterator[Caveat]:
    """Cells that are told what to compile, where Keras would choose otherwise on this machine."""
    told = {cell: found for cell in results.cells if (found := _choices(cell)) and cell.ok_runs}
    cells = tuple(cell for cell, (ran, own) in told.items() if ran != own)
    if cells:
        ways = sorted({told[cell][0] for cell in cells}, reverse=True)
        what = listed(["with XLA" if ran else "without XLA" for ran in ways])
        sentence = (
            f"{places(cells, rows=results.rows)}: steps ran {what}, as the published benchmark "
            "asks for. Keras' own choice on this machine (jit_compile: auto) is the other one."
        )
        evidence = {
            "jit_compile": {label(cell): told[cell][0] for cell in cells},
            "jit_compile_auto": {label(cell): told[cell][1] for cell in cells},
        }
        yield Caveat("xla_as_published", Severity.NOTE, cells, evidence, sentence)


def _choices(cell: Cell) -> tuple[bool, bool] | None:
    """Whether a step was compiled, and whether Keras would; None where a column says it itself, and
    where a library's own loop decides.
    """
    cards = [record.parity or {} for record in cell.records]
    asked = cell.column.settings.get("jit_compile") == "published" and cell.row.task != "generate"
    if not asked or not cards or cards[0].get("jit_compile_auto") is None:
        return None
    return bool(cards[0].get("jit_compile")), bool(cards[0]["jit_compile_auto"])


@rule(
    "Compiled columns leave parts of a step eager",
    "What is left is as slow as in the eager column, and breaks no graph.",
    Changes.TIMES,
    cause=SETTINGS,
)
def parts_left_eager(results: Results) -> Iterator[Caveat]:
    """What ran outside of all compiled programs, by name."""
    left = {cell: found for cell in results.cells if cell.ok_runs and (found := _left(cell))}
    yield from where_and_how_much(
        "parts_left_eager",
        left,
        "torch.compile compiles the model, or what of it is given to it; in a step there ran "
        "outside of its programs: {where}.",
        severity=Severity.NOTE,
    )


def _left(cell: Cell) -> str:
    """'AdamW'; empty where nothing was left, or nothing is known."""
    found = {(record.parity or {}).get("left_eager") for record in cell.records}
    names = sorted(entry for entry in found if entry and entry != "nothing")
    return listed(names) if names else ""


@rule(
    "Convolutions are tuned in different ways",
    "XLA and TensorFlow try algorithms of cuDNN beforehand, PyTorch takes the first guess.",
    Changes.ORDER,
    "Set cudnn_benchmark: true in a PyTorch column.",
    SETTINGS,
)
def convolutions_not_tuned(results: Results) -> Iterator[Caveat]:
    """Rows with images on a GPU in which columns of PyTorch take cuDNN's heuristics."""
    for row in results.rows:
        untuned = tuple(cell for cell in row.measured if _untuned(cell))
        others = [cell for cell in row.measured if _card(cell, "cudnn_benchmark") is None]
        if untuned and others:
            sentence = (
                f"{row.row.label}: torch.backends.cudnn.benchmark is off in "
                f"{listed([cell.column.title for cell in untuned])}, as by default, so that "
                "heuristics of cuDNN choose the algorithms of convolutions. TensorFlow and XLA try "
                "them before they choose, as they document; what that does here was not read back."
            )
            evidence = {"cudnn_benchmark": {label(cell): False for cell in untuned}}
            yield Caveat("convolutions_not_tuned", Severity.WARNING, untuned, evidence, sentence)


def _untuned(cell: Cell) -> bool:
    convolves = _card(cell, "convolution_precision") is not None
    return convolves and _card(cell, "cudnn_benchmark") is False


def _card(cell: Cell, key: str) -> object:
    """Of the first run that reports it."""
    found = ((record.parity or {}).get(key) for record in cell.records)
    return next((value for value in found if value is not None), None)
