"""One zip per measurement: everything that was measured, what was made of it, and what made it.

The tree inside is a project's: results, configuration, environment definitions and sources, so that
it can be unpacked and used as one. Beside them lie `archive.json` (what drew the results),
`ro-crate-metadata.json` (the same for machines) and `manifest-sha256.txt`.
"""

import re
from collections.abc import Iterable

from analysis.formats.errors import InputError
from analysis.report.origin import ROOT as ROOT

PLAN = "results/plan.json"
PLANS = re.compile(r"results(/studies/[a-z][a-z0-9_]*)?/plan\.json")


def plan_among(names: Iterable[str]) -> str:
    """The one plan among the files of a project or archive; raises InputError if not just one."""
    found = sorted(name for name in names if PLANS.fullmatch(name))
    if len(found) != 1:
        what = f"{len(found)} plans: {', '.join(found)}" if found else "missing"
        raise InputError(f"{PLAN}: {what}")
    return found[0]


def results_folder(plan: str) -> str:
    """The folder of a plan, which holds everything that was measured and drawn for it."""
    return plan.removesuffix("/plan.json")


CONFIG = "config/config.yaml"
ABOUT = "archive.json"
CITATION = "CITATION.cff"
CRATE = "ro-crate-metadata.json"
MANIFEST = "manifest-sha256.txt"
