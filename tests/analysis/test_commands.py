"""The command lines as a user runs them, each in a process of its own."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from analysis.formats.strict_json import read_json, validate

WORKFLOW = Path(__file__).resolve().parents[2] / "workflow"


def run(module, *options, cwd=None):
    command = [sys.executable, "-m", f"analysis.{module}", *map(str, options)]
    env = {**os.environ, "PYTHONPATH": str(WORKFLOW), "PYTHONIOENCODING": "ascii"}
    return subprocess.run(command, env=env, cwd=cwd, capture_output=True, text=True)


PARTS = ("runs", "table", "effects", "caveats", "claims", "figures", "report")


def test_from_records_to_report(project, tmp_path):
    plan, out = project.save(), tmp_path / "results"
    done = run("report.draw", "--plan", plan, "--output-dir", out)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    written = {path.name for path in out.iterdir() if path.is_file()}
    assert written >= {
        *("table.md", "table.csv", "table.tex", "published.md", "published.csv", "runs.csv"),
        *(
            "break_even.csv",
            "cross_over.csv",
            "trainings.csv",
            "effects.csv",
            "effects.tex",
            "why.csv",
            "ceilings.csv",
            "native.csv",
            "caveats.json",
            "caveats.md",
            "report.html",
            "appendix.html",
        ),
    }
    validate(read_json(out / "caveats.json", "caveats"), "caveats", "caveats")
    page = (out / "report.html").read_text(encoding="utf-8")
    assert page.count("<figure ") == 5 and "http://" not in page.split("<svg ")[0]


def test_show_prints_table_and_caveats(project):
    done = run("report.show", "--plan", project.save(), "--caveats", "1")
    assert done.returncode == 0
    assert "Keras 3 (JAX)" in done.stdout and "8.016 *[7.996, 8.036]" in done.stdout
    assert done.stdout.count("\n- ") == 1 and "more caveat" in done.stdout


def test_works_from_any_folder(project, tmp_path):
    project.save()
    done = run("report.show", "--plan", "plan.json", cwd=project.folder / "results")
    assert done.returncode == 0 and "8.016" in done.stdout


@pytest.mark.parametrize("module", ["report.show", "report.draw"])
def test_bad_input_is_one_line_and_exit_1(project, tmp_path, module):
    plan = project.save()
    path = next(iter(project.records))
    (project.folder / path).write_text('{"schema": ')
    out = tmp_path / "out"
    options = () if module == "report.show" else ("--output-dir", out)
    done = run(module, "--plan", plan, *options)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith(f"error: {path}: not valid JSON")
    assert not out.exists()


def test_missing_plan_and_missing_figures(project, tmp_path):
    done = run("report.show", "--plan", tmp_path / "nowhere.json")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "no such file" in done.stderr
    options = ("--output-dir", tmp_path, "--only", "report")
    done = run("report.draw", "--plan", project.save(), *options)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert re.search(r"\w+\.svg: no such file", done.stderr)
