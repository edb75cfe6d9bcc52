"""All results from plan and records, by one command: what the rules of workflow/rules/report.smk
write one by one. No framework, no GPU, no network.
"""

import os
import subprocess
import sys
from pathlib import Path

from analysis.archive import ROOT, results_folder
from analysis.formats.errors import InputError
from analysis.formats.text import plain

MODULE = "analysis.report.draw"


def rebuild(project: Path, plan: str, revision: str | None) -> None:
    """Write everything that follows from a project's plan and the files that it names; the report
    names this revision. Raises InputError with the command's own message where it fails.
    """
    # -P: what lies in the project, which may be somebody else's, is never imported.
    command = [sys.executable, "-sP", "-m", MODULE, "--plan", plan, "--revision", revision or ""]
    done = subprocess.run(
        [*command, "--output-dir", results_folder(plan)],
        cwd=project,
        env={**os.environ, "PYTHONPATH": str(ROOT / "workflow")},
        capture_output=True,
        encoding="utf-8",
        errors="replace",
    )
    if done.returncode:
        lines = [plain(line) for line in done.stderr.splitlines()] or ["no message"]
        errors = [line.removeprefix("error: ") for line in lines if line.startswith("error: ")]
        raise InputError(errors or [f"{MODULE} failed: {lines[-1]}"])
