"""The sentences at the top: what this run shows, no stronger than its intervals. What shows nothing
yet is left out.
"""

from collections import Counter
from collections.abc import Iterator

from analysis.comparisons.findings import Answer, Finding, findings
from analysis.data import Data
from analysis.formats.spelling import within
from analysis.formats.text import count, listed, ms, percent
from analysis.report.setting import coverage, machines, nothing, period
from analysis.results.cells import cell_ratio, contest
from analysis.results.results import Results
from analysis.results.rows import RowCells
from analysis.statistics.best_set import Standing, not_slower, shown_slower_of
from analysis.statistics.intervals import MARGIN, Verdict, ends
from analysis.topics import KeySentence, said

MOST = 5
FEW_ROWS = 2  # beyond this, rows are counted instead of described
# The questions in the order in which they are answered while there is room.
FINDINGS = ("keras3_over_keras2", "keras3_over_pytorch", "one_best_backend", "upgrade_alone")
# Topics with sentences of their own, in the order in which they speak.
TOPICS = ("cross_over", "native", "effects")
DECIDED = {Verdict.FASTER, Verdict.SLOWER}


def key_sentences(results: Results) -> list[KeySentence]:
    """Return at most MOST sentences: who is best and who is slower, what settings change, how the
    families compare; the last one says where it was measured.
    """
    if not results.records:
        return [KeySentence(f"{nothing(results)}; {coverage(results)}.", "#table")]
    of_topics = said("key_sentences", Data(results))
    own = [sentence for name in TOPICS for sentence in of_topics.get(name, ())]
    found = [*_rows(results), *own, *_findings(results)]
    return [*found[: MOST - 1], _where(results)]


def _rows(results: Results) -> Iterator[KeySentence]:
    compared = [row for row in results.rows if len(row.measured) > 1]
    among = " on the same stack of library versions" if results.several_stacks else ""
    if len(compared) <= FEW_ROWS:
        texts = [row_sentence(row, among) for row in compared]
    elif any(row.comparable for row in compared):
        texts = [*_best(compared, among), *_slower(compared)]
    else:
        texts = [
            f"In none of {count(len(compared), 'row')} could anything be compared: every time was "
            "disturbed by other work or not steady."
        ]
    yield from (KeySentence(text, "#table") for text in texts)


def row_sentence(row: RowCells, among: str = "") -> str:
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
    if row.took_less:
        titles = listed([cell.column.title for cell in row.took_less])
        parts.append(f"{titles} took less and could not be compared")
    return f"{row.row.label}: {span}; {'; '.join(parts)}."


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


def _best(rows: list[RowCells], among: str) -> Iterator[str]:
    """The sentence on how often each column is best or equal, instead of one per row."""
    wins = Counter(title for row in rows for title in _titles(row, Standing.BEST))
    if not wins:
        return
    left = [row for row in rows if Standing.BEST not in row.standings.values()]
    none = f"; none in {count(len(left), 'row')}" if left else ""
    less = sum(bool(row.took_less) for row in left)
    why = f", {less} of them for a column that took less and could not be compared" if less else ""
    yield (
        f"Best or equal (no other that is compared{among} could be more than {percent(MARGIN)} "
        f"faster): {_in_rows(wins)} of {count(len(rows), 'row')}{none}{why}."
    )


def _slower(rows: list[RowCells]) -> Iterator[str]:
    """How often each column is significantly slower than the fastest, corrected for all rows since
    it is said of them together, and by how much where that is most, with an interval that holds for
    whichever of them that is.
    """
    fields = [{cell.column.name: cell for cell in cells} for r in rows for cells in r.contestants]
    contests = [contest(field.values()) for field in fields]
    behind = [
        (field[name], field[held.fastest])
        for field, held, names in zip(fields, contests, shown_slower_of(contests), strict=True)
        for name in field
        if name in names
    ]
    if not behind:
        return
    slow, fast = max(behind, key=lambda pair: cell_ratio(*pair).value)
    ratio = cell_ratio(slow, fast)
    longer = within(ratio.value, *ends(ratio.together(len(behind))))
    by_row = sum(standing is Standing.SLOWER for r in rows for standing in r.standings.values())
    cells = count(len(behind), "cell")
    whose = ", by an interval for whichever cell is the slowest" if len(behind) > 1 else ""
    alone = f" ({cells}; the table, which corrects each row by itself, marks {by_row})"
    yield (
        "Significantly slower than the fastest of its row, corrected for all rows: "
        f"{_in_rows(Counter(cell.column.title for cell, _ in behind))} of "
        f"{count(len(rows), 'row')}{alone if by_row > len(behind) else ''}; for example in "
        f"{slow.row.label}, where {slow.column.title} takes {longer} the time of "
        f"{fast.column.title}{whose}."
    )


def _in_rows(counts: Counter[str]) -> str:
    return listed([f"{title} in {number}" for title, number in counts.most_common()])


def _findings(results: Results) -> list[KeySentence]:
    found = {finding.id: finding for finding in findings(results)}
    return [
        KeySentence(found[name].statement, f"#finding-{name}")
        for name in FINDINGS
        if _decided(found[name])
    ]


def _decided(finding: Finding) -> bool:
    """True if the question is answered, or at least decided in some row."""
    verdicts = finding.numbers.get("verdicts", {}).values()
    return finding.verdict in (Answer.YES, Answer.NO) or bool(DECIDED & {*verdicts})


def _where(results: Results) -> KeySentence:
    plan = results.plan
    return KeySentence(
        f"Measured at {plan.scale} scale on {machines(results)}, {period(results)}: "
        f"{coverage(results)}, {_runs(results)}.",
        "#run",
    )


def _runs(results: Results) -> str:
    fewest, *more = sorted({len(cell.ok_runs) for cell in results.cells if cell.ok_runs})
    return f"each from {fewest} to {more[-1]} runs" if more else f"each from {count(fewest, 'run')}"
