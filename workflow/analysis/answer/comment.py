"""The answer as a comment in Markdown, and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from analysis.answer.compute import POWER, Answer, RowAnswer, Status
from analysis.caveats.groups import Group
from analysis.comparisons.gains import change
from analysis.data import ROW, Data
from analysis.formats.spelling import within
from analysis.formats.text import NA, count, listed, markdown_code, ms, percent
from analysis.report.setting import machines, period
from analysis.statistics.intervals import Verdict, ends
from analysis.writing.rendering import template

MOST_CAVEATS = 4
WORDS = {
    Verdict.SLOWER: "slower by more than {}",
    Verdict.FASTER: "faster by more than {}",
    Verdict.SAME: "the same within {}",
    Verdict.AMBIGUOUS: "undecided",
}


def comment(
    answer: Answer, data: Data, groups: Sequence[Group], left_out: Sequence[str], report: str
) -> str:
    """The whole comment. left_out: rows of which more than the first round did not fit into the
    time, as 'bert/fit/8'. report: a link.
    """
    results = data.results
    base, new = results.plan.columns
    over = [count(len(answer.rows), "row"), count(answer.looks, "look")]
    text = template("answer.md.j2").render(
        headline=_headline(answer),
        pair=f"{new.title} against {base.title}",
        where=f"{results.plan.scale} scale, on {machines(results)}",
        period=period(results),
        rows=list(map(_line, answer.rows)),
        over=listed(over),
        power=percent(POWER),
        undecided=answer.status is Status.UNDECIDED and bool(answer.of(Verdict.AMBIGUOUS)),
        left_out=listed(list(left_out)) if left_out else "",
        told=[str(group) for group in groups if group.decides][:MOST_CAVEATS],
        report=report,
        digest=results.digest,
    )
    return f"{text}\n"


def _headline(answer: Answer) -> str:
    """The headline: what was shown, the worst first."""
    broken = [row.base.row.label for row in answer.rows if row.broken]
    of_rows = f"of {count(len(answer.rows), 'row')}"
    shown = [
        f"{words.format(percent(answer.threshold))} in {len(found)} {of_rows}"
        for verdict, words in WORDS.items()
        if (found := answer.of(verdict))
    ]
    parts = [f"does not run in {listed(broken)}"] if broken else []
    parts += [f"is {'; '.join(shown)}"] if shown else []
    return f"the patch {'; '.join(parts)}" if parts else "nothing could be compared"


def _line(row: RowAnswer) -> dict[str, Any]:
    """A line of the table; `bold` is the first word of a decided verdict, `verdict` the rest."""
    texts: dict[str, Any] = {
        "label": row.base.row.heading,
        "times": [c.status if c.step_ms is None else ms(c.step_ms) for c in (row.base, row.new)],
    }
    if row.ratio is None:
        # as code: whatever failed has words of its own, in which nobody is called
        verdict = Markup(f"{'undecided: ' if row.runs else ''}{markdown_code(row.missing)}")
        return texts | {"rounds": 0, "change": NA, "bold": "", "verdict": verdict, "smallest": NA}
    words = WORDS[row.verdict].format(percent(row.threshold))
    decided = row.verdict in (Verdict.SLOWER, Verdict.FASTER)
    bold, _, rest = words.partition(" ") if decided else ("", "", words)
    return texts | {
        "rounds": row.ratio.rounds,
        "change": within(row.ratio.value, *ends(row.interval), change),
        "bold": bold,
        "verdict": rest,
        "smallest": change(row.smallest) if row.smallest else NA,
    }


def as_json(answer: Answer, seconds: dict[str, float]) -> dict[str, Any]:
    """The answer for a program, which needs the status and the cost of a round to go on."""
    return {
        "schema": "millistep.answer/1",
        "status": int(answer.status),
        "decided": answer.decided,
        "seconds_of_a_round": seconds,
        "rows": [_row_json(row) for row in answer.rows],
    }


def _row_json(row: RowAnswer) -> dict[str, Any]:
    low, high = ends(row.interval)
    return dict(zip(ROW, row.base.row.key, strict=True)) | {
        "ratio": row.ratio and row.ratio.value,
        "low": low,
        "high": high,
        "rounds": row.ratio.rounds if row.ratio else 0,
        "verdict": str(row.verdict),
        "smallest_shown": row.smallest,
        "missing": row.missing,
    }
