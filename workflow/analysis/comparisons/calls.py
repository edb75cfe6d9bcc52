"""The timed calls of ``generate()`` of a cell, by new tokens and length, from its records."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from analysis.comparisons.fullest import fullest
from analysis.results.cells import Cell
from analysis.results.runs import Run
from analysis.results.timing import Block


@dataclass(frozen=True)
class Call:
    """The mean of some equal calls: new tokens of an answer, ``max_length``, ms, how many."""

    new_tokens: int
    max_length: int
    ms: float
    calls: int

    @property
    def kind(self) -> tuple[int, int]:
        return self.new_tokens, self.max_length


def calls_of(run: Run, own_length: int) -> list[Call]:
    """Every timed call of a run: its own blocks, then those of the probes at its batch size.

    None where an answer has no token: what a step of such a row counts as tokens is nothing that
    ``generate()`` makes.
    """
    record = run.record
    if record is None or not (record.timing and record.work and record.work.tokens_per_step):
        return []
    size = record.cell.batch_size
    own = (record.work.tokens_per_step // size, own_length)
    if not all(own):
        return []
    found = [_call(block, *own) for block in record.timing.blocks]
    for probe in record.probes:
        if probe.max_length and probe.new_tokens and probe.batch_size == size:
            blocks = probe.blocks or (probe,)  # an older record has their sum alone
            found += [_call(b, probe.new_tokens // size, probe.max_length) for b in blocks]
    return found


def _call(block: Block, new_tokens: int, max_length: int) -> Call:
    return Call(new_tokens, max_length, block.step_ms, block.steps)


def compared_calls(cell: Cell, own_length: int) -> list[Call]:
    """Of the runs that were timed at the most lengths."""
    by_run = [calls_of(run, own_length) for run in cell.ok_runs]
    of_most = fullest(by_run, lambda calls: {call.kind for call in calls})
    return [call for calls in of_most for call in calls]


def kinds(calls: Iterable[Call]) -> dict[tuple[int, int], Call]:
    """All calls with as many new tokens and the same length as one, in the order of these."""
    by_kind: dict[tuple[int, int], list[Call]] = {}
    for call in calls:
        by_kind.setdefault(call.kind, []).append(call)
    return {kind: _mean(found) for kind, found in sorted(by_kind.items())}


def _mean(calls: list[Call]) -> Call:
    number = sum(call.calls for call in calls)
    return Call(*calls[0].kind, sum(call.ms * call.calls for call in calls) / number, number)


def token_ms(cell: Cell, own_length: int) -> dict[int, float]:
    """ms per new token by length, of calls with as many new tokens as the row's own; empty where
    there is one length only.
    """
    calls = compared_calls(cell, own_length)
    own = [call for call in calls if call.new_tokens == calls[0].new_tokens]
    points = {length: mean.ms / tokens for (tokens, length), mean in kinds(own).items()}
    return points if len(points) > 1 else {}
