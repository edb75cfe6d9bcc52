"""What of a step is compiled, by whose choice, and what is not."""

from collections.abc import Iterator

from analysis.caveats.core import Found, labelled, measured, rule, where_and_how_much
from analysis.data import Data
from analysis.formats.text import listed
from analysis.results.cells import Cell


@rule
def xla_as_published(data: Data) -> Iterator[Found]:
    """Cells that are told what to compile, where Keras would choose otherwise on this machine."""
    choices = {cell: _choices(cell) for cell in measured(data.results.rows)}
    told = {cell: found for cell, found in choices.items() if found and found[0] != found[1]}
    ways = sorted({ran for ran, _ in told.values()}, reverse=True)
    evidence = {
        "jit_compile": labelled({cell: ran for cell, (ran, _) in told.items()}),
        "jit_compile_auto": labelled({cell: own for cell, (_, own) in told.items()}),
    }
    yield Found(told, evidence, {"ways": ["with XLA" if ran else "without XLA" for ran in ways]})


def _choices(cell: Cell) -> tuple[bool, bool] | None:
    """Whether a step was compiled, and whether Keras would; None where a column says it itself, and
    where a library's own loop decides.
    """
    cards = [record.parity or {} for record in cell.records]
    asked = cell.column.settings.get("jit_compile") == "published" and cell.row.task != "generate"
    if not asked or not cards or cards[0].get("jit_compile_auto") is None:
        return None
    return bool(cards[0].get("jit_compile")), bool(cards[0]["jit_compile_auto"])


@rule
def parts_left_eager(data: Data) -> Iterator[Found]:
    """What ran outside of all compiled programs, by name."""
    left = {cell: found for cell in measured(data.results.rows) if (found := _left(cell))}
    yield from where_and_how_much(left)


def _left(cell: Cell) -> str:
    """'AdamW'; empty where nothing was left, or nothing is known."""
    names = sorted(entry for entry in cell.reported("left_eager") if entry not in ("", "nothing"))
    return listed(names) if names else ""


@rule
def convolutions_not_tuned(data: Data) -> Iterator[Found]:
    """Rows with images on a GPU in which columns of PyTorch take cuDNN's heuristics."""
    for row in data.results.rows:
        untuned = [cell for cell in row.measured if _untuned(cell)]
        if not all(cell.reported("cudnn_benchmark") for cell in row.measured):
            evidence = {"cudnn_benchmark": labelled(dict.fromkeys(untuned, False))}
            titles = [cell.column.title for cell in untuned]
            yield Found(untuned, evidence, {"row": row.row.label, "titles": titles})


def _untuned(cell: Cell) -> bool:
    benchmark = cell.reported("cudnn_benchmark")
    return bool(cell.reported("convolution_precision")) and benchmark[:1] == [False]
