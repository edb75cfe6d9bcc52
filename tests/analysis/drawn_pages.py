"""The report and its appendix of a project, as a reader gets them."""

from __future__ import annotations

from pathlib import Path

import matplotlib

from analysis.caveats import collect
from analysis.caveats.groups import grouped
from analysis.data import Data
from analysis.figures.drawing import FIGURES
from analysis.figures.style import RC
from analysis.report.details import APPENDIX
from analysis.report.page import pages
from analysis.results.reference import load_reference
from analysis.results.results import Results

DRAWN_BY = "Millistep 1.2.3, revision 0123456789ab"


def write_pages(results: Results, figures: Path, folder: Path) -> tuple[Path, Path]:
    """Write both pages into a folder."""
    data = Data(results, load_reference())
    groups = grouped(collect(results, data), results, data)
    report = folder / "report.html"
    for write in pages(data, groups, figures, report, DRAWN_BY):
        write()
    return report, report.with_name(APPENDIX)


def in_our_look():
    """A context in which figures are drawn as the command draws them."""
    return matplotlib.rc_context({**matplotlib.rcParamsDefault, **RC})


def write_drawn(results: Results, folder: Path) -> tuple[Path, Path]:
    """Write both pages into a folder, with the real figures."""
    drawn = folder / "drawn"
    drawn.mkdir()
    data = Data(results, load_reference())
    with in_our_look():
        for name, draw in FIGURES.items():
            draw(data).savefig(drawn / f"{name}.svg")
    return write_pages(results, drawn, folder)


def groups_of(project):
    """The caveats, those of one cause as one."""
    results = project.load()
    return grouped(collect(results), results)


def pages_of(project, figures: Path) -> tuple[str, str]:
    """The text of both pages."""
    report, appendix = write_pages(project.load(), figures, project.folder)
    return report.read_text(encoding="utf-8"), appendix.read_text(encoding="utf-8")


def report_of(project, figures: Path) -> str:
    """The text of the report."""
    return pages_of(project, figures)[0]


def appendix_of(project, figures: Path) -> str:
    """The text of the appendix."""
    return pages_of(project, figures)[1]
