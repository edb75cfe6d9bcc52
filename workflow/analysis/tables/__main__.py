"""python -m analysis.tables --plan results/plan.json --output-dir results"""

from __future__ import annotations

from pathlib import Path

from analysis.data import Data
from analysis.formats.errors import run_command
from analysis.results.commands import add_reference, parser, results_of
from analysis.results.reference import load_reference
from analysis.tables.files import PARTS


def main() -> None:
    """Write them, or one part of them."""
    options = parser("Write the tables of a plan and its records.")
    add_reference(options)
    options.add_argument("--output-dir", type=Path, required=True)
    options.add_argument("--only", choices=PARTS, help="one part; default: all")
    arguments = options.parse_args()
    data = Data(results_of(arguments), load_reference(arguments.reference))
    for part in [arguments.only] if arguments.only else PARTS:
        PARTS[part](data, arguments.output_dir)


if __name__ == "__main__":
    run_command(main)
