"""The machine card: facts about the machine, as the report prints them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Fact:
    """One line of the card; None where the machine does not report it."""

    name: str
    value: str | None


@dataclass(frozen=True)
class Section:
    """Facts under a heading."""

    title: str
    facts: tuple[Fact, ...]


@dataclass(frozen=True)
class MachineCard:
    """The card; `ids` are the machine.id of the records measured there, by accelerator."""

    ids: dict[str, str]
    collected_at: str
    sections: tuple[Section, ...]
