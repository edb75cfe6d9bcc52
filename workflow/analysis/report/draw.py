"""python -m analysis.report.draw --plan results/plan.json --output-dir results: everything that
follows from plan and records, which are read once, or those parts that a rule asks for.

Reading ten thousand cells takes as long as drawing what is made of them.
"""

import argparse
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from analysis.caveats import collect
from analysis.caveats.groups import grouped, write_caveats
from analysis.claims.verdicts import write_claims
from analysis.data import Data
from analysis.formats.errors import run_command
from analysis.formats.processes import in_processes
from analysis.results.commands import parser, results_of
from analysis.results.reference import load_reference
from analysis.tables.files import TABLES
from analysis.topics import load_rules
from contract.report_contents import figure_modules

PARTS = (*TABLES, "caveats", "claims", "figures", "report")


def main() -> None:
    """Write tables, caveats, claims, figures, the report and its appendix."""
    load_rules()
    options = parser("Draw everything that follows from a plan and its records.")
    options.add_argument("--output-dir", type=Path, required=True)
    options.add_argument(
        "--only", choices=PARTS, action="append", help="a part, more than once for several"
    )
    options.add_argument("--figure", choices=figure_modules(), help="one figure; default: all")
    options.add_argument(
        "--keep", type=Path, help="keep in this file what was measured, for --measured"
    )
    options.add_argument(
        "--revision", help="of the sources, as the report names it; default: as git says it"
    )
    arguments = options.parse_args()
    data = Data(results_of(arguments, arguments.keep), load_reference())
    asked = {part: part in (arguments.only or PARTS) for part in PARTS}
    caveats = collect(data.results, data) if asked["caveats"] or asked["report"] else []
    groups = grouped(caveats, data.results, data)
    folder: Path = arguments.output_dir
    parts = [partial(TABLES[name], data, folder) for name in TABLES if asked[name]]
    if asked["caveats"]:
        parts.append(partial(write_caveats, caveats, groups, folder))
    if asked["claims"]:
        parts.append(partial(write_claims, data.results, data.reference, folder))
    if asked["figures"]:
        parts += _figures(data, arguments)
    in_processes(parts)
    if asked["report"]:
        from analysis.report.origin import drawn_by
        from analysis.report.page import pages

        by, output = drawn_by(arguments.revision), folder / "report.html"
        in_processes(pages(data, groups, folder / "figures", output, by))


def _figures(data: Data, arguments: argparse.Namespace) -> Iterable[Callable[[], None]]:
    from analysis.figures.drawing import drawings  # Matplotlib, which no table needs

    folder = arguments.output_dir / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    return drawings(data, folder, [arguments.figure] if arguments.figure else figure_modules())


if __name__ == "__main__":
    run_command(main)
