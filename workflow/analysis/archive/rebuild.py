"""All results from plan and records: the commands of workflow/rules/{analyse,report}.smk, in their
order. No framework, no GPU, no network.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from analysis.archive import ROOT, results_folder
from analysis.formats.errors import InputError
from analysis.formats.text import plain

# `{}` is the folder of the results.
COMMANDS = {
    "tables": ("--output-dir", "{}"),
    "caveats": ("--output-dir", "{}"),
    "figures": ("--output-dir", "{}/figures"),
    "report": ("--figures", "{}/figures", "--output", "{}/report.html"),
}


def rebuild(project: Path, plan: str) -> None:
    """Write everything that follows from a project's plan and the files that it names. Raises
    InputError with a failed command's own message.
    """
    for module, arguments in COMMANDS.items():
        options = [argument.format(results_folder(plan)) for argument in arguments]
        # -P: what lies in the project, which may be somebody else's, is never imported.
        command = [sys.executable, "-sP", "-m", f"analysis.{module}", "--plan", plan, *options]
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "workflow")}
        done = subprocess.run(
            command,
            cwd=project,
            env=environment,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
        )
        if done.returncode:
            lines = [plain(line) for line in done.stderr.splitlines()] or ["no message"]
            errors = [line.removeprefix("error: ") for line in lines if line.startswith("error: ")]
            raise InputError(errors or [f"analysis.{module} failed: {lines[-1]}"])
