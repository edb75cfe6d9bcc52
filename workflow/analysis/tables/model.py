"""A table as data: every number is already the text that all formats print."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from analysis.formats.text import NA, count, interval_ms, letter, listed, ms
from analysis.results.cells import Cell
from analysis.results.plan import Column, Row
from analysis.results.results import Results
from analysis.results.runs import OK, UNSUPPORTED
from analysis.statistics.best_set import Standing
from analysis.statistics.intervals import MARGIN
from analysis.writing.texts import Texts
from contract import table_text
from contract.disturbance import DISTURBED

# Marks beside a number. Best or equal is bold instead, and significantly slower has no mark.
STANDING_MARKS = {Standing.UNDECIDED: "?", Standing.NOT_COMPARED: "n.c."}
TEXTS = Texts(__file__)


@dataclass(frozen=True)
class TableCell:
    """One entry: `ends` are those of its interval as printed, `notes` are its footnotes.

    `badge` is the class of a cell that was not steady, or says that it was disturbed; empty where
    there is nothing to warn of. `standing` is None where nothing is ranked.
    """

    text: str
    status: str
    ends: tuple[str, str] | None = None
    standing: Standing | None = None
    steady_state: str = NA
    badge: str = ""
    notes: tuple[str, ...] = ()

    @property
    def best(self) -> bool:
        return self.standing is Standing.BEST

    @property
    def disturbed(self) -> bool:
        return self.badge == DISTURBED

    @property
    def ours(self) -> bool:
        """True if it is of this run, whose report has more about it."""
        return self.status not in ("published", "not published")

    @property
    def standing_mark(self) -> str:
        """The mark behind the number; empty where it is bold or significantly slower, or where a
        badge is why it was not compared.
        """
        return "" if self.badge else STANDING_MARKS.get(self.standing, "")

    @property
    def interval(self) -> str:
        """The interval as it stands behind the number; empty without one."""
        return f"[{self.ends[0]}, {self.ends[1]}]" if self.ends else ""


@dataclass(frozen=True)
class TableRow:
    """One line: labels under the label columns, then one cell per column; `measures` says in a few
    words what a row of ours measures.
    """

    row: Row
    labels: tuple[str, ...]
    cells: tuple[TableCell, ...]
    measures: str = ""


@dataclass(frozen=True)
class Table:
    """A table as every writer prints it. All text is raw; escaping is the writer's work. `letters`
    are those of footnotes, by their text: the same text has one letter.
    """

    name: str
    caption: str
    label_columns: tuple[str, ...]
    columns: tuple[Column, ...]
    rows: tuple[TableRow, ...]
    letters: Mapping[str, str]

    @property
    def notes(self) -> list[tuple[str, str]]:
        """(letter, text) of the footnotes of these cells, in the order of the letters."""
        own = {text for row in self.rows for cell in row.cells for text in cell.notes}
        return [(mark, text) for text, mark in self.letters.items() if text in own]

    def marks(self, cell: TableCell) -> list[str]:
        """The letters of its footnotes, as far as they have one."""
        return [self.letters[text] for text in cell.notes if text in self.letters]


def column_titles(table: Table) -> list[str]:
    """The header line."""
    return [*table.label_columns, *(column.title for column in table.columns)]


def parts(table: Table) -> list[Table]:
    """The table, or several where it has too many columns to stand beside each other; each with the
    labels and with the footnotes that it points to.
    """
    return [_part(table, own) for own in table_text.parts(len(table.columns))]


def _part(table: Table, own: slice) -> Table:
    rows = tuple(replace(row, cells=row.cells[own]) for row in table.rows)
    return replace(table, columns=table.columns[own], rows=rows)


def letters(rows: Iterable[TableRow], of_all: Sequence[str] = ()) -> dict[str, str]:
    """A letter for each footnote but those `of_all`, in the order of the table."""
    texts = dict.fromkeys(text for row in rows for cell in row.cells for text in cell.notes)
    return {text: letter(place) for place, text in enumerate(t for t in texts if t not in of_all)}


def notes_of_all(rows: Iterable[TableRow]) -> list[str]:
    """Footnotes that every number has: they set none apart from the others."""
    notes = [cell.notes for row in rows for cell in row.cells if cell.status == "ok"]
    return [text for text in notes[0] if all(text in each for each in notes)] if notes[1:] else []


def main_table(results: Results) -> Table:
    """ms/step with intervals: the rows and columns of the plan."""
    ranked = any(cell.interval for cell in results.cells)
    rows = tuple(
        TableRow(
            entry.row,
            (entry.row.title, str(entry.row.batch_size)),
            tuple(table_cell(cell, entry.standings if ranked else {}) for cell in entry.cells),
            entry.row.measures.get("short", ""),
        )
        for entry in results.rows
    )
    of_all = notes_of_all(rows)
    return Table(
        *("table", _caption(results, rows, of_all), table_text.LABELS, results.plan.columns),
        *(rows, letters(rows, of_all)),
    )


def table_cell(cell: Cell, standings: Mapping[str, Standing] | None = None) -> TableCell:
    """A cell as printed; without a number it says why: NA when it cannot run, else its status.
    Without `standings` it is not compared here, and has no interval.
    """
    if not cell.ok_runs:
        status = NA if cell.status == UNSUPPORTED else cell.status
        return TableCell(status, cell.status, notes=(f"{status}: {cell.reason}",))
    compared = standings is not None and cell.interval
    return TableCell(
        text=ms(cell.step_ms),
        status=cell.status,
        ends=interval_ms(cell.step_ms, cell.interval) if compared else None,
        standing=(standings or {}).get(cell.column.name),
        steady_state=cell.steadiness.state,
        badge=badge(cell),
        notes=_notes(cell),
    )


def badge(cell: Cell) -> str:
    """Why a measured cell is not compared: it was disturbed, or of which class its steps were."""
    if cell.disturbed:
        return DISTURBED
    return "" if cell.steady else cell.steadiness.state


def _notes(cell: Cell) -> tuple[str, ...]:
    """A footnote for each reason why a mean lacks runs, for what disturbed one that it has, and
    where it is without warm-up.
    """
    kept = f"mean of {len(cell.ok_runs)} of {count(len(cell.runs), 'run')}"
    kept += ", as if it had every round of its row" if cell.adjustment else ""
    why: dict[str, list[str]] = {}
    for run in cell.lost_runs:
        why.setdefault(f"{run.status}: {run.reason}", []).append(str(run.number))
    lost = [
        f"{kept}; {'runs' if own[1:] else 'run'} {listed(own)} {reason}"
        for reason, own in why.items()
    ]
    disturbed = [f"{DISTURBED}: {cell.disturbed}"] if cell.disturbed else []
    warmed_up = any(run.left_out for run in cell.ok_runs)
    without = ["without its first blocks, which were warm-up"] if warmed_up else []
    return (*lost, *disturbed, *without)


def _caption(results: Results, rows: Iterable[TableRow], of_all: list[str]) -> str:
    """The caption of the main table; `marks` are those that stand behind numbers."""
    plan, cells = results.plan, [cell for row in rows for cell in row.cells]
    marks, badges = ({getattr(c, name) for c in cells} for name in ("standing_mark", "badge"))
    return TEXTS.say(
        "main",
        plan=plan,
        ranked=any(cell.ends for cell in cells),
        timed=any(cell.status == OK for cell in cells),
        moderated=any(cell.interval != cell.plain_interval for cell in results.cells),
        margin=MARGIN,
        marks={mark: standing for standing, mark in STANDING_MARKS.items() if mark in marks},
        took_less=any(row.took_less for row in results.rows),
        several_stacks=results.several_stacks,
        unsteady=sorted(badges - {"", DISTURBED}),
        disturbed=DISTURBED if DISTURBED in badges else "",
        accelerators=listed(list(results.accelerators), plan.accelerator),
        modes=_modes(plan.columns),
        of_all=of_all,
    )


def _modes(columns: Sequence[Column]) -> dict[str, list[str]]:
    """What "compiled" is, by mode: titles that do not say it, of a framework once where it has no
    other mode.
    """
    mode_of = {column: column.settings.get("mode") for column in columns}
    found: dict[str, dict[str, None]] = {}
    for column, mode in mode_of.items():
        if mode and mode not in column.title:
            one = {mode_of[c] for c in columns if c.framework == column.framework} == {mode}
            found.setdefault(mode, {})[column.framework_title if one else column.title] = None
    return {mode: list(titles) for mode, titles in found.items()}
