"""A published claim, read from reference/claims.yaml, and the conditions that it was made under."""

from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.claims.claim_tests import CONDITIONS, TESTS
from analysis.claims.conditions import Differences, differences, of_releases, without_conditions
from analysis.formats.errors import InputError
from analysis.results.cells import Cell
from analysis.results.reference import REFERENCE, Reference
from analysis.results.results import Results
from contract.report_contents import is_there

ROW_KEYS = ("model", "task")  # parameters that name the rows of a claim


@dataclass(frozen=True)
class Claim:
    """A published claim: its text, its source, and the reading of it that can be tested."""

    id: str
    text: str
    by: str
    url: str | None
    on_page: bool  # true if the published page says it
    revision: str | None  # of the published table, where the claim is about that
    reading: str
    kind: str
    parameters: dict[str, Any]

    def differences(self, results: Results, reference: Reference) -> Differences:
        """The differences between a run and the conditions that the claim was made under."""
        if own := CONDITIONS.get(self.kind):
            return own(results, reference, self.parameters)
        if self.revision:
            return differences(results, reference, self._cells(results))
        if self.on_page:
            return of_releases(results, reference)
        return without_conditions(results, reference)

    def rows(self, results: Results) -> Counter[tuple[str, str]]:
        """How many rows of each model and task compare all columns that the claim is about."""
        compared = defaultdict(set)
        for cell in self._cells(results):
            if cell.comparable:
                compared[cell.row.key] |= self._columns & {cell.column.name, cell.column.family}
        return Counter(row[:2] for row, of in compared.items() if of == self._columns)

    @property
    def _columns(self) -> set[str]:
        """The families or columns that it compares; Keras 3 where it names none."""
        return {self.parameters.get(name, "keras3") for name in ("new", "base")}

    def _is_about(self, row: dict[str, str]) -> bool:
        return all(self.parameters.get(key) in (None, value) for key, value in row.items())

    def _cells(self, results: Results) -> list[Cell]:
        """The cells that the claim is about: the plain columns of its families, else of Keras 3, in
        its rows.
        """
        return [
            cell
            for row in results.rows
            if self._is_about({key: getattr(row.row, key) for key in ROW_KEYS})
            for cell in row.plain
            if self._columns & {cell.column.name, cell.column.family}
        ]


def load_claims(folder: Path = REFERENCE) -> list[Claim]:
    """Read claims.yaml."""
    import yaml

    path = folder / "claims.yaml"
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
        entries = [entry for entry in data["claims"] if _is_asked(entry)]
        claims = [_claim(entry, data["sources"]) for entry in entries]
        unknown = [claim.kind for claim in claims if claim.kind not in TESTS]
    except (KeyError, TypeError, ValueError, yaml.YAMLError) as error:
        raise InputError(f"{path}: {' '.join(str(error).split())}") from None
    if unknown:
        raise InputError(f"{path}: /kind: no test {unknown[0]!r} (allowed: {', '.join(TESTS)})")
    return claims


def _is_asked(entry: dict[str, Any]) -> bool:
    """True unless the topic that tests this claim was taken out."""
    return "topic" not in entry or is_there(f"topics.{entry['topic']}.claims")


def _claim(entry: dict[str, Any], sources: dict[str, Any]) -> Claim:
    own = ("id", "text", "reading", "kind")
    source = sources[entry["source"]]
    return Claim(
        **{name: entry[name] for name in own},
        by=source["title"],
        url=source["url"],
        on_page=entry["source"] == "page",
        revision=entry.get("revision"),
        parameters={
            k: v for k, v in entry.items() if k not in (*own, "source", "revision", "topic")
        },
    )
