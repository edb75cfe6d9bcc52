"""The places where the numbers of the page are explained."""

from analysis.formats.text import anchor
from analysis.results.plan import Column, Row

APPENDIX = "appendix.html"  # beside the report: the details of every cell


def cell_anchor(row: Row, column: Column) -> str:
    """The id of a cell's details: 'cell-bert-fit-b8-keras3.2d.jax'."""
    return anchor("cell", row.model, row.task, f"b{row.batch_size}", column.name)


def cell_address(row: Row, column: Column) -> str:
    """The address of a cell's details, as a link in the report has it."""
    return f"{APPENDIX}#{cell_anchor(row, column)}"
