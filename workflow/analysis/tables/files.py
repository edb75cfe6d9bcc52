"""Every table as the files that people take away."""

from pathlib import Path

from analysis.data import Data
from analysis.formats.errors import write_text
from analysis.formats.modules import function
from analysis.tables.latex import to_latex
from analysis.tables.model import main_table
from analysis.tables.published import published_table
from analysis.tables.writers import table_csv, to_markdown
from analysis.writing.files import to_csv, to_parquet
from contract.report_contents import file_of, table_modules


def write_runs(data: Data, folder: Path) -> None:
    """Write the tidy table that all others follow from, a line per run: runs.csv, runs.parquet."""
    write_text(folder / "runs.csv", to_csv(data.recorded))
    (folder / "runs.parquet").write_bytes(to_parquet(data.recorded))


def write_table(data: Data, folder: Path) -> None:
    """Write cells and intervals, alone and beside published: {table,published}.{md,csv,tex}."""
    for name, table in (
        ("table", main_table(data.results)),
        ("published", published_table(data.results, data.reference)),
    ):
        write_text(folder / f"{name}.md", to_markdown(table))
        write_text(folder / f"{name}.csv", table_csv(table))
        write_text(folder / f"{name}.tex", to_latex(table))


def write_effects(data: Data, folder: Path) -> None:
    """Write the tables of all topics."""
    for name, module in table_modules().items():
        made = function(module, Path(name).stem)(data)
        write_text(folder / file_of(name), made if isinstance(made, str) else to_csv(made))


# What a rule asks for -> what writes it.
TABLES = {"runs": write_runs, "table": write_table, "effects": write_effects}
