"""Every figure of report/figures.yaml, with the function that draws it."""

from collections.abc import Callable

from matplotlib.figure import Figure

from analysis.data import Data
from analysis.formats.contents import figure_modules, function

FIGURES: dict[str, Callable[[Data], Figure]] = {
    name: function(module, name) for name, module in figure_modules().items()
}
