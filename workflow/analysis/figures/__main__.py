"""python -m analysis.figures --plan results/plan.json --output-dir results/figures"""

from __future__ import annotations

from pathlib import Path

import matplotlib

from analysis.commands import add_reference, parser, results_of
from analysis.errors import run_command
from analysis.figures import FIGURES
from analysis.reference import load_reference
from analysis.style import RC

DPI = 160


def main() -> None:
    """Write every figure as SVG and PNG, byte for byte the same from the same records."""
    options = parser("Draw the figures of a plan and its records.")
    add_reference(options)
    options.add_argument("--output-dir", type=Path, required=True)
    arguments = options.parse_args()
    results, reference = results_of(arguments), load_reference(arguments.reference)
    arguments.output_dir.mkdir(parents=True, exist_ok=True)
    with matplotlib.rc_context({**matplotlib.rcParamsDefault, **RC}):
        for name, draw in FIGURES.items():
            figure = draw(results, reference)
            figure.savefig(
                arguments.output_dir / f"{name}.svg", metadata={"Date": None, "Creator": None}
            )
            figure.savefig(
                arguments.output_dir / f"{name}.png",
                dpi=DPI,
                transparent=False,
                metadata={"Software": None},
            )


if __name__ == "__main__":
    run_command(main)
