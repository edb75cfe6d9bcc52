"""The command line, with and without an installation."""

import os
import re
import signal
import subprocess
import sys
import tomllib

import pytest

from millistep.__main__ import FOR_RULES, FOR_USERS

from .shared import ROOT, SMALL_NETS

pytestmark = pytest.mark.quick


def run(*arguments, program=(ROOT / "workflow",), **options):
    command = [sys.executable, "-s", *map(str, program), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, **options)


@pytest.mark.parametrize("name", [*FOR_USERS, *FOR_RULES])
def test_every_command_describes_its_options(name, tmp_path):
    done = run(name, "--help", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"usage: millistep {name} ")


def test_rules_call_commands_that_exist():
    rules = [path.read_text() for path in (ROOT / "workflow/rules").glob("*.smk")]
    pattern = r'(?:program|logged|measured)\(\s*"([^"]+)"|[^.\w](alone)\('
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
    allowed = "check-model, answer, bisect, compare, verify, schema"
    assert done.stderr == f"millistep: unknown command 'benchmark'; allowed are {allowed}\n"


def test_a_command_that_needs_the_locks_says_so_where_there_is_only_the_package(tmp_path):
    (tmp_path / "lib/site").mkdir(parents=True)
    (tmp_path / "lib/site/millistep").symlink_to(ROOT / "workflow/millistep")
    program = "import sys; sys.path.insert(0, sys.argv.pop(1)); import millistep.__main__ as m;"
    program += " m.__file__ = sys.path[0] + '/millistep/__main__.py'; m.main()"
    done = run("answer", program=("-c", program, tmp_path / "lib/site"))
    assert done.returncode == 1
    told = "run it in a clone, which has envs/: python3 workflow answer\n"
    assert done.stderr == f"millistep answer: {told}"


def test_the_package_provides_the_command_and_requires_what_it_imports():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["scripts"] == {"millistep": "millistep.__main__:main"}
    wanted = set()
    for name in ("workflow", "analysis"):
        lines = (ROOT / f"envs/inputs/{name}.in").read_text().splitlines()
        wanted |= {re.split(r"\s+#", line)[0].strip() for line in lines if line[0] != "#"}
    assert set(project["dependencies"]) == wanted


SLOW_CHECK = """
import sys, time
from millistep.planning import check_model
check_model.tried = lambda *_: print("tries", flush=True) or time.sleep(60)
sys.exit(check_model.main())
"""


def test_an_interrupt_ends_the_check_of_a_model_at_once():
    model = f"{SMALL_NETS}/models/mnist_dense"
    command = [sys.executable, "-c", SLOW_CHECK, model, "--framework=keras3-jax"]
    environ = {**os.environ, "PYTHONPATH": str(ROOT / "workflow")}
    process = subprocess.Popen(command, cwd=ROOT, env=environ, stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"tries\n"
    process.send_signal(signal.SIGINT)
    assert process.wait(20) == 130
