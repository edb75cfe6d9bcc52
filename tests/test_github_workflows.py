"""The GitHub workflow is safe to run on pull requests of strangers."""

import subprocess
import sys
from pathlib import Path

from .shared import ROOT, succeed

AUDIT = [str(Path(sys.executable).with_name("zizmor")), "--offline", "--no-progress"]


def test_an_audit_of_the_workflow_finds_nothing():
    succeed([*AUDIT, "--pedantic", str(ROOT / ".github/workflows")])


def test_the_audit_finds_a_title_that_becomes_a_command(tmp_path):
    text = (ROOT / ".github/workflows/answer.yml").read_text()
    text = text.replace("run: |\n", "run: |\n          echo ${{ github.event.issue.title }}\n", 1)
    (tmp_path / "answer.yml").write_text(text)
    found = subprocess.run([*AUDIT, str(tmp_path / "answer.yml")], capture_output=True, text=True)
    assert found.returncode != 0 and "template-injection" in found.stdout + found.stderr
