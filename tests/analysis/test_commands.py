"""The command lines as a user runs them, each in a process of its own."""

import gc
import json
import os
import re
import shutil
import subprocess
import sys
from argparse import ArgumentParser
from pathlib import Path

import pytest
from archive_factory import as_archive

from analysis.formats.errors import run_command
from analysis.formats.strict_json import read_json, validate
from analysis.results.commands import json_with
from contract.report_contents import file_of, table_modules

WORKFLOW = Path(__file__).resolve().parents[2] / "workflow"


def run(module, *options, cwd=None, workflow=WORKFLOW):
    command = [sys.executable, "-m", f"analysis.{module}", *map(str, options)]
    env = {**os.environ, "PYTHONPATH": str(workflow), "PYTHONIOENCODING": "ascii"}
    return subprocess.run(command, env=env, cwd=cwd, capture_output=True, text=True)


def test_from_records_to_report(project, tmp_path):
    plan, out = project.save(), tmp_path / "results"
    done = run("report.draw", "--plan", plan, "--output-dir", out)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    written = {path.name for path in out.iterdir() if path.is_file()}
    pages = {"report.html", "appendix.html", "conclusion.json"}
    texts = {"caveats.json", "caveats.md", "claims.json", "runs.csv", "runs.parquet"}
    tables = {f"{name}.{form}" for name in ("table", "published") for form in ("md", "csv", "tex")}
    assert written >= {*pages, *texts, *tables, *map(file_of, table_modules())}
    validate(read_json(out / "caveats.json", "caveats"), "caveats", "caveats")
    page = (out / "report.html").read_text(encoding="utf-8")
    assert page.count("<figure ") == 4 and "http://" not in page.split("<svg ")[0]


RECORD = "results/records/laptop/bert/fit-b8/keras2-tensorflow/run1.json"
DRAW = "report.draw --plan results/plan.json --output-dir"


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (f"{DRAW} out", f"{RECORD}: not valid JSON"),
        (f"{DRAW} results --only report", r".*\w+\.svg: no such file"),
        ("report.draw --plan nowhere.json --output-dir out", ".*no such file"),
        ("archive --plan none/results/plan.json --output out", ".*plan.json: no such file"),
        ("compare a.zip --output out.html", ".*two or more"),
        ("compare a.zip a.zip --output out.txt", ".*must end in .html"),
        ("compare a.zip none.zip --output out.html", ".*none.zip: no such file"),
        ("archive.verify none.zip", "none.zip: no such file"),
        ("archive.verify results/plan.json", "results/plan.json: not a zip file"),
    ],
)
def test_bad_input_is_one_line_and_an_exit_status_that_is_no_verdict(project, command, message):
    folder = project.save().parents[1]
    as_archive(folder, folder / "a.zip")
    if "svg" not in message:
        (folder / RECORD).write_text('{"schema": ')
    there = {*folder.rglob("*")}
    done = run(*command.split(), cwd=folder)
    status = 2 if "verify" in command else 1  # there 1 says that an archive is another one
    assert (done.returncode, done.stderr.count("\n")) == (status, 1)
    assert re.match(f"error: {message}", done.stderr) and {*folder.rglob("*")} == there


def test_what_the_rounds_of_a_row_show_is_printed_and_written(project, tmp_path):
    options = ("--plan", project.save(), "--output", tmp_path / "fit.txt", "--row", "bert", "fit")
    done = run("report.verdict", *options, 8)
    text = (tmp_path / "fit.txt").read_text()
    assert (done.returncode, done.stderr) == (0, f"    {text}")
    assert text.startswith("BERT fit: from 8.016 ms on Keras 3 (JAX) to 30.06 ms on Keras 3 (Py")
    project.fail("error", "not measured yet", run=3)
    project.save()
    said = run("report.verdict", *options, 8).stderr
    assert said.startswith("    after 2 of 3 rounds, BERT fit: from 8.0")
    for batch_size in (9, "x"):
        told = run("report.verdict", *options, batch_size).stderr
        assert told.count("\n") == 1 and f"--row bert fit {batch_size}: is no row of" in told


def test_what_is_asked_in_json_has_its_keys(capsys):
    options = ArgumentParser()
    options.add_argument("--settings", type=json_with("threshold", "looks"))
    given = {"threshold": 1, "looks": 2, "more": 3}
    assert options.parse_args(["--settings", json.dumps(given)]).settings == given
    for text in ("{}", "[1]", "{"):
        with pytest.raises(SystemExit):
            options.parse_args(["--settings", text])
        said = f"--settings: invalid JSON object of threshold, looks value: '{text}'\n"
        assert capsys.readouterr().err.endswith(said)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (FileNotFoundError(2, "No such file", "a.json"), "error: a.json: No such file"),
        (OSError(28, "No space left on device"), "error: No space left on device"),
        (OSError("cut off"), "error: cut off"),
    ],
)
def test_a_file_is_named_where_one_is_known(error, said, capsys):
    def main():
        raise error

    with pytest.raises(SystemExit) as ended:
        run_command(main)
    gc.enable()
    assert (ended.value.code, capsys.readouterr().err) == (1, f"{said}\n")


def test_a_report_without_topics_is_whole(project, tmp_path):
    """A topic is removed by removing its folder. All are taken out at once; that none needs another
    is kept by tests/test_layers.py.
    """
    root = tmp_path / "root"
    for folder in ("workflow", "report", "reference"):
        shutil.copytree(WORKFLOW.parent / folder, root / folder)
    shutil.copy(WORKFLOW.parent / "CITATION.cff", root)
    topics = root / "workflow/analysis/topics"
    names = [path.parent.name for path in topics.glob("*/__init__.py")]
    assert "break_even" in names
    for name in names:
        shutil.rmtree(topics / name)
    options, out = ("--plan", project.save(), "--output-dir", tmp_path / "out"), tmp_path / "out"
    done = run("report.draw", *options, workflow=root / "workflow")
    assert (done.returncode, done.stderr) == (0, "")
    assert (out / "report.html").exists() and (out / "appendix.html").exists()
    assert not (out / "break_even.csv").exists() and not (out / "figures/break_even.svg").exists()
