"""python -m analysis.report.draw --plan results/plan.json --output-dir results: everything that
follows from plan and records, which are read once: what the rules of report.smk write one by one.

Reading ten thousand cells takes as long as drawing what is made of them.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from analysis.caveats import collect
from analysis.caveats.files import write_caveats
from analysis.caveats.groups import grouped
from analysis.claims.files import write_claims
from analysis.data import Data
from analysis.figures.drawing import drawings
from analysis.formats.errors import run_command
from analysis.formats.processes import in_processes
from analysis.report.files import pages
from analysis.report.rendering import TEMPLATES
from analysis.results.commands import add_reference, parser, results_of
from analysis.results.reference import load_reference
from analysis.tables.files import write_tables
from analysis.topics import load_rules


def main() -> None:
    """Write tables, caveats, claims, figures, the report and its appendix."""
    load_rules()
    options = parser("Draw everything that follows from a plan and its records.")
    add_reference(options)
    options.add_argument("--output-dir", type=Path, required=True)
    arguments = options.parse_args()
    results, reference = results_of(arguments), load_reference(arguments.reference)
    folder: Path = arguments.output_dir
    figures = folder / "figures"
    figures.mkdir(parents=True, exist_ok=True)
    data = Data(results, reference)
    caveats = collect(results, data)
    groups = grouped(caveats, results, data)
    in_processes(
        [
            partial(write_tables, data, folder),  # what takes longest comes first
            partial(write_caveats, caveats, groups, folder),
            partial(write_claims, results, reference, folder),
            *drawings(data, figures),
        ]
    )
    in_processes(pages(data, groups, figures, TEMPLATES, folder / "report.html"))


if __name__ == "__main__":
    run_command(main)
