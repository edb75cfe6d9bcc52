"""python -m analysis.figures --plan results/plan.json --output-dir results/figures"""

from __future__ import annotations

import os
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from analysis.figures.catalogue import FIGURES
from analysis.figures.style import RC
from analysis.formats.errors import run_command
from analysis.results.commands import add_reference, parser, results_of
from analysis.results.reference import Reference, load_reference
from analysis.results.results import Results

DPI = 160
# What would make two drawings of the same data differ, or say who drew them.
NO_METADATA = {
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "png": {"Software": None},
}


def save(figure: Figure, folder: Path, name: str) -> None:
    """SVG for the page, PDF for papers, PNG for everything else. Placed once, the same in all."""
    if figure.get_layout_engine() is not None:
        FigureCanvasAgg(figure).draw()
        figure.set_layout_engine("none")
    for form, metadata in NO_METADATA.items():
        options = {"dpi": DPI, "transparent": False} if form == "png" else {}
        figure.savefig(folder / f"{name}.{form}", metadata=metadata, **options)


def draw(name: str) -> None:
    """One figure, of what `remember` was given."""
    with matplotlib.rc_context({**matplotlib.rcParamsDefault, **RC}):
        save(FIGURES[name](_inputs["results"], _inputs["reference"]), _inputs["folder"], name)


_inputs: dict[str, Any] = {}


def remember(results: Results, reference: Reference, folder: Path) -> None:
    """What the figures of this process are drawn from, and where they go."""
    _inputs.update(results=results, reference=reference, folder=folder)


def main() -> None:
    """Write every figure as SVG, PDF and PNG, byte for byte the same from the same records."""
    options = parser("Draw the figures of a plan and its records.")
    add_reference(options)
    options.add_argument("--output-dir", type=Path, required=True)
    arguments = options.parse_args()
    inputs = (results_of(arguments), load_reference(arguments.reference), arguments.output_dir)
    arguments.output_dir.mkdir(parents=True, exist_ok=True)
    # Forked processes share the results as they are; nothing is sent to them but names.
    with get_context("fork").Pool(os.cpu_count(), remember, inputs) as pool:
        pool.map(draw, FIGURES, chunksize=1)


if __name__ == "__main__":
    run_command(main)
