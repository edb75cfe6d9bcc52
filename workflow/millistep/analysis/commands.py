"""The commands of the analysis: render, archive, verify, compare, comment."""

import argparse
import sys
from pathlib import Path

from millistep.analysis import answer, compare
from millistep.analysis.archive import commands as archive
from millistep.analysis.load import InputError
from millistep.analysis.report.render import render


def main(arguments: list[str] | None = None) -> int:
    """Run a command and return its exit status."""
    parser = argparse.ArgumentParser(prog="millistep")
    commands = parser.add_subparsers(dest="command", required=True)
    drawing = commands.add_parser("render", help="write tables, figures and the report")
    drawing.add_argument("--plan", type=Path, required=True)
    drawing.add_argument("--output-dir", type=Path, required=True)
    drawing.add_argument("--so-far", action="store_true", help="write report.html only")
    drawing.add_argument("--runs-only", action="store_true", help="write runs.csv and runs.parquet")
    drawing.set_defaults(function=_render, failure=1)
    for module in (archive, compare, answer):
        module.register(commands)
    options = parser.parse_args(arguments)
    try:
        status: int = options.function(options)
        return status
    except InputError as error:
        print(f"millistep: {error}", file=sys.stderr)
        failure: int = options.failure
        return failure


def _render(options: argparse.Namespace) -> int:
    render(options.plan, options.output_dir, options.so_far, options.runs_only)
    return 0
