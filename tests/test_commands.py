"""The command line, with and without an installation."""

import re
import subprocess
import sys
import tomllib

import pytest

from millistep.__main__ import FOR_RULES, FOR_USERS

from .shared import ROOT

pytestmark = pytest.mark.quick


def run(*arguments, program=ROOT / "workflow", **options):
    command = [sys.executable, "-s", str(program), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, **options)


@pytest.mark.parametrize("name", [*FOR_USERS, *FOR_RULES])
def test_every_command_describes_its_options(name, tmp_path):
    done = run(name, "--help", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"usage: millistep {name} ")


def test_rules_call_commands_that_exist():
    rules = [path.read_text() for path in (ROOT / "workflow/rules").glob("*.smk")]
    pattern = r'(?:program|measured)\(\s*"([^"]+)"|[^.\w](alone)\('
    found = (names for text in rules for names in re.findall(pattern, text))
    called = {name or alone for name, alone in found}
    assert called == set(FOR_RULES) - {"check", "render", "archive", "comment"}


def test_help_lists_every_command(tmp_path):
    done = run("--help", cwd=tmp_path)
    assert done.returncode == 0
    assert set(re.findall(r"(?m)^  ([a-z-]+) ", done.stdout)) == {*FOR_USERS, *FOR_RULES}


def test_an_unknown_command_is_one_line_with_the_allowed_ones():
    done = run("benchmark")
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line == (
        "millistep: unknown command 'benchmark'; allowed are check-model, answer, bisect, compare,"
        " verify, schema"
    )


def test_a_command_that_needs_the_locks_says_so_where_there_is_only_the_package(tmp_path):
    (tmp_path / "lib/site").mkdir(parents=True)
    (tmp_path / "lib/site/millistep").symlink_to(ROOT / "workflow/millistep")
    program = "import sys; sys.path.insert(0, sys.argv.pop(1)); import millistep.__main__ as m;"
    program += " m.__file__ = sys.path[0] + '/millistep/__main__.py'; m.main()"
    command = [sys.executable, "-c", program, str(tmp_path / "lib/site"), "answer"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert done.stderr == (
        "millistep answer: run it in a clone, which has envs/: python3 workflow answer\n"
    )


def test_the_package_provides_the_command_and_requires_what_it_imports():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["scripts"] == {"millistep": "millistep.__main__:main"}
    wanted = set()
    for name in ("workflow", "analysis"):
        lines = (ROOT / f"envs/inputs/{name}.in").read_text().splitlines()
        wanted |= {re.split(r"\s+#", line)[0].strip() for line in lines if line[0] != "#"}
    assert set(project["dependencies"]) == wanted
