"""The report, its appendix and what follows for the terminal, as files beside each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from analysis.caveats.groups import Group
from analysis.data import Data
from analysis.formats.errors import write_text
from analysis.report.anchors import APPENDIX
from analysis.report.appendix import write_appendix
from analysis.report.page import content, render_report


def pages(
    data: Data, groups: Sequence[Group], figures: Path, templates: Path, output: Path
) -> Iterator[Callable[[], None]]:
    """What writes each of them; figures are read from their folder."""
    values = content(data, groups, figures)
    yield partial(write_report, values, templates, output)
    appendix = output.with_name(APPENDIX)
    yield partial(write_appendix, appendix, values, data, groups, figures, templates, output.name)


def write_report(values: dict[str, Any], templates: Path, output: Path) -> None:
    """Write the page, and conclusion.json."""
    write_text(output, render_report(values, templates))
    write_text(output.with_name("conclusion.json"), values["conclusion"].to_json())
