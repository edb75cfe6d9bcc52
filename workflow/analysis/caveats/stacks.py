"""What columns on the published benchmark's own versions ran instead of them."""

from __future__ import annotations

from collections.abc import Iterator

from analysis.caveats.core import Caveat, Changes, Severity, measured, rule
from analysis.comparisons.libraries import differing_libraries
from analysis.formats.text import listed
from analysis.results.reference import load_reference
from analysis.results.results import Results


@rule(
    "Not the versions of the published page, though on its stack",
    "These numbers are not of what the published page ran, whatever their stack is called.",
    Changes.ELSEWHERE,
)
def not_the_pages_version(results: Results) -> Iterator[Caveat]:
    """The stack of the page's versions lacks one where the package index does not have it."""
    conditions = load_reference().conditions
    for column in results.plan.columns:
        if not column.bare or column.stack != conditions.stack:
            continue
        cells = tuple(cell for cell in measured(results.rows) if cell.column == column)
        if found := [str(library) for library in differing_libraries(cells, conditions)]:
            sentence = f"{column.title} ran other versions than the page: {listed(found)}."
            evidence = {"column": column.name, "libraries": found}
            yield Caveat("not_the_pages_version", Severity.WARNING, cells, evidence, sentence)
