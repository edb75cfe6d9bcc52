"""The sentences at the top: what this run shows, no stronger than its intervals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from analysis.caveats import Severity
from analysis.caveats.groups import Group
from analysis.comparisons.findings import Answer, findings
from analysis.data import Data
from analysis.formats.text import count, listed, ms, percent
from analysis.report.anchors import finding_anchor
from analysis.report.setting import coverage, machines, period
from analysis.results.cells import Cell
from analysis.results.results import Results
from analysis.results.rows import RowCells
from analysis.statistics.best_set import Standing, not_slower
from analysis.statistics.intervals import MARGIN
from analysis.topics import KeySentence, said

MOST = 5
FEW_ROWS = 2  # beyond this, rows are counted instead of described
# The questions in the order in which they are answered while there is room.
FINDINGS = ("keras3_over_keras2", "keras3_over_pytorch", "one_best_backend", "upgrade_alone")
# Topics with sentences of their own, in the order in which they speak.
TOPICS = ("cross_over", "native", "effects")


def key_sentences(results: Results, groups: Sequence[Group]) -> list[KeySentence]:
    """At most MOST: who is best, what settings change, how the families compare; at last where it
    was measured and what makes the numbers doubtful.
    """
    if not results.records:
        return [KeySentence(f"Nothing is measured yet: {coverage(results)}.", "table")]
    of_topics = said("key_sentences", Data(results))
    own = [sentence for name in TOPICS for sentence in of_topics.get(name, ())]
    found = [*_rows(results), *own, *_findings(results)]
    return [*found[: MOST - 1], _where(results, groups)]


def _rows(results: Results) -> list[KeySentence]:
    compared = [row for row in results.rows if len(row.measured) > 1]
    among = " on the same stack of library versions" if results.several_stacks else ""
    few = len(compared) <= FEW_ROWS
    texts = [_row(row, among) for row in compared] if few else [_counts(compared, among)]
    return [KeySentence(text, "table") for text in texts]


def _row(row: RowCells, among: str) -> str:
    """Who is best or equal in a row and who is undecided; where none was compared, the lowest and
    the highest time without calling any best. among: which columns compete, where not all do.
    """
    if not row.comparable:
        return (
            f"{row.row.label}: every time was disturbed by other work or not steady, so none is "
            "called best."
        )
    low, high = (choose(row.comparable, key=lambda cell: cell.step_ms) for choose in (min, max))
    span = (
        f"from {ms(low.step_ms)} ms on {low.column.title} to {ms(high.step_ms)} ms on "
        f"{high.column.title}"
    )
    if not not_slower(row.standings):
        return f"{row.row.label}: {span}; {_why_none_is_best(row)}, so none is called best."
    standings = [
        (standing, _titles(row, standing)) for standing in (Standing.BEST, Standing.UNDECIDED)
    ]
    parts = [f"{standing}{among}: {listed(titles)}" for standing, titles in standings if titles]
    if took_less := [cell.column.title for cell in _took_less(row)]:
        parts.append(f"not compared, since not steady: {listed(took_less)}")
    return f"{row.row.label}: {span}; {'; '.join(parts)}."


def _took_less(row: RowCells) -> list[Cell]:
    """Than every column that they compete with, in steps that were not steady."""
    found = []
    for cells in row.contestants:
        fastest = min((cell.step_ms for cell in cells if cell.comparable), default=0.0)
        unsteady = (cell for cell in cells if not (cell.comparable or cell.disturbed))
        found += [cell for cell in unsteady if cell.step_ms < fastest]
    return found


def _titles(row: RowCells, standing: Standing) -> list[str]:
    return [
        cell.column.title for cell in row.measured if row.standings[cell.column.name] is standing
    ]


def _why_none_is_best(row: RowCells) -> str:
    if len(row.comparable) < 2:
        return f"{count(len(row.comparable), 'column')} had a steady time that nothing disturbed"
    lowest = min(row.comparable, key=lambda cell: cell.step_ms)
    if len(lowest.ok_runs) == 1:
        return "the lowest steady time is from one run"
    return "no other shares two rounds with the lowest steady time"


def _counts(rows: list[RowCells], among: str) -> str:
    """How often each column is best or equal; stands for a sentence per row."""
    if not any(not_slower(row.standings) for row in rows):
        return (
            "No column is called best: that takes two columns in a row that are steady and "
            "undisturbed, and several runs of both."
        )
    titles = {cell.column.name: cell.column.title for row in rows for cell in row.cells}
    best = [
        {name for name, standing in row.standings.items() if standing is Standing.BEST}
        for row in rows
    ]
    wins = Counter(name for names in best for name in names)
    parts = [f"{title} in {wins[name]}" for name, title in titles.items() if wins[name]]
    left = sum(not names for names in best)
    open_rows = f"; in {left} no column is shown to be" if left else ""
    less = sum(bool(_took_less(row)) for row in rows)
    unsteady = f"; in {count(less, 'row')} a column that was not steady took less" if less else ""
    return (
        f"Best or equal, so that no other column{among} that is compared could be more than "
        f"{percent(MARGIN)} faster: {listed(parts)} of {count(len(rows), 'row')}{open_rows}"
        f"{unsteady}. More rows are no rank: the quieter a column, the more is shown of it."
    )


def _findings(results: Results) -> list[KeySentence]:
    found = {finding.id: finding for finding in findings(results)}
    return [
        KeySentence(found[name].statement, finding_anchor(name))
        for name in FINDINGS
        if found[name].verdict is not Answer.NOT_MEASURED
    ]


def _where(results: Results, groups: Sequence[Group]) -> KeySentence:
    plan = results.plan
    critical = [group.title for group in groups if group.severity is Severity.CRITICAL]
    text = (
        f"Measured at {plan.scale} scale on {machines(results)}, {period(results)}: "
        f"{coverage(results)}, {_runs(results)}; read with {count(len(groups), 'caveat')}, "
    )
    names = f": {listed([title[0].lower() + title[1:] for title in critical])}" if critical else ""
    return KeySentence(f"{text}{len(critical) or 'none'} of them critical{names}.", "caveats")


def _runs(results: Results) -> str:
    numbers = sorted({len(cell.ok_runs) for cell in results.cells if cell.ok_runs})
    return (
        f"each from {listed([str(number) for number in numbers])} "
        f"run{'s' if numbers != [1] else ''}"
    )
