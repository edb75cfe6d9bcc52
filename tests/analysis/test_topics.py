"""A topic is removed by removing its folder."""

import shutil
import subprocess
import sys
from pathlib import Path

from results_factory import Project

ROOT = Path(__file__).resolve().parents[2]
TOPICS = "workflow/analysis/topics"


def test_a_report_without_topics_is_whole(tmp_path):
    """All are taken out at once; that none needs another is kept by tests/test_layers.py."""
    for folder in ("workflow", "report", "reference"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    names = [path.parent.name for path in (tmp_path / TOPICS).glob("*/__init__.py")]
    assert "break_even" in names
    for name in names:
        shutil.rmtree(tmp_path / TOPICS / name)
    plan, out = Project(tmp_path / "project").save(), tmp_path / "out"
    command = [sys.executable, "-m", "analysis.report.draw", "--plan", plan, "--output-dir", out]
    done = subprocess.run(command, cwd=tmp_path / "workflow", capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert (out / "report.html").exists() and (out / "appendix.html").exists()
    assert not (out / "break_even.csv").exists() and not (out / "figures/break_even.svg").exists()
