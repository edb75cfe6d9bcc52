"""Where a number of the page is explained."""

from analysis.formats.text import anchor
from analysis.results.plan import Column, Row

APPENDIX = "appendix.html"  # beside the report: the details of every cell


def cell_anchor(row: Row, column: Column) -> str:
    """The id of a cell's details: 'cell-bert-fit-b8-keras3.2d.jax'."""
    return anchor("cell", row.model, row.task, f"b{row.batch_size}", column.name)


def cell_address(row: Row, column: Column) -> str:
    """The same, from the report."""
    return f"{APPENDIX}#{cell_anchor(row, column)}"
