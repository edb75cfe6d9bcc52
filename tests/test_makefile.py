"""`make` uses conda when it is there and new enough, and hands on what it was given."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

MAKEFILE = Path(__file__).resolve().parents[1] / "Makefile"


def command(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/usr/bin/env bash\n{text}\n")
    path.chmod(0o755)


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
def test_conda_is_used_when_snakemake_accepts_it(tmp_path, conda, option):
    command(tmp_path / ".venv/bin/snakemake", 'echo "called: $*"')
    command(tmp_path / ".venv/bin/python", "exit 0")
    if conda:
        command(tmp_path / "bin/conda", conda)
    (tmp_path / "bin").mkdir(exist_ok=True)
    for tool in ("bash", "env", "sort", "head"):  # and no conda of this machine
        (tmp_path / "bin" / tool).symlink_to(shutil.which(tool))
    make = [shutil.which("make"), "--silent", "-f", str(MAKEFILE), "--old-file=.venv"]
    done = subprocess.run(
        [*make, "ARGS=-n results/table.md"],
        cwd=tmp_path,
        env={"PATH": str(tmp_path / "bin")},
        capture_output=True,
        text=True,
    )
    assert (done.stderr, done.returncode) == ("", 0)
    assert done.stdout == f"called: --quiet all --cores 1 {option}-n results/table.md\n"


def test_a_module_of_the_callers_takes_the_place_of_none_of_ours(tmp_path):
    """Called snakemake, for example."""
    command(tmp_path / ".venv/bin/snakemake", 'echo "PYTHONPATH: ${PYTHONPATH-}"')
    command(tmp_path / ".venv/bin/python", "exit 0")
    make = [shutil.which("make"), "--silent", "-f", str(MAKEFILE), "--old-file=.venv"]
    environ = {"PATH": "/usr/bin:/bin", "PYTHONPATH": "/somebodys/modules"}
    done = subprocess.run(make, cwd=tmp_path, env=environ, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("PYTHONPATH: \n", "")


@pytest.fixture
def studies(tmp_path):
    """``studies(*words)``: make in a project with two studies; exit status, stdout, stderr."""
    command(tmp_path / ".venv/bin/snakemake", 'echo "called: $*"')
    (tmp_path / ".venv/bin/python").symlink_to(sys.executable)
    (tmp_path / "workflow").symlink_to(MAKEFILE.with_name("workflow"))
    (tmp_path / "config/studies").mkdir(parents=True)
    for name in ("patch", "precision"):
        (tmp_path / "config/studies" / f"{name}.yaml").write_text("runs: 1\n")

    def made(*words):
        make = [shutil.which("make"), "--silent", "-f", str(MAKEFILE), "--old-file=.venv"]
        environ = {"PATH": "/usr/bin:/bin"}
        done = subprocess.run(
            [*make, *words], cwd=tmp_path, env=environ, capture_output=True, text=True
        )
        return done.returncode, done.stdout, done.stderr

    return made


def test_a_study_is_run_by_its_name_and_its_targets_are_no_configuration(studies):
    code, output, message = studies("study", "NAME=patch", "ARGS=archive")
    assert (code, message) == (0, "")
    start, configfile = "called: --configfile config/studies/patch.yaml", "--quiet all --cores 1 "
    assert output.startswith(f"{start} {configfile}") and output.endswith(" archive\n")


def test_a_study_that_is_not_yaml_ends_with_one_line_that_names_file_and_line(studies, tmp_path):
    (tmp_path / "config/studies/patch.yaml").write_text("runs: 1\nstudy: {question: Why?}\n")
    code, output, message = studies("study", "NAME=patch")
    assert code != 0 and output == ""
    first = message.splitlines()[0]
    assert first.startswith("millistep: configuration: config/studies/patch.yaml, line 2, column ")


@pytest.mark.parametrize("words", ["--configfile own.yaml", "-n --configfiles ok.yaml own.yaml"])
def test_a_configuration_of_ones_own_that_is_not_yaml_is_named_as_well(studies, tmp_path, words):
    """Of which Snakemake itself says nothing with --quiet all."""
    (tmp_path / "ok.yaml").write_text("runs: 1\n")
    code, output, message = studies(f"ARGS={words} --config runs=2")
    assert code != 0 and output == ""
    assert message.splitlines()[0] == (
        "millistep: configuration: own.yaml: No such file or directory"
    )
    (tmp_path / "own.yaml").write_text("a: b\n")
    code, output, message = studies(f"ARGS={words} --config runs=2")
    assert (code, message) == (0, "")
    assert output == f"called: --quiet all --cores 1 {words} --config runs=2\n"


@pytest.mark.parametrize("name", ["", "pach", "%", "patch precision", "../studies/patch"])
def test_an_unknown_study_is_named_in_one_line_with_those_there_are(studies, name):
    code, output, message = studies("study", f"NAME={name}")
    assert code != 0 and output == ""
    assert message.count("\n") == 1
    assert f"NAME={name}: no such study; allowed are patch precision" in message
