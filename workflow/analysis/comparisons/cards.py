"""Which entries of two parity cards differ, and which of them the two columns are meant to differ
in.

Two columns with different settings for the precision are meant to compute in different precisions:
that is the subject of the pair. Every other entry in which the cards differ is not.
"""

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

from analysis.comparisons.questions import differing_settings
from analysis.formats.text import listed, spelled
from analysis.results.cells import Cell
from contract.settings import SETTINGS

COMPILED = ("execution", "compiler", "jit_compile", "compile_mode", "image_data_format")
COMPILED += ("graphs", "graph_breaks", "cuda_graphs", "cuda_graphs_skipped", "left_eager")
VERSIONS = ("framework_version", "cuda_version", "cudnn_version")
GROUPS = {"compiled": COMPILED, "versions": VERSIONS}


def _changed_by(setting: str) -> set[str]:
    """The entries of a card that a setting is declared to change; none of an unknown one."""
    declared = SETTINGS.get(setting, {}).get("card", ())
    return {key for name in declared for key in GROUPS.get(name, (name,))}


# Differ between frameworks by definition, or repeat what `execution` says.
NO_DIFFERENCE = ("framework_version", "backend", "jit_compile", "jit_compile_auto", "declared")
# All entries that a card may have. Readers are told of no other: it fails the test of the table.
ENTRIES = {
    *(key for setting in SETTINGS for key in _changed_by(setting)),
    *NO_DIFFERENCE,
    *("model_library", "dtype", "attention", "attention_kernel", "cache", "tokenizer", "blas"),
    "prompt_positions",
    *("compiled_by", "adapter_dtype", "optimizer", "metrics", "step_results"),
    *("feeding", "fed_bytes_per_step"),
    *("image_data_format", "scheduler", "unet_calls_per_step", "unet_images_per_step"),
    *("prompt_sets", "normalises_images"),
}
WORK = ("parameters", "trainable_parameters")


def subject(one: Cell, other: Cell) -> set[str]:
    """Entries in which two cells of a row were meant to differ: those that the differing settings
    of their columns change, and all that compiling changes, where one of two frameworks of the same
    family and library names the other.
    """
    settings = differing_settings(one.column, other.column)
    found = {key for setting in settings for key in _changed_by(setting)}
    named = one.column.framework in other.column.against
    named |= other.column.framework in one.column.against
    if named and one.column.family == other.column.family and not _differs("backend", one, other):
        found |= {*COMPILED}
    return found


def versions_changed(base: Cell, new: Cell) -> list[str]:
    """The library versions that the columns were meant to differ in and do, as texts: 'framework
    version keras 3.15.1 instead of keras 3.0.5'.
    """
    meant = subject(base, new)
    return _differences((key for key in VERSIONS if key in meant), base, new)


def other_differences(base: Cell, new: Cell) -> list[str]:
    """The entries that differ, or that one alone reports, although the two were not meant to differ
    in them, as texts: 'attention sdpa instead of einsum'.
    """
    expected = subject(base, new) | {"declared"}
    if base.column.framework != new.column.framework:
        expected |= {*NO_DIFFERENCE}
    keys = dict.fromkeys(
        key for cell in (base, new) for record in cell.records for key in record.parity or {}
    )
    return _differences((key for key in (*keys, *WORK) if key not in expected), base, new)


def _differences(keys: Iterable[str], base: Cell, new: Cell) -> list[str]:
    def text(key: str, cell: Cell) -> str:
        return listed(list(map(spelled, reported(key, cell))))

    return [
        f"{key.replace('_', ' ')} {text(key, new)} instead of {text(key, base)}"
        for key in keys
        if _differs(key, base, new)
    ]


def unmeant(cells: Sequence[Cell], keys: Sequence[str]) -> list[Cell]:
    """The cells of a row that differ from another one in some entries and were not meant to; all of
    them where no two were meant to differ.
    """
    if len({tuple(tuple(reported(key, cell)) for key in keys) for cell in cells}) < 2:
        return list(cells)  # the usual case, without looking at every pair
    differing = {
        pair: {key for key in keys if _differs(key, *pair)} for pair in combinations(cells, 2)
    }
    left = {pair: found - subject(*pair) for pair, found in differing.items()}
    if left == differing:
        return list(cells)
    return [cell for cell in cells if any(cell in pair for pair, found in left.items() if found)]


def _differs(key: str, one: Cell, other: Cell) -> bool:
    if not all(any(record.parity for record in cell.records) for cell in (one, other)):
        return False  # without a card nothing is known
    return {*reported(key, one)} != {*reported(key, other)}


def reported(key: str, cell: Cell) -> list[Any]:
    """The values that the runs of a cell report, each once; of what is trained, only in `fit`."""
    if key not in WORK:
        return cell.reported(key)
    if key == "trainable_parameters" and cell.row.task != "fit":
        return []
    return list(dict.fromkeys(getattr(r.work, key) for r in cell.records if r.work))
