"""Every figure as SVG, PDF and PNG, byte for byte the same from the same records."""

import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from analysis.data import Data
from analysis.figures.panels import saying
from analysis.figures.style import RC
from analysis.formats.errors import InputError
from analysis.formats.modules import function
from analysis.results.stand_in import TITLE, is_simulated
from contract.report_contents import figure_modules

# Every figure of report/figures.yaml, with the function that draws it.
FIGURES: dict[str, Callable[[Data], Figure]] = {
    name: function(module, name) for name, module in figure_modules().items()
}
DPI = 160  # of a PNG, and of what is drawn as pixels in the other two
MOST_CHARACTERS = 100  # of an error's words, in a figure
# Leaves out metadata that make drawings of the same data differ, or that say who drew them.
NO_METADATA = {
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "png": {"Software": None},
}


def save(figure: Figure, folder: Path, name: str) -> None:
    """Write SVG for the page, PDF for papers, PNG for all else; laid out once, the same in all."""
    if figure.get_layout_engine() is not None:
        FigureCanvasAgg(figure).draw()
        figure.set_layout_engine("none")
    for form, metadata in NO_METADATA.items():
        options = {"transparent": False} if form == "png" else {}
        figure.savefig(folder / f"{name}.{form}", dpi=DPI, metadata=metadata, **options)


def drawings(data: Data, folder: Path, names: Iterable[str]) -> Iterator[Callable[[], None]]:
    """A call for each figure, which draws it into a folder."""
    return (partial(_draw, data, folder, name) for name in names)


def _draw(data: Data, folder: Path, name: str) -> None:
    """Draw a figure, or in its place why that failed: a figure must not cost the tables."""
    with matplotlib.rc_context({**matplotlib.rcParamsDefault, **RC}):
        try:
            figure = FIGURES[name](data)
            if is_simulated(data.results):
                figure.suptitle(TITLE, size="small", weight="bold")
            save(figure, folder, name)
        except (InputError, OSError):
            raise
        except Exception as error:
            traceback.print_exc()
            first = next(iter(str(error).splitlines()), "")[:MOST_CHARACTERS]
            reason = f"the drawing failed, {type(error).__name__}: {first}"
            print(f"error: figure {name}: {reason}", file=sys.stderr)
            save(saying(f"Nothing to draw: {reason}."), folder, name)
