"""python -m analysis.caveats --plan results/plan.json --output-dir results"""

from __future__ import annotations

from pathlib import Path

from analysis.caveats import collect
from analysis.caveats.files import write_caveats
from analysis.caveats.groups import grouped
from analysis.formats.errors import run_command
from analysis.results.commands import parser, results_of
from analysis.topics import load_rules


def main() -> None:
    """Write them."""
    load_rules()
    options = parser("Write the caveats of a plan and its records.")
    options.add_argument("--output-dir", type=Path, required=True)
    arguments = options.parse_args()
    results = results_of(arguments)
    caveats = collect(results)
    write_caveats(caveats, grouped(caveats, results), arguments.output_dir)


if __name__ == "__main__":
    run_command(main)
