"""`make` uses conda when it is there and new enough, and hands on what it was given."""

import re
import shutil
import subprocess
import sys

import pytest

from tests.shared import ROOT, put


@pytest.fixture
def make(tmp_path):
    """``make(*words, **environ)``: exit status, stdout and stderr of make in a project whose
    Snakemake prints its arguments, with two studies.
    """
    program(tmp_path / ".venv/bin/snakemake", 'echo "called: $*${PYTHONPATH+; PYTHONPATH}"')
    # A link would not find the packages of these tests.
    program(tmp_path / ".venv/bin/python", f'exec {sys.executable} "$@"')
    (tmp_path / "workflow").symlink_to(ROOT / "workflow")
    for name in ("patch", "precision"):
        put(tmp_path / f"config/studies/{name}.yaml", "runs: 1\n")
    (tmp_path / "bin").mkdir()
    for tool in ("bash", "env", "sort", "head"):  # and no conda of this machine
        (tmp_path / "bin" / tool).symlink_to(shutil.which(tool))
    command = [shutil.which("make"), "--silent", "-f", str(ROOT / "Makefile"), "--old-file=.venv"]

    def made(*words, **environ):
        environ = {"PATH": str(tmp_path / "bin"), **environ}
        options = {"cwd": tmp_path, "env": environ, "capture_output": True, "text": True}
        done = subprocess.run([*command, *words], **options)
        return done.returncode, done.stdout, done.stderr

    return made


def program(path, text):
    put(path, f"#!/usr/bin/env bash\n{text}\n", program=True)


@pytest.mark.parametrize(
    "conda, option",
    [
        ("echo conda 26.7.1", "--use-conda "),
        ("echo conda 24.7.1", "--use-conda "),
        ("echo conda 24.11.0", "--use-conda "),
        ("echo conda 24.7.0", ""),
        ("echo conda 4.12.0", ""),
        ("exit 1", ""),
        (None, ""),
    ],
)
def test_conda_is_used_when_snakemake_accepts_it(tmp_path, make, conda, option):
    """A module of the caller's does not take the place of one of ours either."""
    if conda:
        program(tmp_path / "bin/conda", conda)
    called = f"called: --quiet all --cores all {option}-n results/table.md\n"
    assert make("ARGS=-n results/table.md", PYTHONPATH="/somebodys/modules") == (0, called, "")


def test_a_python_that_is_too_old_is_named_with_the_one_that_is_needed(make, tmp_path):
    old = "import runpy, sys; sys.version_info = (3, 7, 9); "
    old += "runpy.run_path(sys.argv[1], run_name='__main__')"
    program(tmp_path / "bin/python3", f'exec {sys.executable} -c "{old}" "$@"')
    code, output, message = make(".venv-analysis")
    assert code != 0 and output == "" and "Traceback" not in message
    assert re.match(r"millistep: \S+ is Python \S+, but 3\.9 or later is needed\n", message)


def test_an_archive_is_verified_by_the_sources_that_are_here(make, tmp_path):
    program(tmp_path / ".venv-analysis/bin/python", 'echo "called: $*"')
    called = "called: workflow verify my a.zip\n"
    assert make("--old-file=.venv-analysis", "verify", "ZIP=my a.zip") == (0, called, "")


def test_a_study_is_run_by_its_name_and_its_targets_are_no_configuration(make):
    called = "called: --configfile config/studies/patch.yaml --quiet all --cores all archive\n"
    assert make("study", "NAME=patch", "ARGS=archive") == (0, called, "")


def test_a_study_that_is_not_yaml_ends_with_one_line_that_names_file_and_line(make, tmp_path):
    (tmp_path / "config/studies/patch.yaml").write_text("runs: 1\nstudy: {question: Why?}\n")
    code, output, message = make("study", "NAME=patch")
    assert code != 0 and output == ""
    first = message.splitlines()[0]
    assert first.startswith("millistep: configuration: config/studies/patch.yaml, line 2, column ")


@pytest.mark.parametrize("words", ["--configfile own.yaml", "-n --configfiles ok.yaml own.yaml"])
def test_a_configuration_of_the_user_that_is_not_yaml_is_named_as_well(make, tmp_path, words):
    """Snakemake itself says nothing about it with --quiet all."""
    (tmp_path / "ok.yaml").write_text("runs: 1\n")
    code, output, message = make(f"ARGS={words} --config runs=2")
    assert code != 0 and output == ""
    said = "millistep: configuration: own.yaml: No such file or directory"
    assert message.splitlines()[0] == said
    (tmp_path / "own.yaml").write_text("a: b\n")
    called = f"called: --quiet all --cores all {words} --config runs=2\n"
    assert make(f"ARGS={words} --config runs=2") == (0, called, "")


def test_of_two_options_for_configurations_the_last_is_read_as_by_snakemake(make, tmp_path):
    (tmp_path / "ok.yaml").write_text("runs: 1\n")
    code, output, message = make("ARGS=--configfile own.yaml --configfile ok.yaml")
    assert (code, message) == (0, "") and output.startswith("called: ")


REFUSED = [
    (["study", f"NAME={name}"], f"NAME={name}: no such study; allowed are patch precision")
    for name in ("", "pach", "%", "patch precision", "../studies/patch")
]
REFUSED += [
    (["study", "NAME=twice"], "NAME=twice: several studies have this name"),
    (["--old-file=.venv-analysis", "verify"], "name the archive: ZIP=millistep-laptop-cpu.zip"),
]


@pytest.mark.parametrize(("words", "said"), REFUSED)
def test_what_make_does_not_know_is_one_line(make, tmp_path, words, said):
    if "NAME=twice" in words:
        for folder in ("config/studies", "studies/mine"):
            put(tmp_path / folder / "twice.yaml", "runs: 1\n")
    code, output, message = make(*words)
    assert code != 0 and output == "" and message.count("\n") == 1 and said in message


def test_the_study_of_answers_is_offered_by_its_own_command(make, tmp_path):
    """By its name it is that of an answer's report, which says how to measure it again."""
    put(tmp_path / "config/studies/pull_request.yaml", "runs: 1\n")
    _, _, message = make("study", "NAME=pull_requests")
    assert "allowed are patch precision; for a pull request: make answer." in message
    assert make("study", "NAME=pull_request")[0] == 0
