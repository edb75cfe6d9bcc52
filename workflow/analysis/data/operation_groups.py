"""Operations of different libraries in groups, by the rules of operation_groups.yaml."""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

RULES = Path(__file__).with_name("operation_groups.yaml")


class Group(StrEnum):
    """What an operation does, in the order of tables and figures."""

    PRODUCTS = "matrix products and convolutions"
    ATTENTION = "attention"
    NORMALISATION = "normalisation"
    ELEMENTWISE = "elementwise"
    COPIES = "copies and casts"
    OPTIMISER = "optimiser"
    EMBEDDING = "embedding and gather"
    RANDOM = "random numbers"
    OTHER = "other"


@dataclass(frozen=True)
class Rule:
    """A rule of a group: operations of such names, in such places, belong to it."""

    group: Group
    operation: re.Pattern[str] | None
    place: re.Pattern[str] | None

    def fits(self, operation: str, place: str) -> bool:
        if self.operation and not self.operation.search(operation):
            return False
        return not self.place or bool(self.place.search(place))


@cache  # a record has a hundred names, a table as many again and again
def group_of(name: str) -> Group:
    """The group of an operation as a record names it: 'dot in query', 'aten::addmm'."""
    operation, _, place = name.rpartition(" in ")
    if not operation:
        operation, place = place, ""
    return next((rule.group for rule in rules() if rule.fits(operation, place)), Group.OTHER)


@cache
def rules() -> tuple[Rule, ...]:
    """The rules, in the order in which they are tried."""
    import yaml

    found = yaml.safe_load(RULES.read_text(encoding="utf-8"))
    return tuple(
        Rule(Group(entry["group"]), _expression(entry, "operation"), _expression(entry, "place"))
        for entry in found
    )


def _expression(entry: dict[str, str], key: str) -> re.Pattern[str] | None:
    text = entry.get(key)
    return re.compile(text, re.IGNORECASE | re.VERBOSE) if text else None
