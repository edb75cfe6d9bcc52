"""The report, its appendix and what follows for the terminal, as files beside each other."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from analysis.caveats.groups import Group
from analysis.data import Data
from analysis.report.anchors import APPENDIX
from analysis.report.appendix import write_appendix
from analysis.report.page import content, write_report


def pages(
    data: Data, groups: Sequence[Group], figures: Path, output: Path
) -> Iterator[Callable[[], None]]:
    """What writes each of them; figures are read from their folder."""
    values = content(data, groups, figures)
    yield partial(write_report, output, values)
    appendix = output.with_name(APPENDIX)
    yield partial(write_appendix, appendix, values, data, groups, figures, output.name)
