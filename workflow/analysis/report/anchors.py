"""Where a number of the page is explained."""

from __future__ import annotations

from analysis.formats.text import anchor
from analysis.results.plan import Column, Row


def cell_anchor(row: Row, column: Column) -> str:
    """The id of a cell's details: 'cell-bert-fit-b8-keras3.2d.jax'."""
    return anchor("cell", row.model, row.task, f"b{row.batch_size}", column.name)


def environment_anchor(index: int) -> str:
    """The id of an environment, by its place in the list."""
    return anchor("environment", str(index + 1))
