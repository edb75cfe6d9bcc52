"""python -m analysis.caveats --plan results/plan.json --output-dir results"""

from __future__ import annotations

from pathlib import Path

from analysis.caveats import collect
from analysis.caveats.files import write_caveats
from analysis.formats.errors import run_command
from analysis.results.commands import add_reference, parser, results_of
from analysis.results.reference import load_reference
from analysis.topics import load_rules


def main() -> None:
    """Write them."""
    load_rules()
    options = parser("Write the caveats of a plan and its records, and of the published table.")
    add_reference(options)
    options.add_argument("--output-dir", type=Path, required=True)
    arguments = options.parse_args()
    results, reference = results_of(arguments), load_reference(arguments.reference)
    write_caveats(collect(results), results, reference, arguments.output_dir)


if __name__ == "__main__":
    run_command(main)
