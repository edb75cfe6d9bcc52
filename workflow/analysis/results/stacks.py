"""One stack of library versions among those of a table."""

from dataclasses import replace

from analysis.results.results import Results
from analysis.results.rows import RowCells
from analysis.statistics.moderation import TableScatter


def on_stack(results: Results, stack: str) -> Results:
    """The results of columns that are a framework on this stack and nothing else, called as it is:
    what is said of frameworks is then said of these. No columns where the table has none.
    """
    columns = {
        column.name: replace(column, name=column.framework)
        for column in results.plan.columns
        if column.bare and column.stack == stack
    }
    scatter = TableScatter(
        [
            {columns[name].name: runs for name, runs in row.items() if name in columns}
            for row in next((cell.scatter.rows for cell in results.cells), ())
        ]
    )
    rows = tuple(
        RowCells(
            entry.row,
            tuple(
                replace(cell, column=columns[cell.column.name], scatter=scatter)
                for cell in entry.cells
                if cell.column.name in columns
            ),
        )
        for entry in results.rows
    )
    return replace(results, plan=replace(results.plan, columns=tuple(columns.values())), rows=rows)
