"""Sessions: one uninterrupted sitting of the job that measures a block, all columns of a row in a
round, on one machine. A block that was interrupted is resumed in another session.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from analysis.results.canaries import Around, Canary
from analysis.results.machine import Machine
from analysis.results.plan import RowKey


@dataclass(frozen=True)
class Session:
    """A session. `node` and `device` are salted digests: equal only within one results folder."""

    id: str
    row: RowKey
    round: int
    node: str
    device: str | None
    slot: int
    slots: int
    ended: str | None  # done, interrupted or killed; None of one that runs, or could not say
    machine: Machine
    canaries: dict[str, Around]  # by accelerator

    def around(self, accelerator: str) -> Around:
        """Its canaries on an accelerator; neither where none were to be measured there."""
        return self.canaries.get(accelerator, Around(None, None))


def canaries_of(sessions: Iterable[Session], accelerator: str) -> list[Canary]:
    """Every different canary on an accelerator, in the order of time: the one after a session may
    be the one before the next.
    """
    around = [session.around(accelerator) for session in sessions]
    found = [canary for each in around for canary in (each.before, each.after) if canary]
    different = {(canary.machine_id, canary.started_at): canary for canary in found}
    return sorted(different.values(), key=lambda canary: canary.started_at)


def by_node(sessions: Iterable[Session]) -> dict[str, list[Session]]:
    """The sessions of each node, in the order in which nodes come up."""
    found: dict[str, list[Session]] = {}
    for session in sessions:
        found.setdefault(session.node, []).append(session)
    return found
