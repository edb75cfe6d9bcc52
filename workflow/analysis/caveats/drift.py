"""Drift of the machine, as the canaries before and after each session show it. Each accelerator is
judged by fixed work on itself: a processor by work on the processor, and so is each GPU.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from heapq import nlargest

from analysis.caveats.core import MOST, Found, label, places, rule
from analysis.data import Data
from analysis.formats.text import count, listed, percent
from analysis.results.canaries import Around, Canary
from analysis.results.cells import Cell
from analysis.results.results import Results
from analysis.results.runs import Run
from analysis.results.sessions import Session
from analysis.statistics.intervals import MARGIN

Runs = list[tuple[Cell, Run]]


@dataclass(frozen=True, eq=False)
class Measured:
    """The runs of a session on one accelerator, between its canaries there."""

    session: Session
    name: str  # 'BERT fit round 2'
    runs: Runs
    around: Around

    @property
    def key(self) -> str:
        """The session's name in evidence: 'bert/fit-b8/round2/0a1b2c3d4e5f'."""
        model, task, batch_size = self.session.row
        return f"{model}/{task}-b{batch_size}/round{self.session.round}/{self.session.id}"

    @property
    def useless(self) -> str:
        """Why its canaries cannot stand for its runs; empty where they can."""
        times = {"before": self.around.before, "after": self.around.after}
        found = [(when, self._why(canary)) for when, canary in times.items()]
        return " and ".join(f"the one {when} it {why}" for when, why in found if why)

    def _why(self, canary: Canary | None) -> str:
        records = [run.record for _, run in self.runs]
        if canary is None:
            return "was not measured"
        if not canary.ok:
            return f"ended as {canary.status}: {canary.reason}"
        if canary.machine_id not in {record.machine.id for record in records}:
            return "was measured on another machine than the records"
        if canary.disturbed and all(record.cell.accelerator == "cpu" for record in records):
            share = percent(canary.foreign_cpu_share)
            return f"was disturbed: others used {share} of the processors"
        return ""

    @property
    def drifted(self) -> dict[str, float]:
        return {} if self.useless else self.around.drifted


@rule
def session_drifted(data: Data) -> Iterator[Found]:
    """Sessions in which fixed work took a different time afterwards than before."""
    for accelerator in data.results.accelerators:
        sessions, _ = measured_on(data.results, accelerator)
        drifted = [found for found in sessions if found.drifted]
        worst = nlargest(MOST, drifted, key=lambda found: found.around.most)
        details = [
            f"{found.name}: "
            + listed([f"{work} {percent(r - 1, signed=True)}" for work, r in found.drifted.items()])
            for found in drifted
            if found in worst
        ]
        evidence = {
            "accelerator": accelerator,
            "time_after_over_before": {found.key: found.drifted for found in drifted},
            "sessions": len(sessions),
            "threshold": MARGIN,
        }
        words = {"drifted": len(drifted), "details": details, "more": _more(drifted)}
        words["device"] = _where(data.results, accelerator)
        yield Found(_cells(drifted), evidence, words)


@rule
def drift_unknown(data: Data) -> Iterator[Found]:
    """Sessions that lack a successful canary before or after them, and runs without a session."""
    results = data.results
    for accelerator in results.accelerators:
        sessions, alone = measured_on(results, accelerator)
        words = {"parts": [], "device": _where(results, accelerator)}
        cells = _cells(sessions, alone)
        if cells and all(found.around == Around(None, None) for found in sessions):
            several = len(results.accelerators) > 1
            evidence = {"accelerator": accelerator, "canaries": 0}
            yield Found(cells if several else None, evidence, words)
            continue
        unknown = {found.key: found for found in sessions if found.useless}
        if unknown:
            first = [f"{found.name}: {found.useless}" for found in [*unknown.values()][:MOST]]
            words["parts"].append(
                f"{len(unknown)} of {count(len(sessions), 'session')}{words['device']} (of their "
                f"canaries, {'; '.join(first)}{_more(unknown)})"
            )
        if alone:
            words["parts"].append(
                f"{count(len(alone), 'run')}{words['device']} of which no session is kept "
                f"({places(_cells((), alone), rows=results.rows)})"
            )
        evidence = {
            "accelerator": accelerator,
            "sessions": {key: found.useless for key, found in unknown.items()},
            "runs": [f"{label(cell)}/run{run.number}" for cell, run in alone],
        }
        yield Found(_cells(unknown.values(), alone), evidence, words)


def measured_on(results: Results, accelerator: str) -> tuple[list[Measured], Runs]:
    """The sessions in which runs that count were measured on an accelerator, and the runs there
    that count but whose session is not kept.
    """
    of: dict[str, Runs] = {}
    for cell, run in results.runs:
        if run.ok and (cell.column.accelerator or results.plan.accelerator) == accelerator:
            of.setdefault(run.sitting.session, []).append((cell, run))
    found = []
    for session in results.sessions:
        if runs := of.pop(session.id, None):
            node = f" on node {session.node}" if len(results.machine_cards) > 1 else ""
            name = f"{runs[0][0].row.label} round {session.round}{node}"
            found.append(Measured(session, name, runs, session.around(accelerator)))
    return found, [pair for runs in of.values() for pair in runs]


def _where(results: Results, accelerator: str) -> str:
    """The accelerator that is meant, in words; empty where there is only one."""
    return f" on {accelerator}" if len(results.accelerators) > 1 else ""


def _more(found: list[Measured] | dict[str, Measured]) -> str:
    return f"; and {len(found) - MOST} more" if len(found) > MOST else ""


def _cells(found: Iterable[Measured], alone: Runs = ()) -> tuple[Cell, ...]:
    """The cells concerned, each once."""
    runs = [pair for each in found for pair in each.runs]
    return tuple(dict.fromkeys(cell for cell, _ in [*runs, *alone]))
