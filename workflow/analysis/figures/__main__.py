"""python -m analysis.figures --plan results/plan.json --output-dir results/figures"""

from __future__ import annotations

from pathlib import Path

from analysis.data import Data
from analysis.figures.catalogue import FIGURES
from analysis.figures.drawing import drawings
from analysis.formats.errors import run_command
from analysis.formats.processes import in_processes
from analysis.results.commands import add_reference, parser, results_of
from analysis.results.reference import load_reference


def main() -> None:
    """Write every figure, or one, as SVG, PDF and PNG."""
    options = parser("Draw the figures of a plan and its records.")
    add_reference(options)
    options.add_argument("--output-dir", type=Path, required=True)
    options.add_argument("--only", choices=FIGURES, help="one figure; default: all")
    arguments = options.parse_args()
    data = Data(results_of(arguments), load_reference(arguments.reference))
    arguments.output_dir.mkdir(parents=True, exist_ok=True)
    names = [arguments.only] if arguments.only else list(FIGURES)
    parts = [*drawings(data, arguments.output_dir, names)]
    if len(parts) == 1:
        parts[0]()
    else:
        in_processes(parts)


if __name__ == "__main__":
    run_command(main)
