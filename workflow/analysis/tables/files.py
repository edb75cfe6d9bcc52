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


def write_tables(results: Results, reference: Reference, folder: Path) -> None:
    """Write table.{md,csv,tex}, published.{md,csv,tex}, effects.{csv,tex}, runs.{csv,parquet},
    break_even.csv, cross_over.csv, trainings.csv, why.csv, ceilings.csv and native.csv.
    """
    table, published = main_table(results), published_table(results, reference)
    runs = run_columns(results)
    texts = {
        "table.md": to_markdown(table),
        "table.csv": table_csv(table),
        "table.tex": to_latex(table),
        "published.md": to_markdown(published),
        "published.csv": table_csv(published),
        "published.tex": to_latex(published),
        "runs.csv": runs_csv(runs),
        "break_even.csv": break_even_csv(results),
        "cross_over.csv": cross_over_csv(results),
        "trainings.csv": trainings_csv(results),
        "effects.csv": effects_csv(results),
        "effects.tex": effects_latex(results),
        "why.csv": why_csv(results),
        "ceilings.csv": ceilings_csv(results),
        "native.csv": native_csv(results),
    }
    for name, text in texts.items():
        write_text(folder / name, text)
    (folder / "runs.parquet").write_bytes(to_parquet(runs))
