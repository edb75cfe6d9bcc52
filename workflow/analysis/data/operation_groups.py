"""Operations of different libraries in groups, by the rules of operation_groups.yaml."""

import re
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
    OPTIMIZER = "optimizer"
    EMBEDDING = "embedding and gather"
    RANDOM = "random numbers"
    OTHER = "other"


@cache  # a record has a hundred names, a table as many again and again
def group_of(name: str) -> Group:
    """The group of an operation as a record names it: 'dot in query', 'aten::addmm'."""
    operation, _, place = name.rpartition(" in ")
    if not operation:
        operation, place = place, ""
    told = {"operation": operation, "place": place}
    for group, asked in rules():
        if all(expression.search(told[part]) for part, expression in asked.items()):
            return group
    return Group.OTHER


@cache
def rules() -> list[tuple[Group, dict[str, re.Pattern[str]]]]:
    """The rules, in the order in which they are tried: a group, and the expressions that are found
    in the `operation` and in the `place` of what belongs to it.
    """
    import yaml

    return [
        (
            Group(entry.pop("group")),
            {part: re.compile(text, re.IGNORECASE | re.VERBOSE) for part, text in entry.items()},
        )
        for entry in yaml.safe_load(RULES.read_text(encoding="utf-8"))
    ]
