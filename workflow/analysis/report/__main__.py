"""python -m analysis.report --plan results/plan.json --figures results/figures --output
results/report.html
"""

from __future__ import annotations

from pathlib import Path

from analysis.caveats import collect
from analysis.caveats.groups import grouped
from analysis.data import Data
from analysis.formats.errors import run_command
from analysis.formats.processes import in_processes
from analysis.report.files import pages
from analysis.report.rendering import TEMPLATES
from analysis.results.commands import add_reference, parser, results_of
from analysis.results.reference import load_reference
from analysis.topics import load_rules


def main() -> None:
    """Write the report and, beside it, its appendix and what follows; figures are read from where
    analysis.figures put them.
    """
    load_rules()
    options = parser("Write the report of a plan and its records.")
    add_reference(options)
    options.add_argument(
        "--figures", type=Path, required=True, help="folder of the figures, as SVG"
    )
    options.add_argument(
        "--templates", type=Path, default=TEMPLATES, help="folder of template, style and captions"
    )
    options.add_argument("--output", type=Path, required=True)
    arguments = options.parse_args()
    reference = load_reference(arguments.reference)
    results = results_of(arguments)
    data = Data(results, reference)
    groups = grouped(collect(results, data), results, data)
    in_processes(pages(data, groups, arguments.figures, arguments.templates, arguments.output))


if __name__ == "__main__":
    run_command(main)
