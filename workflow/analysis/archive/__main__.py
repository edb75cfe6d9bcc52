"""python -m analysis.archive --plan results/plan.json --output results/millistep.zip"""

import argparse
import os
import re
import sys
from pathlib import Path

from analysis.archive import CITATION, PLAN, PLANS, ROOT
from analysis.archive.manifest import sha256
from analysis.archive.pack import pack
from analysis.formats.errors import InputError, run_command
from analysis.formats.text import count
from analysis.report.citation import bibtex, read_citation
from analysis.report.setting import machines, nothing_to_cite, period
from analysis.results.commands import json_with
from analysis.results.results import Results


def summary(output: Path, changed: list[str], results: Results) -> str:
    """Say what was made, and how to cite it where it is a measurement."""
    digest = sha256(output)
    note = (
        f"Results at {results.plan.scale} scale, measured on {machines(results)}, "
        f"{period(results)}; archive with sha256 {digest}"
    )
    lines = [f"{output}: {output.stat().st_size / 2**20:.2f} MiB, sha256 {digest}"]
    lines.append(f"In it, sha256 of plan and records {results.digest}")
    if changed:
        files = count(len(changed), "file")
        lines.append(f"Folders and names of this machine were replaced in {files}.")
    if why := nothing_to_cite(results):
        return "\n".join([*lines, "", why])
    return "\n".join([*lines, "", bibtex(read_citation(ROOT / CITATION), note)])


def main() -> None:
    """Write an archive and print how to cite it."""
    options = argparse.ArgumentParser(description="Put the results into one zip, to be cited.")
    options.add_argument(
        "--plan", type=Path, default=Path(PLAN), help="results/plan.json of a project"
    )
    options.add_argument(
        "--config", type=json_with(), help="the whole configuration as JSON; default: config.yaml"
    )
    options.add_argument("--output", type=Path, required=True, help="the zip to write")
    options.add_argument(
        "--keep-paths",
        action="store_true",
        help="leave folders, user name and host name in records and logs",
    )
    arguments = options.parse_args()
    plan = Path(os.path.abspath(arguments.plan))
    found = re.search(rf"/({PLANS.pattern})$", plan.as_posix())
    if not found:
        raise InputError(f"{arguments.plan}: an archive is made of a project's {PLAN}")
    project, place = Path(str(plan)[: -len(found[0])]), found[1]
    keep = arguments.keep_paths
    found = pack(project, arguments.config, arguments.output, keep_paths=keep, place=place)
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    print(summary(arguments.output, *found))


if __name__ == "__main__":
    run_command(main)
