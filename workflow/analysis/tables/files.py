"""Every table as the files that people take away."""

from __future__ import annotations

from pathlib import Path

from analysis.formats.errors import write_text
from analysis.results.reference import Reference
from analysis.results.results import Results
from analysis.tables.break_even import break_even_csv
from analysis.tables.ceilings import ceilings_csv
from analysis.tables.cross_over import cross_over_csv
from analysis.tables.csv_files import runs_csv, table_csv
from analysis.tables.effects import effects_csv
from analysis.tables.effects_latex import effects_latex
from analysis.tables.latex import to_latex
from analysis.tables.model import main_table
from analysis.tables.native import native_csv
from analysis.tables.published import published_table
from analysis.tables.runs import run_columns, to_parquet
from analysis.tables.trainings import trainings_csv
from analysis.tables.why import why_csv
from analysis.tables.writers import to_markdown


def write_runs(results: Results, reference: Reference, folder: Path) -> None:
    """The tidy table that all others follow from: runs.csv and runs.parquet, a line per run."""
    runs = run_columns(results)
    write_text(folder / "runs.csv", runs_csv(runs))
    (folder / "runs.parquet").write_bytes(to_parquet(runs))


def write_table(results: Results, reference: Reference, folder: Path) -> None:
    """Cells and intervals, alone and beside the published ones: {table,published}.{md,csv,tex}."""
    for name, table in (
        ("table", main_table(results)),
        ("published", published_table(results, reference)),
    ):
        write_text(folder / f"{name}.md", to_markdown(table))
        write_text(folder / f"{name}.csv", table_csv(table))
        write_text(folder / f"{name}.tex", to_latex(table))


def write_effects(results: Results, reference: Reference, folder: Path) -> None:
    """What follows from pairs of cells: effects.{csv,tex} and the tables of single questions."""
    texts = {
        "effects.csv": effects_csv(results),
        "effects.tex": effects_latex(results),
        "break_even.csv": break_even_csv(results),
        "cross_over.csv": cross_over_csv(results),
        "trainings.csv": trainings_csv(results),
        "why.csv": why_csv(results),
        "ceilings.csv": ceilings_csv(results),
        "native.csv": native_csv(results),
    }
    for name, text in texts.items():
        write_text(folder / name, text)


# What a rule asks for -> what writes it.
PARTS = {"runs": write_runs, "table": write_table, "effects": write_effects}


def write_tables(results: Results, reference: Reference, folder: Path) -> None:
    """All of them."""
    for write in PARTS.values():
        write(results, reference, folder)
