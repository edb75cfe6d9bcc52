"""What follows from the result: what was shown, what was not, and what would show it."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from operator import itemgetter
from pathlib import PurePosixPath

from analysis.comparisons.rounds import Undecided, seconds_of_a_round, undecided
from analysis.formats.text import count, listed, plain
from analysis.report.setting import as_yaml, runs_setting
from analysis.results.results import Results
from analysis.results.runs import STALE, Run
from analysis.statistics.best_set import Standing
from analysis.statistics.forecast import MOST_ROUNDS

SCHEMA = "millistep.conclusion/1"
# Rounds to ask for when one shows nothing: with fewer, intervals of a lone cell that has two
# modes of processes hold less often than others (benchmarks/README.md).
FIRST_GOAL = 5


@dataclass(frozen=True)
class MoreRounds:
    """How to measure more: the configuration's `runs` as YAML on one line, and `text`, the words
    that follow it, on what that measures.
    """

    runs: str
    text: str


@dataclass(frozen=True)
class Conclusion:
    """Sentences, and the rounds that would probably show more; None where none would."""

    sentences: tuple[str, ...]
    more: MoreRounds | None

    def to_json(self) -> str:
        """The content of the file that is printed on a terminal; see its schema."""
        more = asdict(self.more) if self.more else None
        sentences = [plain(sentence) for sentence in self.sentences]
        content = {"schema": SCHEMA, "sentences": sentences, "more_rounds": more}
        return json.dumps(content, indent=1) + "\n"


def conclusion(results: Results) -> Conclusion:
    """The conclusion from the table, as far as it was measured."""
    if not any(cell.ok_runs for cell in results.cells):
        return Conclusion(("Nothing is shown: no cell has a time.",), None)
    if not any(cell.interval for cell in results.cells):
        sentence = (
            "Nothing can be called best from one run: how much runs scatter is not known, so there "
            "is no interval."
        )
        return Conclusion((sentence,), _for_all(results))
    open_rows = undecided(results)
    sentences = (*_shown(results, open_rows), *_not_decided(open_rows))
    return Conclusion(sentences, _for_rows(results, open_rows))


def _shown(results: Results, open_rows: list[Undecided]) -> list[str]:
    """Say in how many rows every column that was compared is best or equal, or slower."""
    ranked = [
        row
        for row in results.rows
        if set(row.standings.values()) & {Standing.BEST, Standing.UNDECIDED}
    ]
    shown = len(ranked) - len(open_rows)
    rows = count(len(ranked), "row")
    found = [f"Decided for every column in {shown} of {rows}."] if ranked else []
    left = len(results.rows) - len(ranked)
    if left:
        found.append(
            f"In {count(left, 'row')} nothing was compared, for want of two columns with two "
            "rounds in common and steady steps that nothing disturbed."
        )
    return found


def _not_decided(open_rows: list[Undecided]) -> Iterator[str]:
    """Say 'Not decided in BERT fit and BERT predict; about 4 more rounds ...', a sentence for each
    outcome.
    """
    outcomes: dict[str, list[str]] = {}
    for found in open_rows:
        outcomes.setdefault(_outcome(found), []).append(found.row.row.label)
    return (f"Not decided in {listed(rows)}; {outcome}." for outcome, rows in outcomes.items())


def _outcome(found: Undecided) -> str:
    """What would decide a row: its columns are marked in the table."""
    if less := found.row.took_less:
        start = f"{listed([cell.column.title for cell in less])} took less and"
        if any(map(_to_be_measured, (run for cell in less for run in cell.runs))):
            return f"{start} cannot be compared yet"
        # a round is of one session: all of the row is measured again, or nothing is compared
        folder = PurePosixPath(less[0].runs[0].path).parents[1]
        again = "start again, which measures the row anew"
        return f"{start} could not be compared: remove {folder} and {again}"
    if found.needed is None:
        return f"even {MOST_ROUNDS} rounds would probably not place every column"
    more = count(found.needed - found.rounds, "more round")
    return f"about {more} would have an even chance or better of placing every column"


def _for_all(results: Results) -> MoreRounds | None:
    """More rounds of everything; None where it was asked for already and is not measured yet."""
    have = results.plan.runs
    if have >= FIRST_GOAL or _unfinished(results):
        return None
    more = FIRST_GOAL - have
    duration_s = more * sum(map(seconds_of_a_round, results.rows))
    return MoreRounds(str(FIRST_GOAL), _measures(more, duration_s, have, "everything"))


def _for_rows(results: Results, open_rows: list[Undecided]) -> MoreRounds | None:
    """More rounds of the rows that some number of them would decide: of the cheapest, which
    together take no longer than the whole table did, and of one at least.
    """
    if _unfinished(results):
        return None
    runs_of = results.plan.runs_by_row
    table_s = sum(runs_of[row.row.key] * seconds_of_a_round(row) for row in results.rows)
    needed, left, duration_s, most = {}, [], 0.0, 0
    for cost_s, found in sorted(_costs(open_rows), key=itemgetter(0)):
        if not needed or duration_s + cost_s <= table_s:
            needed[found.row.row.key] = found.needed
            duration_s, most = duration_s + cost_s, max(most, found.needed - found.rounds)
        else:
            left.append(found.row.row.label)
    if not needed:
        return None
    runs_of = {row: needed.get(row, runs) for row, runs in runs_of.items() if runs}
    text = _measures(most, duration_s, results.plan.runs, count(len(needed), "row"))
    if left:
        text += f"; not of {listed(left)}, with which it would take longer than the table did"
    return MoreRounds(as_yaml(runs_setting(runs_of, min(runs_of.values())), True), text)


def _costs(open_rows: list[Undecided]) -> list[tuple[float, Undecided]]:
    """Rows that some number of rounds would decide, with the seconds of those still missing."""
    return [
        ((found.needed - found.rounds) * seconds_of_a_round(found.row), found)
        for found in open_rows
        if found.needed is not None
    ]


def _measures(more: int, duration_s: float, have: int, what: str) -> str:
    """The words 'measures 2 more rounds of everything, about 38 min, and keeps this one'."""
    kept = "this one" if have == 1 else "what there is"
    rounds = f"{'' if what == 'everything' else 'up to '}{count(more, 'more round')}"
    return f"measures {rounds} of {what}, about {_duration(duration_s)}, and keeps {kept}"


def _duration(value_s: float) -> str:
    if value_s < 90:
        return f"{value_s:.0f} s"
    return f"{value_s / 60:.0f} min" if value_s < 5400 else f"{value_s / 3600:.1f} h"


def _unfinished(results: Results) -> bool:
    """True if a run of the plan has no record, or a stale one."""
    return any(_to_be_measured(run) for _, run in results.runs)


def _to_be_measured(run: Run) -> bool:
    return run.record is None or run.status == STALE
