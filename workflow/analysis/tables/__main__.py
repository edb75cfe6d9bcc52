"""python -m analysis.tables --plan results/plan.json --output-dir results"""

from __future__ import annotations

from pathlib import Path

from analysis.formats.errors import run_command, write_text
from analysis.results.commands import add_reference, parser, results_of
from analysis.results.reference import load_reference
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


def main() -> None:
    """Write table.{md,csv,tex}, published.{md,csv,tex}, effects.{csv,tex}, runs.{csv,parquet},
    break_even.csv, cross_over.csv, trainings.csv, why.csv, ceilings.csv and native.csv.
    """
    options = parser("Write the tables of a plan and its records.")
    add_reference(options)
    options.add_argument("--output-dir", type=Path, required=True)
    arguments = options.parse_args()
    results = results_of(arguments)
    table, published = (
        main_table(results),
        published_table(results, load_reference(arguments.reference)),
    )
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
        write_text(arguments.output_dir / name, text)
    (arguments.output_dir / "runs.parquet").write_bytes(to_parquet(runs))


if __name__ == "__main__":
    run_command(main)
