"""Where runs were measured: on which nodes, in which sessions."""

from collections import Counter
from collections.abc import Iterator

from analysis.caveats.core import Found, label, labelled, measured, places, rule
from analysis.data import Data
from analysis.formats.text import count
from analysis.results.cells import Cell


@rule
def several_nodes(data: Data) -> Iterator[Found]:
    """Cells measured on one of several nodes: their intervals do not know how nodes differ."""
    cells, nodes = measured(data.results.rows), len(data.results.nodes)
    alone = [cell for cell in cells if len(cell.nodes) == 1]
    if nodes > 1:
        evidence = {"nodes": nodes, "on_one_node": list(map(label, alone))}
        where = places(alone, rows=data.results.rows)
        words = {"more": len(cells) - len(alone), "where": where}
        yield Found(alone or None, evidence, words)


@rule
def rounds_lost(data: Data) -> Iterator[Found]:
    """Rounds of a cell that most cells of its row measured in another session."""
    lost: dict[Cell, list[int]] = {}
    for row in data.results.rows:
        sittings = {cell: sorted(cell.run_ms) for cell in row.measured}
        number = Counter((s.round, s.session) for found in sittings.values() for s in found)
        usual = {found[0]: found for found, _ in reversed(number.most_common())}
        for cell, found in sittings.items():
            if rounds := [s.round for s in found if (s.round, s.session) != usual[s.round]]:
                lost[cell] = rounds

    def share(cell: Cell) -> str:
        return f"{len(lost[cell])} of {count(len(cell.run_ms), 'round')}"

    where = places(lost, share, lambda cell: len(lost[cell]))
    yield Found(lost, {"rounds": labelled(lost)}, {"where": where})
