"""Every figure of report/figures.yaml, with the function that draws it."""

from collections.abc import Callable
from importlib import import_module

from matplotlib.figure import Figure

from analysis.formats.contents import figure_modules
from analysis.results.reference import Reference
from analysis.results.results import Results

FIGURES: dict[str, Callable[[Results, Reference], Figure]] = {
    name: getattr(import_module(f"analysis.figures.{module}"), name)
    for name, module in figure_modules().items()
}
