"""What this run shows of every published claim, only as strong as its intervals allow.

A claim names its test, a small function from results to what was found. The verdict follows from
that and from whether the run can be compared with what the claim is about. The same tests, asked of
the published table, say whether a claim's own numbers bear it out.
"""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from analysis.claims.claim import Claim, load_claims
from analysis.claims.claim_tests import TESTS
from analysis.claims.outcome import Outcome
from analysis.claims.published_table import published_results
from analysis.formats.errors import write_text
from analysis.results.reference import Reference
from analysis.results.results import Results
from analysis.results.stacks import on_stack

SCHEMA = "millistep.claims/1"


class ClaimResult(StrEnum):
    """The result for a claim, as this run shows it.

    'Reproduced' and 'not reproduced' are kept for runs under the page's own conditions. On its
    hardware and at its sizes, but with other libraries or settings, the same test holds or does not
    hold; other hardware, scale or batch sizes are another experiment.
    """

    REPRODUCED = "reproduced"
    NOT_REPRODUCED = "not reproduced"
    HOLDS_ELSEWHERE = "holds under other conditions"
    FAILS_ELSEWHERE = "does not hold under other conditions"
    NOT_COMPARABLE = "not comparable"
    UNDECIDED = "undecided"
    NOT_TESTED = "not tested"


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


def judge(results: Results, reference: Reference) -> list[ClaimVerdict]:
    """Judge every claim of reference/claims.yaml, in the order of the file."""
    return [_judged(*found, reference) for found in outcomes(results, reference)]


def write_claims(results: Results, reference: Reference, folder: Path) -> None:
    """Write claims.json: every published claim, and what these runs show of it."""
    content = {"schema": SCHEMA, "claims": list(map(asdict, judge(results, reference)))}
    document = json.dumps(content, indent=2, sort_keys=True, allow_nan=False)
    write_text(folder / "claims.json", document + "\n")


def outcomes(
    results: Results, reference: Reference
) -> Iterator[tuple[Claim, Results, Outcome, bool]]:
    """Yield every claim, the results that it is asked of, what its test finds there, and whether
    these are the columns on the page's own versions. A claim about the published table is asked of
    these, where they were measured, and only of rows that are in that table.
    """
    of_table = replace(results, rows=results.rows_of_page)
    pages = on_stack(of_table, reference.stack)
    for claim in load_claims():
        on_pages = bool(claim.revision and pages.plan.columns)
        asked = pages if on_pages else of_table if claim.revision else results
        yield claim, asked, TESTS[claim.kind](asked, **claim.parameters), on_pages


def _judged(
    claim: Claim, asked: Results, outcome: Outcome, on_pages: bool, reference: Reference
) -> ClaimVerdict:
    verdict, why = _verdict(claim, outcome, asked, reference)
    published = ""
    if claim.revision:
        there = published_results(reference, claim.revision)
        shown = TESTS[claim.kind](there, **claim.parameters).text
        published = f"revision {claim.revision}: {shown}"
        rows, of_page = claim.rows(asked), claim.rows(there)
        number = (rows & of_page).total()  # another batch size is told as another difference
        if outcome.tested and number < of_page.total():
            why = f"Asked of {number} of the {of_page.total()} rows that it is about. {why}"
    if on_pages and outcome.tested:
        why = (
            f"Asked of the columns on {reference.stack}, the page's own versions: as near to a "
            f"repetition as this machine comes. {why}"
        )
    names = (claim.id, claim.text, claim.by, claim.url, claim.reading)
    return ClaimVerdict(*names, verdict, why, published, outcome.evidence)


def _verdict(
    claim: Claim, outcome: Outcome, results: Results, reference: Reference
) -> tuple[ClaimResult, str]:
    """The result, and why: what differs from the claim's conditions, then what was found."""
    if not outcome.tested:
        return ClaimResult.NOT_TESTED, outcome.text
    differ = claim.differences(results, reference)
    here = f"Here {_HERE[outcome.holds]}: {outcome.text}"
    here = f"Not the conditions of the claim: {differ}. {here}"
    if differ.experiment:
        return ClaimResult.NOT_COMPARABLE, here
    if outcome.holds is None:
        return ClaimResult.UNDECIDED, f"The intervals do not decide: {outcome.text}"
    if differ.settings:
        return _ELSEWHERE[outcome.holds], here
    return _AS_PUBLISHED[outcome.holds], outcome.text


_AS_PUBLISHED = {True: ClaimResult.REPRODUCED, False: ClaimResult.NOT_REPRODUCED}
_ELSEWHERE = {True: ClaimResult.HOLDS_ELSEWHERE, False: ClaimResult.FAILS_ELSEWHERE}
_HERE = {True: "it holds", False: "it does not hold", None: "the intervals do not decide"}
