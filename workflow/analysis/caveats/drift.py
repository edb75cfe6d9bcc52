"""Whether the machine drifted: the canaries before and after each session, of each accelerator by
itself. What runs on a processor is judged by work on the processor, and so is each GPU.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from heapq import nlargest

from analysis.caveats.core import MOST, Found, label, places, rule
from analysis.data import Data
from analysis.formats.text import count, listed, percent, signed_percent
from analysis.results.canaries import Around, Canary
from analysis.results.cells import Cell
from analysis.results.results import Results
from analysis.results.runs import Run
from analysis.results.sessions import Session
from analysis.statistics.intervals import MARGIN


@dataclass(frozen=True, eq=False)  # serves as a key
class Measured:
    """What a session measured on one accelerator, between its canaries there."""

    session: Session
    name: str  # 'BERT fit round 2'
    runs: tuple[tuple[Cell, Run], ...]
    around: Around

    @property
    def cells(self) -> list[Cell]:
        return [cell for cell, _ in self.runs]

    @property
    def useless(self) -> str:
        """Why its canaries cannot stand for its runs; empty where they can."""
        machines = {run.record.machine.id for _, run in self.runs}
        cpu = all(run.record.cell.accelerator == "cpu" for _, run in self.runs)
        of_times = (("before", self.around.before), ("after", self.around.after))
        found = [
            f"the one {when} it {why}" for when, c in of_times if (why := _why(c, machines, cpu))
        ]
        return " and ".join(found)

    @property
    def drifted(self) -> dict[str, float]:
        return {} if self.useless else self.around.drifted


def _why(canary: Canary | None, machines: set[str], cpu: bool) -> str:
    if canary is None:
        return "was not measured"
    if not canary.ok:
        return f"ended as {canary.status}: {canary.reason}"
    if canary.machine_id not in machines:
        return "was measured on another machine than the records"
    if cpu and canary.disturbed:
        return f"was disturbed: others used {percent(canary.foreign_cpu_share)} of the processors"
    return ""


@rule
def session_drifted(data: Data) -> Iterator[Found]:
    """Sessions in which fixed work took another time afterwards than before."""
    results = data.results
    for accelerator in results.accelerators:
        sessions, _ = _on(results, accelerator)
        drifted = [found for found in sessions if found.drifted]
        worst = nlargest(MOST, drifted, key=_size)
        changes = {
            found.name: listed([_change(*item) for item in found.drifted.items()])
            for found in drifted
            if found in worst
        }
        evidence = {
            "accelerator": accelerator,
            "time_after_over_before": {_key(found): found.drifted for found in drifted},
            "sessions": len(sessions),
            "threshold": MARGIN,
        }
        words = {"drifted": len(drifted), "device": _where(results, accelerator)}
        words["details"] = [f"{name}: {change}" for name, change in changes.items()]
        yield Found(_cells(drifted), evidence, {**words, "more": _more(drifted)})


def _size(found: Measured) -> float:
    return max(max(ratio, 1 / ratio) for ratio in found.drifted.values())


def _change(work: str, ratio: float) -> str:
    return f"{work} {signed_percent(ratio - 1)}"


@rule
def drift_unknown(data: Data) -> Iterator[Found]:
    """Sessions that lack a successful canary before or after them, and runs without a session."""
    results = data.results
    for accelerator in results.accelerators:
        sessions, alone = _on(results, accelerator)
        where = _where(results, accelerator)
        if (sessions or alone) and all(each.around == Around(None, None) for each in sessions):
            sentence = (
                f"No fixed work was timed between the runs{where}: nothing shows whether the "
                "machine drifted."
            )
            cells = _cells(sessions, alone) if len(results.accelerators) > 1 else None
            evidence = {"accelerator": accelerator, "canaries": 0}
            yield Found(cells, evidence, {"sentence": sentence})
            continue
        unknown = {found: why for found in sessions if (why := found.useless)}
        parts = []
        if unknown:
            reasons = "; ".join(f"{found.name}: {why}" for found, why in [*unknown.items()][:MOST])
            parts.append(
                f"{len(unknown)} of {count(len(sessions), 'session')}{where} (of their canaries, "
                f"{reasons}{_more(unknown)})"
            )
        if alone:
            cells = list(dict.fromkeys(cell for cell, _ in alone))
            parts.append(
                f"{count(len(alone), 'run')}{where} of which no session is kept "
                f"({places(cells, rows=results.rows)})"
            )
        evidence = {
            "accelerator": accelerator,
            "sessions": {_key(found): why for found, why in unknown.items()},
            "runs": [f"{label(cell)}/run{run.number}" for cell, run in alone],
        }
        sentence = f"Whether the machine drifted is not known for {listed(parts)}."
        yield Found(_cells(unknown, alone), evidence, {"sentence": sentence})


def _on(results: Results, accelerator: str) -> tuple[list[Measured], list[tuple[Cell, Run]]]:
    """Sessions in which runs that count were measured on an accelerator, and such runs of which no
    session is kept.
    """
    sessions = {session.id: session for session in results.sessions}
    of: dict[str, list[tuple[Cell, Run]]] = {}
    for cell, run in results.runs:
        if run.ok and (cell.column.accelerator or results.plan.accelerator) == accelerator:
            of.setdefault(run.sitting.session, []).append((cell, run))
    alone = [pair for name, runs in of.items() if name not in sessions for pair in runs]
    found = [
        Measured(
            session,
            _name(session, of[session.id][0][0], len(results.machine_cards) > 1),
            tuple(of[session.id]),
            session.canaries.get(accelerator, Around(None, None)),
        )
        for session in results.sessions
        if session.id in of
    ]
    return found, alone


def _name(session: Session, cell: Cell, several_nodes: bool) -> str:
    node = f" on node {session.node}" if several_nodes else ""
    return f"{cell.row.label} round {session.round}{node}"


def _key(found: Measured) -> str:
    """Of a session in evidence: 'bert/fit-b8/round2/0a1b2c3d4e5f'."""
    model, task, batch_size = found.session.row
    return f"{model}/{task}-b{batch_size}/round{found.session.round}/{found.session.id}"


def _where(results: Results, accelerator: str) -> str:
    """Which accelerator is meant, where there are several."""
    return f" on {accelerator}" if len(results.accelerators) > 1 else ""


def _more(found: list[Measured] | dict[Measured, str]) -> str:
    return f"; and {len(found) - MOST} more" if len(found) > MOST else ""


def _cells(found: Iterable[Measured], alone: Iterable[tuple[Cell, Run]] = ()) -> tuple[Cell, ...]:
    """The cells concerned, each once."""
    cells = [cell for each in found for cell in each.cells]
    return tuple(dict.fromkeys([*cells, *(cell for cell, _ in alone)]))
