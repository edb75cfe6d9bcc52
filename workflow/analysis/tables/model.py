"""A table as data: every number is already the text that all formats print."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from analysis.formats.text import NA, count, interval_ms, letter, listed, ms, percent
from analysis.results.cells import Cell
from analysis.results.plan import Column, Row
from analysis.results.results import Results
from analysis.results.runs import UNSUPPORTED
from analysis.statistics.best_set import Standing
from analysis.statistics.intervals import MARGIN
from contract import table_text

# Beside the number. What is best or equal is bold, and what is shown slower stands by itself.
STANDING_MARKS = {Standing.UNDECIDED: "?", Standing.NOT_COMPARED: "n.c."}


DISTURBED = "disturbed"  # by other work: a number that tells nothing, greyed in every table


@dataclass(frozen=True)
class TableCell:
    """One entry: `ends` are those of its interval as printed, `marks` point to its footnotes.

    `badge` is the class of a cell that was not steady, or says that it was disturbed; empty where
    there is nothing to warn of.
    `standing` is None where nothing is ranked.
    """

    text: str
    status: str
    ends: tuple[str, str] | None = None
    standing: Standing | None = None
    steady_state: str = NA
    badge: str = ""
    marks: tuple[str, ...] = ()

    @property
    def best(self) -> bool:
        return self.standing is Standing.BEST

    @property
    def disturbed(self) -> bool:
        return self.badge == DISTURBED

    @property
    def standing_mark(self) -> str:
        """The mark behind the number; empty where it is bold or shown slower, or where a badge is
        why it was not compared.
        """
        return "" if self.badge else STANDING_MARKS.get(self.standing, "")

    @property
    def interval(self) -> str:
        """The interval as it stands behind the number; empty without one."""
        return f"[{self.ends[0]}, {self.ends[1]}]" if self.ends else ""


@dataclass(frozen=True)
class TableRow:
    """One line: labels under the label columns, then one cell per column."""

    row: Row
    labels: tuple[str, ...]
    cells: tuple[TableCell, ...]


@dataclass(frozen=True)
class Table:
    """What every writer prints. All text is raw; escaping is the writer's work."""

    name: str
    caption: str
    label_columns: tuple[str, ...]
    columns: tuple[Column, ...]
    rows: tuple[TableRow, ...]
    notes: tuple[tuple[str, str], ...]


def parts(table: Table, fits: Callable[[Table], bool] = lambda part: True) -> list[Table]:
    """The table, or several where it has too many columns to stand beside each other, or they do
    not fit; each with the labels and with the footnotes that it points to.
    """
    columns = len(table.columns)
    for most in range(table_text.MOST_COLUMNS, 0, -1):
        found = [_part(table, own) for own in table_text.parts(columns, most)]
        if all(map(fits, found)):
            break
    return found  # at worst, one column each


def _part(table: Table, own: slice) -> Table:
    rows = tuple(replace(row, cells=row.cells[own]) for row in table.rows)
    marks = {mark for row in rows for cell in row.cells for mark in cell.marks}
    notes = tuple(note for note in table.notes if note[0] in marks)
    return replace(table, columns=table.columns[own], rows=rows, notes=notes)


@dataclass
class Footnotes:
    """Letters for texts: the same text keeps its letter."""

    letters: dict[str, str] = field(default_factory=dict)

    def mark(self, text: str) -> str:
        """The letter of this footnote."""
        return self.letters.setdefault(text, letter(len(self.letters)))

    def listed(self) -> tuple[tuple[str, str], ...]:
        """(letter, text) in the order of the letters."""
        return tuple((mark, text) for text, mark in self.letters.items())


def main_table(results: Results) -> Table:
    """ms/step with intervals: the rows and columns of the plan."""
    notes = Footnotes()
    ranked = any(cell.interval for cell in results.cells)
    rows = tuple(
        TableRow(
            entry.row,
            (entry.row.title, str(entry.row.batch_size)),
            tuple(_cell(cell, entry.standings if ranked else {}, notes) for cell in entry.cells),
        )
        for entry in results.rows
    )
    return Table(
        *("table", _caption(results), table_text.LABELS, results.plan.columns),
        *(rows, notes.listed()),
    )


def _cell(cell: Cell, standings: Mapping[str, Standing], notes: Footnotes) -> TableCell:
    if not cell.ok_runs:
        return status_cell(cell, notes)
    return TableCell(
        text=ms(cell.step_ms),
        status=cell.status,
        ends=interval_ms(cell.step_ms, cell.interval) if cell.interval else None,
        standing=standings.get(cell.column.name),
        steady_state=cell.steadiness.state,
        badge=badge(cell),
        marks=footnote_marks(cell, notes),
    )


def badge(cell: Cell) -> str:
    """Why a measured cell is not compared: it was disturbed, or of which class its steps were."""
    if cell.disturbed:
        return DISTURBED
    return "" if cell.steady else cell.steadiness.state


def status_cell(cell: Cell, notes: Footnotes) -> TableCell:
    """A cell without a number prints why: NA when it cannot run, else its status."""
    status = NA if cell.status == UNSUPPORTED else cell.status
    return TableCell(status, cell.status, marks=(notes.mark(f"{status}: {cell.reason}"),))


def footnote_marks(cell: Cell, notes: Footnotes) -> tuple[str, ...]:
    """A footnote for every run that a mean lacks, and for what disturbed one that it has."""
    kept = f"mean of {len(cell.ok_runs)} of {count(len(cell.runs), 'run')}"
    lost = [f"{kept}; run {run.number} {run.status}: {run.reason}" for run in cell.lost_runs]
    disturbed = [f"{DISTURBED}: {cell.disturbed}"] if cell.disturbed else []
    return tuple(map(notes.mark, lost + disturbed))


def _caption(results: Results) -> str:
    plan = results.plan
    shown = (
        "Mean ms/step of one run per cell; one run has no interval, so no column is marked best."
    )
    if any(cell.interval for cell in results.cells):
        shown = (
            f"Mean ms/step with its 95 % interval ({_interval_method(results)}). Bold: best or "
            f"equal, so that no other column of its row could be more than {percent(MARGIN)} "
            f"faster.{_marks(results)} No mark: significantly slower, by more than "
            f"{percent(MARGIN)}."
        )
        if results.several_stacks:
            shown += (
                " Columns compete with those on the same stack of library versions; what another "
                "stack changes is among the effects."
            )
    badges = {badge(cell) for cell in results.cells if cell.ok_runs}
    if unsteady := badges - {"", DISTURBED}:
        shown += (
            f" A cell that is labelled {' or '.join(sorted(unsteady))} was not steady in most of "
            "its runs, or changed in all, and is not compared."
        )
    if DISTURBED in badges:
        shown += (
            f" A cell that is labelled {DISTURBED} shared its machine with other work while it was "
            "timed: its number tells nothing, and is not compared."
        )
    accelerators = listed(list(results.accelerators)) or plan.accelerator
    where = f"Scale: {plan.scale}; accelerator: {accelerators}; {plan.runs_per_cell} planned."
    return f"{shown} Lower is faster. {where}{_modes(results)}"


def _marks(results: Results) -> str:
    """What the marks behind numbers mean, of those that there are."""
    texts = {
        Standing.UNDECIDED: "undecided",
        Standing.NOT_COMPARED: "not compared, for want of two rounds shared with the fastest",
    }
    found = {standing for row in results.rows for standing in row.standings.values()}
    return "".join(
        f" {STANDING_MARKS[standing]}: {text}."
        for standing, text in texts.items()
        if standing in found
    )


def _modes(results: Results) -> str:
    """What "compiled" is, of columns whose titles do not say it."""
    modes = {
        column.title: column.settings["mode"]
        for column in results.plan.columns
        if column.settings.get("mode") and column.settings["mode"] not in column.title
    }
    return "".join(f" {title}: torch.compile in mode {mode}." for title, mode in modes.items())


def _interval_method(results: Results) -> str:
    """What the printed intervals rest on."""
    method = "Student's t on the logarithms of the run means"
    if any(cell.interval != cell.plain_interval for cell in results.cells):
        method += ", their variance weighed with that of the column in other rows"
    return method
