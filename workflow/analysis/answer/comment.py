"""The answer as a comment in Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from analysis.answer.compute import POWER, Answer, RowAnswer, Status
from analysis.caveats.groups import Group
from analysis.comparisons.gains import change
from analysis.data import Data
from analysis.formats.text import NA, count, listed, markdown, ms, percent
from analysis.report.setting import machines, period
from analysis.statistics.intervals import Verdict

MOST_CAVEATS = 4
HEADER = ("Row", "Base, ms/step", "Patch, ms/step", "Rounds", "Time of the patch", "Verdict")
HEADER += ("Smallest slow-down that would show",)


def comment(
    answer: Answer, data: Data, groups: Sequence[Group], left_out: Sequence[str], report: str
) -> str:
    """The whole comment. left_out: rows that did not fit into the time. report: a link."""
    results = data.results
    base, new = results.plan.columns
    lines = [
        f"### Millistep: {_headline(answer)}",
        "",
        f"{markdown(new.title)} against {markdown(base.title)}, {results.plan.scale} scale, on "
        f"{markdown(machines(results))}, {period(results)}.",
        "",
        *_table(answer),
        "",
        _how_to_read(answer),
    ]
    if left_out:
        lines += [
            "",
            f"Not measured, since it did not fit into the time: {listed(list(left_out))}.",
        ]
    told = [group for group in groups if group.decides][:MOST_CAVEATS]
    if told:
        lines += ["", "What may change this answer:", ""]
        lines += [f"- {markdown(str(group))}" for group in told]
    where = f"[Report]({report}). " if report else ""
    lines += ["", f"{where}sha256 of plan and records: `{results.digest}`"]
    return "\n".join(lines) + "\n"


def _headline(answer: Answer) -> str:
    """What was shown, what is worst first."""
    threshold, rows = percent(answer.threshold), len(answer.rows)
    broken = [row for row in answer.rows if row.broken]
    parts = [f"does not run in {_labels(broken)}"] if broken else []
    for shown, words in (
        (Verdict.SLOWER, f"slower by more than {threshold}"),
        (Verdict.FASTER, f"faster by more than {threshold}"),
        (Verdict.SAME, f"the same within {threshold}"),
        (Verdict.AMBIGUOUS, "undecided"),
    ):
        if found := answer.of(shown):
            parts.append(f"{words} in {len(found)} of {count(rows, 'row')}")
    return f"the patch is {'; '.join(parts)}" if parts else "nothing could be compared"


def _labels(rows: list[RowAnswer]) -> str:
    return listed([markdown(row.base.row.label) for row in rows])


def _table(answer: Answer) -> list[str]:
    lines = [HEADER, tuple("---" for _ in HEADER), *map(_line, answer.rows)]
    return [f"| {' | '.join(line)} |" for line in lines]


def _line(row: RowAnswer) -> tuple[str, ...]:
    label = markdown(f"{row.base.row.title}, batch {row.base.row.batch_size}")
    times = tuple(ms(cell.step_ms) if cell.ok_runs else cell.status for cell in (row.base, row.new))
    if row.ratio is None:
        verdict = f"{'undecided: ' if row.runs else ''}{markdown(row.missing)}"
        return (label, *times, "0", NA, verdict, NA)
    ends = row.interval
    between = f" \\[{change(ends.low)}, {change(ends.high)}\\]" if ends else ""
    smallest = f"{change(row.smallest)}" if row.smallest else NA
    shown = change(row.ratio.value) + between
    return (label, *times, str(row.ratio.rounds), shown, _verdict(row), smallest)


def _verdict(row: RowAnswer) -> str:
    threshold = percent(row.threshold)
    words = {
        Verdict.SLOWER: f"**slower** by more than {threshold}",
        Verdict.FASTER: f"**faster** by more than {threshold}",
        Verdict.SAME: f"the same within {threshold}",
        Verdict.AMBIGUOUS: "undecided",
    }
    return words[row.verdict]


def _how_to_read(answer: Answer) -> str:
    over = [count(len(answer.rows), "row"), count(answer.looks, "look")]
    text = (
        f"95 % intervals of the time of the patch over that of the base, paired by round; those of "
        f"{listed(over)} hold at once. A slow-down of the size in the last column would have been "
        f"called slower in {percent(POWER)} of such runs."
    )
    if answer.status is Status.UNDECIDED and answer.of(Verdict.AMBIGUOUS):
        text += " Undecided is neither slower nor the same: more time would narrow the interval."
    return text


def as_json(answer: Answer, seconds: dict[str, float]) -> dict[str, Any]:
    """What the program that asks needs to go on: the status, and what one more round costs."""
    return {
        "schema": "millistep.answer/1",
        "status": int(answer.status),
        "decided": answer.decided,
        "seconds_of_a_round": seconds,
        "rows": [_row_json(row) for row in answer.rows],
    }


def _row_json(row: RowAnswer) -> dict[str, Any]:
    model, task, batch_size = row.base.row.key
    ends = row.interval
    return {
        "model": model,
        "task": task,
        "batch_size": batch_size,
        "ratio": row.ratio.value if row.ratio else None,
        "low": ends.low if ends else None,
        "high": ends.high if ends else None,
        "rounds": row.ratio.rounds if row.ratio else 0,
        "verdict": str(row.verdict),
        "smallest_shown": row.smallest,
        "missing": row.missing,
    }
