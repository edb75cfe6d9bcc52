"""One stack of library versions among those of a table."""

from dataclasses import replace

from analysis.results.results import Results
from analysis.results.rows import RowCells


def on_stack(results: Results, stack: str) -> Results:
    """The results of columns that are a framework on this stack and nothing else, called as it is:
    what is said of frameworks is then said of these. No columns where the table has none.
    """
    columns = {
        column.name: replace(column, name=column.framework)
        for column in results.plan.columns
        if column.bare and column.stack == stack
    }
    rows = tuple(
        RowCells(
            entry.row,
            tuple(
                replace(cell, column=columns[cell.column.name])
                for cell in entry.cells
                if cell.column.name in columns
            ),
        )
        for entry in results.rows
    )
    return replace(results, plan=replace(results.plan, columns=tuple(columns.values())), rows=rows)
