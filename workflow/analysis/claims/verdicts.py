"""What this run shows of every published claim, only as strong as its intervals allow.

A claim names its test, a small function from results to what was found. The verdict follows from
that and from whether the run can be compared with what the claim is about. The same tests, asked of
the published table, say whether a claim's own numbers bear it out.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from analysis.cells import Results
from analysis.claims.checks import TESTS, Outcome
from analysis.errors import InputError
from analysis.judged import published_results
from analysis.reference import REFERENCE, Reference
from analysis.text import listed

PAPER = "paper"


class ClaimResult(StrEnum):
    """What this run shows of a claim."""

    REPRODUCED = "reproduced"
    NOT_REPRODUCED = "not reproduced"
    NOT_COMPARABLE = "not comparable"
    NOT_TESTED = "not tested"


@dataclass(frozen=True)
class Claim:
    """A published claim: its words, where they stand, and how it is read so that it can be
    tested.
    """

    id: str
    text: str
    by: str
    url: str | None
    revision: str | None  # of the published table that it is about; None when it is not
    reading: str
    kind: str
    parameters: dict[str, Any]


@dataclass(frozen=True)
class ClaimVerdict:
    """A claim judged. `published` is what the published table shows by the same test."""

    id: str
    text: str
    by: str
    url: str | None
    reading: str
    verdict: ClaimResult
    why: str
    published: str
    evidence: dict[str, Any]


def judge(results: Results, reference: Reference, folder: Path = REFERENCE) -> list[ClaimVerdict]:
    """Every claim of reference/claims.yaml, in its order."""
    return [_judged(claim, results, reference) for claim in load_claims(folder)]


def load_claims(folder: Path = REFERENCE) -> list[Claim]:
    """Read claims.yaml."""
    import yaml

    path = folder / "claims.yaml"
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
        claims = [_claim(entry, data["sources"]) for entry in data["claims"]]
        unknown = [claim.kind for claim in claims if claim.kind not in TESTS]
    except (KeyError, TypeError, ValueError, yaml.YAMLError) as error:
        raise InputError(f"{path}: {' '.join(str(error).split())}") from None
    if unknown:
        raise InputError(f"{path}: /kind: no test {unknown[0]!r} (allowed: {', '.join(TESTS)})")
    return claims


def _claim(entry: dict[str, Any], sources: dict[str, Any]) -> Claim:
    own = ("id", "text", "reading", "kind")
    source = sources[entry["source"]]
    return Claim(
        **{name: entry[name] for name in own},
        by=source["title"],
        url=source["url"],
        revision=entry.get("revision"),
        parameters={k: v for k, v in entry.items() if k not in (*own, "source", "revision")},
    )


def _judged(claim: Claim, results: Results, reference: Reference) -> ClaimVerdict:
    test = TESTS[claim.kind]
    outcome = test(results, **claim.parameters)
    verdict, why = _verdict(claim, outcome, results, reference)
    published = ""
    if claim.revision:
        published = test(published_results(reference, claim.revision), **claim.parameters).words
    return ClaimVerdict(
        claim.id,
        claim.text,
        claim.by,
        claim.url,
        claim.reading,
        verdict,
        why,
        published,
        outcome.evidence,
    )


def _verdict(
    claim: Claim, outcome: Outcome, results: Results, reference: Reference
) -> tuple[ClaimResult, str]:
    if not outcome.tested:
        return ClaimResult.NOT_TESTED, outcome.words
    elsewhere = _elsewhere(results, reference) if claim.revision else ""
    if elsewhere:
        direction = {
            True: "Here it holds",
            False: "Here it does not hold",
            None: "Here the intervals do not tell",
        }[outcome.holds]
        return ClaimResult.NOT_COMPARABLE, f"{elsewhere}. {direction}: {outcome.words}"
    if outcome.holds is None:
        return ClaimResult.NOT_TESTED, f"The intervals do not tell: {outcome.words}"
    result = ClaimResult.REPRODUCED if outcome.holds else ClaimResult.NOT_REPRODUCED
    return result, outcome.words


def _elsewhere(results: Results, reference: Reference) -> str:
    """What this run and the published one do not share: scale, hardware, batch sizes."""
    machines = {r.machine.accelerator_name or r.machine.cpu for r in results.records}
    differences = []
    if results.plan.scale != PAPER:
        differences.append(f"the scale is {results.plan.scale} instead of {PAPER}")
    if not all(_same_hardware(name, reference) for name in machines):
        differences.append(
            f"the hardware is {listed(sorted(machines))}, not {reference.hardware_short}"
        )
    other = [
        row.row.label for row in results.rows if row.row.batch_size != row.row.published_batch_size
    ]
    if other and not differences:
        differences.append(f"other batch sizes than the page's in {listed(other)}")
    words = listed(differences) if differences else ""
    return words[:1].upper() + words[1:]


def _same_hardware(name: str, reference: Reference) -> bool:
    """Whether a device's own name holds the words of the published one, 'A100' and '40GB'."""
    device, memory = reference.hardware_short.lower().split(" ", 1)
    spelled = name.lower().replace(" ", "")
    return device in spelled and memory.replace(" ", "") in spelled
