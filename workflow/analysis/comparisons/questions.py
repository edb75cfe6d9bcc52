"""Which columns differ in one thing, and the question that this answers.

Two columns are a pair when they are of one framework and differ in exactly one setting; or when one
framework's registry names the other, and all settings that both take are equal (what only one of
them takes, such as the mode of a compiler, is part of what it is). Where columns differ in nothing
but the values of one setting, one of them is the base, and each other value stands against it: k
values give k - 1 questions and not all pairs, so that every ratio of a section has the same base.
"""

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from analysis.formats.text import listed
from analysis.results.plan import Column
from contract.settings import SETTINGS, said, spelled

FRAMEWORK, STACK = "framework", "stack"


@dataclass(frozen=True)
class Pair:
    """Two columns that differ in one thing; `base` is the one without it."""

    base: Column
    new: Column


@dataclass(frozen=True)
class Question:
    """All pairs that differ in the same way: in `setting` (or the framework), from `base` to
    `new`, as these are printed.
    """

    text: str
    setting: str
    base: str
    new: str
    pairs: tuple[Pair, ...]


def questions(columns: Sequence[Column]) -> list[Question]:
    """The questions about frameworks, then those about settings, in the order of the columns."""
    different = _different(columns)
    groups: dict[tuple[str, str, str], list[Pair]] = {}
    for setting, pair in (*_of_frameworks(different), *_of_settings(different)):
        ends = (_spelled(column, setting) for column in (pair.base, pair.new))
        groups.setdefault((setting, *ends), []).append(pair)
    return [
        Question(_text(setting, pairs[0]), setting, base, new, tuple(pairs))
        for (setting, base, new), pairs in groups.items()
    ]


def _different(columns: Sequence[Column]) -> list[Column]:
    """The columns without those whose settings equal an earlier one's, written otherwise."""
    found: dict[str, Column] = {}
    for column in columns:
        found.setdefault(_key((column.framework, column.settings)), column)
    return list(found.values())


def _of_frameworks(columns: Sequence[Column]) -> Iterable[tuple[str, Pair]]:
    for new in columns:
        for base in columns:
            if base.framework in new.against and not differing_settings(base, new):
                yield FRAMEWORK, Pair(base, new)


def differing_settings(one: Column, other: Column) -> list[str]:
    """The settings that both columns take and that have different values."""
    return [
        setting
        for setting, value in one.settings.items()
        if setting in other.settings and other.settings[setting] != value
    ]


def differ_only_in(one: Column, other: Column, settings: Collection[str]) -> bool:
    """True if two columns of one framework differ in nothing but one of these settings."""
    differing = differing_settings(one, other)
    return one.framework == other.framework and len(differing) == 1 and differing[0] in settings


def _of_settings(columns: Sequence[Column]) -> Iterable[tuple[str, Pair]]:
    for setting in dict.fromkeys(name for column in columns for name in column.settings):
        alike: dict[str, list[Column]] = {}
        for column in columns:
            if setting in column.settings:
                others = {**column.settings, setting: None}
                alike.setdefault(_key((column.framework, others)), []).append(column)
        for group in alike.values():
            base = min(group, key=lambda column: _rank(setting, column))
            yield from ((setting, Pair(base, new)) for new in group if new is not base)


def _rank(setting: str, column: Column) -> tuple[Any, int]:
    """A sort key; the lowest is the base, of equal ones the first: the processor, the older stack,
    the fewest packages put over it; else the framework's own default, not shown in its name.
    """
    value = column.settings[setting]
    order = {"accelerator": value != "cpu", STACK: value}
    if setting == "overlay":
        order["overlay"] = len(value)
    return order.get(setting, 0), column.name.count("+")


def _spelled(column: Column, setting: str) -> str:
    """A setting's value, or the framework, as the report prints it."""
    value = column.framework if setting == FRAMEWORK else column.settings[setting]
    return listed(list(value)) if isinstance(value, (list, tuple)) else spelled(value)


def _text(setting: str, pair: Pair) -> str:
    """The question, which is the heading of a section."""
    if setting == FRAMEWORK:
        return pair.new.against[pair.base.framework]
    base, new = pair.base.settings[setting], pair.new.settings[setting]
    if setting == "overlay":
        return _of_overlays(base, new)
    if setting in SETTINGS:
        return said(setting, new, base)["question"]
    return f"What does {setting} {_spelled(pair.new, setting)} change?"


def _of_overlays(base: list[str], new: list[str]) -> str:
    """The question about two overlays, as 'What does diffusers 0.25.0 change after 0.3.0?'."""
    names = [title.split(" ") for title in (*base, *new)]
    if len(base) == len(new) == 1 and {len(name) for name in names} == {2}:
        (name, version), (other, newer) = names
        if name == other:
            return f"What does {name} {newer} change after {version}?"
    added = [title for title in new if title not in base]
    removed = [title for title in base if title not in new]
    if len(added) == 1 and not removed and " " in added[0]:  # a package with its version
        return f"What does {added[0]} change?"
    instead = f" instead of {listed(removed)}" if removed else ""
    return f"What does this patch change: {listed(added)}{instead}?"


def _key(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
