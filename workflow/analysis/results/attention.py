"""Which kernels of attention ran, and if XLA launched CUDA graphs: seen in the one run of a cell
that is profiled, and true of all.

A card without a profile says what the model asks for. What a profile has seen of the same model in
the same process is what the other runs of its cell ran as well, as long as their cards ask for the
same; else the runs of a cell would seem to differ in what was looked at.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from analysis.results.runs import Run

SEEN = ("attention_kernel", "declared")  # what a profile changes in a card
GRAPHS = "cuda_graphs"  # what it adds to one that could not read it back


def with_attention_seen(runs: Sequence[Run]) -> tuple[Run, ...]:
    """The runs of a cell; what a profile of one of them has shown is in the cards of all."""
    cards = [run.record.parity for run in runs if run.ok and run.record.host_overhead]
    seen = next((card for card in cards if card), None)
    return tuple(_completed(run, seen) if seen else run for run in runs)


def _completed(run: Run, seen: dict[str, Any]) -> Run:
    card = run.record.parity if run.ok else None
    if not card or run.record.host_overhead or card.get("attention") != seen.get("attention"):
        return run
    left = {name: value for name, value in card.items() if name not in SEEN}
    found = {name: seen[name] for name in SEEN if name in seen}
    added = {GRAPHS: seen[GRAPHS]} if GRAPHS in seen else {}
    return replace(run, record=replace(run.record, parity={**added, **left, **found}))
