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

    @property
    def inside(self) -> list[str]:
        """What the runs were in, between them and the machine: a virtual machine, a container."""
        facts = {fact.name: fact.value or "" for of in self.sections for fact in of.facts}
        engine = facts.get("container", "")
        found = {
            "a virtual machine": facts.get("virtualisation", "").startswith("virtual machine"),
            f"a container ({engine})": engine not in ("", "none seen"),
        }
        return [what for what, seen in found.items() if seen]
