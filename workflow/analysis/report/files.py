"""The report, its appendix and what follows for the terminal, as files beside each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from analysis.caveats.groups import Group
from analysis.formats.errors import write_text
from analysis.report.anchors import APPENDIX
from analysis.report.appendix import write_appendix
from analysis.report.conclusion import conclusion
from analysis.report.page import render
from analysis.results.reference import Reference
from analysis.results.results import Results


def pages(
    results: Results,
    reference: Reference,
    groups: Sequence[Group],
    figures: Path,
    templates: Path,
    output: Path,
) -> Iterator[Callable[[], None]]:
    """What writes each of them; figures are read from their folder."""
    of_report = partial(write_report, results, reference, groups, figures, templates, output)
    yield of_report
    appendix = output.with_name(APPENDIX)
    yield partial(write_appendix, appendix, results, groups, figures, templates, output.name)


def write_report(
    results: Results,
    reference: Reference,
    groups: Sequence[Group],
    figures: Path,
    templates: Path,
    output: Path,
) -> None:
    """Write the page, and conclusion.json."""
    write_text(output, render(results, reference, figures, templates, groups))
    write_text(output.with_name("conclusion.json"), conclusion(results).to_json())
