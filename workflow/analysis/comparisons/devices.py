"""Pairs of columns that differ in the device alone: the processor is the base, the GPU is new."""

from __future__ import annotations

from analysis.comparisons.effects import Comparison, PairEffect, effects_of
from analysis.results.plan import RowKey
from analysis.results.results import Results

SETTING = "accelerator"


def pairs_on_devices(results: Results) -> list[PairEffect]:
    """In the order of the columns."""
    effects = effects_of(results)
    return [pair for e in effects if e.question.setting == SETTING for pair in e.pairs]


def on_both_devices(results: Results, row: RowKey, framework: str) -> Comparison | None:
    """The first pair of columns of a framework, in a row; None where the table has none."""
    found = (
        comparison
        for pair in pairs_on_devices(results)
        if pair.pair.new.framework == framework
        for comparison in pair.comparisons
        if comparison.row.row.key == row
    )
    return next(found, None)
