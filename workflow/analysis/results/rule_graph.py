"""The rules that made the results, in layers: each rule left of all that read its files."""

from __future__ import annotations

from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import Any

from analysis.formats.errors import InputError
from analysis.results.structure import build


@dataclass(frozen=True)
class Rule:
    """A rule: how many jobs it has, and the names of the rules whose files it reads."""

    name: str
    says: str
    jobs: int
    after: tuple[str, ...]


@dataclass(frozen=True)
class RuleGraph:
    """Rules in an order in which each comes after all that it needs."""

    rules: tuple[Rule, ...]

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> RuleGraph:
        """Build it from data that already passed the schema; raises :class:`InputError` where a
        rule is named twice, is missing, or needs itself.
        """
        found = build(cls, data).rules
        rules = {rule.name: rule for rule in found}
        if len(rules) < len(found):
            raise InputError("/rules: two rules have the same name")
        missing = {name for rule in rules.values() for name in rule.after} - rules.keys()
        if missing:
            raise InputError(f"/rules: there is no rule {min(missing)}, which another one needs")
        try:
            order = [*TopologicalSorter({rule.name: rule.after for rule in found}).static_order()]
        except CycleError as error:
            raise InputError(f"/rules: {' needs '.join(reversed(error.args[1]))}") from None
        return cls(tuple(rules[name] for name in order))

    @property
    def layers(self) -> list[list[Rule]]:
        """Layers from the first on: a rule stands in the one before the first that reads it."""
        steps_to_end: dict[str, int] = {}
        for rule in reversed(self.rules):
            place = steps_to_end.setdefault(rule.name, 0)
            for name in rule.after:
                steps_to_end[name] = max(steps_to_end.get(name, 0), place + 1)
        last = max(steps_to_end.values())
        return [
            [rule for rule in self.rules if steps_to_end[rule.name] == last - layer]
            for layer in range(last + 1)
        ]

    @property
    def arrows(self) -> list[tuple[str, str]]:
        """The arrows as ``(needed, rule)``, without those that follow from others."""
        reached: dict[str, set[str]] = {}
        found = []
        for rule in self.rules:
            through = set().union(*(reached[name] for name in rule.after))
            reached[rule.name] = through | {*rule.after}
            found += [(name, rule.name) for name in rule.after if name not in through]
        return found
