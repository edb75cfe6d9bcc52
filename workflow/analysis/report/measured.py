"""What each row measures: the words of its model, beside what the runs read back."""

from collections.abc import Iterator

from analysis.formats.text import NA, listed
from analysis.results.results import Results
from analysis.results.rows import RowCells
from analysis.writing.grid import Grid

HEADER = ("Row", "Batch size", "One step", "Inputs", "Network", "Trained", "Optimizer", "Loss")
HEADER += ("Precision", "Parameters", "Read back")
WORDS = ("step", "inputs", "network", "trained", "optimizer", "loss", "precision", "parameters")


def measured(results: Results) -> Grid:
    """One line per row of the table; marked where a run read back something else than the words."""
    lines, marked = [], []
    for place, row in enumerate(results.rows):
        words = row.row.measures
        found = list(dict.fromkeys(_read_back(row)))
        if any(not same for same, _ in found):
            marked.append(place)
        lines.append(
            (
                *(row.row.title, str(row.row.batch_size)),
                *(words.get(name, NA) for name in WORDS),
                listed(list(dict.fromkeys(text for _, text in found)), NA),
            )
        )
    caption = (
        "What a row measures, as its model says it, and what its runs read back of the live "
        "framework: optimizer, precision, tokens of a step, parameters and how many are trained"
    )
    return Grid(caption, HEADER, tuple(lines), frozenset(marked))


def _read_back(row: RowCells) -> Iterator[tuple[bool, str]]:
    """For each measured run with a card: True if it is what the words say, and the facts."""
    words = row.row.measures
    for record in (record for cell in row.measured for record in cell.records if record.parity):
        card, work = record.parity, record.work
        optimizer, dtype = card.get("optimizer"), card.get("dtype") or ""
        facts = [optimizer, dtype]
        same = optimizer == words["optimizer"].partition(":")[0] if "optimizer" in words else True
        same = same and words.get("precision", "") in dtype  # which may name several, with shares
        if work:
            facts.append(f"{work.tokens_per_step:,} tokens" if work.tokens_per_step else None)
            facts.append(f"{work.parameters:,} parameters")
            facts.append(f"{work.trainable_parameters:,} trained" if optimizer else None)
        yield same, ", ".join(filter(None, facts))
