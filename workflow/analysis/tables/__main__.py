"""python -m analysis.tables --plan results/plan.json --output-dir results"""

from __future__ import annotations

from pathlib import Path

from analysis.formats.errors import run_command
from analysis.results.commands import add_reference, parser, results_of
from analysis.results.reference import load_reference
from analysis.tables.files import write_tables


def main() -> None:
    """Write them."""
    options = parser("Write the tables of a plan and its records.")
    add_reference(options)
    options.add_argument("--output-dir", type=Path, required=True)
    arguments = options.parse_args()
    results, reference = results_of(arguments), load_reference(arguments.reference)
    write_tables(results, reference, arguments.output_dir)


if __name__ == "__main__":
    run_command(main)
