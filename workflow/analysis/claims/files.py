"""The claims judged, as data."""

import json
from dataclasses import asdict
from pathlib import Path

from analysis.claims.verdicts import judge
from analysis.formats.errors import write_text
from analysis.results.reference import Reference
from analysis.results.results import Results

SCHEMA = "millistep.claims/1"


def write_claims(results: Results, reference: Reference, folder: Path) -> None:
    """Write claims.json: every published claim, and what these runs show of it."""
    found = [asdict(verdict) for verdict in judge(results, reference)]
    content = {"schema": SCHEMA, "claims": found}
    document = json.dumps(content, indent=2, sort_keys=True, allow_nan=False)
    write_text(folder / "claims.json", document + "\n")
