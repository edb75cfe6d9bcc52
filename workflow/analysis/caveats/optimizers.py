"""Parameters that are updated in other ways, and what part of a step that is."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import fmean

from analysis.caveats.causes import SETTINGS
from analysis.caveats.core import Caveat, Changes, Severity, readings, rule
from analysis.comparisons.cards import differing, subject
from analysis.data.operation_groups import Group, group_of
from analysis.formats.text import listed, percent
from analysis.results.cells import Cell
from analysis.results.results import Results
from analysis.results.rows import RowCells

UPDATE = "optimizer_update"


@rule(
    "Parameters are updated in different ways",
    "One after the other, all at once or inside a compiled step: part of a difference.",
    Changes.ORDER,
    "Set optimizer: fused in a column of plain PyTorch.",
    SETTINGS,
)
def optimizer_update_differs(results: Results) -> Iterator[Caveat]:
    """Rows that train whose columns update parameters in other ways, with the share of a step."""
    for row in results.rows:
        ways = _ways(row)
        if len(ways) < 2:
            continue
        shares = {cell: found for cell in row.measured if (found := _share(cell)) is not None}
        columns = "; ".join(f"{way} in {listed(titles)}" for way, titles in ways.items())
        seen = [f"{percent(share)} in {cell.column.title}" for cell, share in shares.items()]
        told = f" Of a profiled step the update takes {listed(seen)}." if seen else ""
        sentence = (
            f"{row.row.label}: parameters are not updated in the same way ({columns}), so part of "
            f"a difference may come from that.{told}"
        )
        evidence = {"what": UPDATE.replace("_", " "), "values": ways, "share": readings(shares)}
        yield Caveat("optimizer_update_differs", Severity.WARNING, row.measured, evidence, sentence)


def _ways(row: RowCells) -> dict[str, list[str]]:
    """Columns by how they update parameters; empty where they differ as they are meant to."""
    ways: dict[str, list[str]] = {}
    for cell in row.measured:
        found = ((record.parity or {}).get(UPDATE) for record in cell.records)
        for way in dict.fromkeys(filter(None, found)):
            ways.setdefault(way, []).append(cell.column.title)
    pairs = [(one, other) for one in row.measured for other in row.measured]
    meant = all(UPDATE in subject(*pair) for pair in pairs if differing((UPDATE,), *pair))
    return {} if meant else ways


def _share(cell: Cell) -> float | None:
    """Of a profiled step, mean over runs; None where no profile names an optimizer's operations."""
    profiles = [record.host_overhead for record in cell.records if record.host_overhead]
    shares = [
        sum(part.ms for part in profile.operations if group_of(part.name) is Group.OPTIMISER)
        / profile.step_ms
        for profile in profiles
        if profile.step_ms
    ]
    return fmean(shares) if shares and any(shares) else None
