"""One zip per measurement: everything that was measured, what was made of it, and what made it.

The tree inside is a project's: results, configuration, environment definitions and sources, so that
it can be unpacked and used as one. Beside them lie `archive.json` (what drew the results),
`ro-crate-metadata.json` (the same for machines) and `manifest-sha256.txt`.
"""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]  # of the sources that run
PLAN = "results/plan.json"
CONFIG = "config/config.yaml"
ABOUT = "archive.json"
CITATION = "CITATION.cff"
CRATE = "ro-crate-metadata.json"
MANIFEST = "manifest-sha256.txt"
