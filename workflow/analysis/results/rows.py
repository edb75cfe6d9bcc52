"""A row of the table, and the standing of each of its columns."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from analysis.results.cells import Cell, contest
from analysis.results.plan import Row
from analysis.statistics.best_set import Standing


@dataclass(frozen=True)
class RowCells:
    """A row of the table with its cells, in the order of the columns."""

    row: Row
    cells: tuple[Cell, ...]

    @cached_property
    def measured(self) -> tuple[Cell, ...]:
        return tuple(cell for cell in self.cells if cell.ok_runs)

    @cached_property
    def comparable(self) -> tuple[Cell, ...]:
        """The cells from which anything may be concluded."""
        return tuple(cell for cell in self.measured if cell.comparable)

    @cached_property
    def contestants(self) -> tuple[tuple[Cell, ...], ...]:
        """Measured cells that compete: those of each stack of library versions with each other."""
        stacks = dict.fromkeys(cell.column.stack for cell in self.measured)
        return tuple(
            tuple(cell for cell in self.measured if cell.column.stack == stack) for stack in stacks
        )

    @cached_property
    def standings(self) -> dict[str, Standing]:
        """The standing of every measured column among those of its stack, by name; one that was not
        steady, or disturbed, is not compared, and none is best where such a one took less.
        """
        found = {cell.column.name: Standing.NOT_COMPARED for cell in self.measured}
        for cells in self.contestants:
            found |= contest(cells).standings()
            if _took_less(cells, found):
                best = [c.column.name for c in cells if found[c.column.name] is Standing.BEST]
                found |= dict.fromkeys(best, Standing.UNDECIDED)
        return found

    @cached_property
    def took_less(self) -> tuple[Cell, ...]:
        """The cells that are not compared and took less than all of their stack that are."""
        found = (_took_less(cells, self.standings) for cells in self.contestants)
        return tuple(chain.from_iterable(found))

    @cached_property
    def plain(self) -> tuple[Cell, ...]:
        """Measured cells of frameworks without settings of their own."""
        return tuple(cell for cell in self.measured if cell.column.plain)

    def family(self, name: str) -> tuple[Cell, ...]:
        """The plain columns of a family that may be compared; none where the one that took least
        may not, for which no other can stand.
        """
        cells = [cell for cell in self.plain if cell.column.family == name]
        fastest = min(cells, key=lambda cell: cell.step_ms, default=None)
        told = fastest is not None and fastest.comparable
        return tuple(cell for cell in cells if cell.comparable) if told else ()


def _took_less(cells: Collection[Cell], standings: Mapping[str, Standing]) -> list[Cell]:
    compared = [c for c in cells if standings[c.column.name] is not Standing.NOT_COMPARED]
    fastest_ms = min((cell.step_ms for cell in compared), default=0.0)
    return [cell for cell in cells if cell.step_ms < fastest_ms]
