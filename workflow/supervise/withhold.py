"""Make a record keep to its schema: what would break it is withheld, with the reason."""

import copy
from functools import cache
from typing import Any

from contract import ending
from supervise.schema import Place, Schema

NOTHING: tuple[list[Any] | None, ...] = (None, [])


class Unsayable(Exception):
    """A record that breaks its schema even without its numbers."""


def checked(record: dict[str, Any]) -> dict[str, Any]:
    """The record without what breaks its schema, and with the status that follows.

    The smallest part around each violation for which it is enough becomes null, or an empty list.
    Raises :class:`Unsayable`.
    """
    reasons: list[str] = []
    while violation := next(_schema().violations(record), None):
        place, problem = violation
        reasons.append(f"{'.'.join(map(str, place))}: {problem}")
        record = _without(record, place, reasons[-1])
    if not reasons:
        return record
    record = {**record, "withheld": [*reasons, *record.get("withheld", [])]}
    status, reason = ending.of_record(record)
    return {**record, "status": status, "reason": reason}


@cache
def _schema() -> Schema:
    return Schema("record")


def _without(record: dict[str, Any], place: Place, reason: str) -> dict[str, Any]:
    for depth in range(len(place), 0, -1):
        for nothing in NOTHING:
            smaller = copy.deepcopy(record)
            if _replaced(smaller, place[:depth], nothing) and not _breaks(smaller, place[:depth]):
                return smaller
    raise Unsayable(reason)


def _replaced(record: dict[str, Any], place: Place, nothing: list[Any] | None) -> bool:
    """Put null in a place, or an empty list in that of a list; False if nothing changed."""
    *above, last = place
    part: Any = record
    for step in above:
        part = part[step]
    before = part[last]
    if before == nothing or (nothing is not None and not isinstance(before, list)):
        return False
    part[last] = nothing
    return True


def _breaks(record: dict[str, Any], place: Place) -> bool:
    return any(found[: len(place)] == place for found, _ in _schema().violations(record))
