"""Deploying a definition: complete or not at all, once for everybody, and honest when it fails.

The definitions here lock one tiny wheel that the tests build themselves: no network.
"""

import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import venv
import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest

from deploy.environments import definition_sha256
from tests.workshop import THIS_PYTHON, Workshop, make_workshop


@pytest.fixture(scope="module")
def deployed(tmp_path_factory) -> Workshop:
    """One environment that is there already, for the tests that only look at it."""
    workshop = make_workshop(tmp_path_factory.mktemp("deployed"))
    assert workshop.run() == (0, [])
    return workshop


def test_marker_says_what_is_installed(deployed):
    marker = deployed.marker()
    packages = marker.pop("packages")
    assert list(packages) == sorted(packages)
    assert set(packages) == {"tiny-thing", "pip", "setuptools"}
    assert packages["tiny-thing"] == "1.0"
    assert marker == {
        "schema": "millistep.environment/1",
        "name": "tiny",
        "accelerator": "cpu",
        "method": "venv",
        "definition_sha256": definition_sha256(deployed.definition),
        "interpreter": str(deployed.prefix / "bin" / "python"),
        "prefix": str(deployed.prefix),
        "python": "{}.{}.{}".format(*sys.version_info),
    }


def test_it_is_said_what_is_deployed_and_how_long_it_took(workshop):
    assert workshop.run("--method", "venv", "--place", "2 of 6") == (0, [])
    started, ready = workshop.progress
    assert started == "millistep: environment 2 of 6, tiny (cpu): being deployed"
    assert re.fullmatch(r"millistep: environment 2 of 6, tiny \(cpu\): ready after \d+ s", ready)
    assert workshop.run() == (0, []) and workshop.progress == []


def test_uv_links_what_it_has_and_compiles_it_and_pip_stands_in_for_it(workshop):
    site = f"lib/python{THIS_PYTHON}/site-packages"
    pyc = f"{site}/__pycache__/tiny_thing.{sys.implementation.cache_tag}.pyc"
    assert workshop.run() == (0, [])
    by_uv = workshop.marker()
    assert (workshop.prefix / site / "tiny_thing.py").stat().st_nlink == 2
    assert (workshop.prefix / pyc).is_file()
    shutil.rmtree(workshop.folder / "cache")
    # A Python without uv beside it, and none on the PATH.
    workshop.environ["PATH"] = "/usr/bin:/bin"
    assert workshop.run(python=sys._base_executable) == (0, [])
    assert workshop.marker() == by_uv
    assert (workshop.prefix / site / "tiny_thing.py").stat().st_nlink == 1
    assert (workshop.prefix / pyc).is_file()


def test_what_uv_cannot_install_is_installed_by_pip(workshop):
    """A page of wheels that cannot be reached ends uv, and pip goes on without it."""
    lines = workshop.script.read_text()
    page = "--find-links http://127.0.0.1:9/wheels/\n"
    workshop.script.write_text(lines.replace("tiny-thing==", f"{page}tiny-thing==", 1))
    broken = workshop.folder / "bin" / "uv"
    broken.parent.mkdir()
    broken.write_text(f"#!/bin/sh\necho called >> {workshop.folder}/uv\nexit 2\n")
    broken.chmod(0o755)
    uv = workshop.folder / "uv"
    path = workshop.environ["PATH"]
    workshop.environ["PATH"] = f"{broken.parent}:{path}"
    assert workshop.run() == (0, [])
    assert uv.read_text().splitlines() == ["called"] * 2
    # The machine's own wheels are enough: the page is not asked for.
    workshop.environ["PATH"] = path
    shutil.rmtree(workshop.folder / "cache")
    assert workshop.run() == (0, [])
    assert "pip goes on" not in Path(f"{workshop.prefix}.log").read_text()


def test_the_lock_of_uv_itself_brings_it_first(workshop):
    """A stand-in for its wheel: what pip installs, once, is what installs the rest."""
    wheel = "uv-1.0-py3-none-any.whl"
    script = '#!/bin/sh\necho called >> "$TRACE"\nexec python -I -m pip install -r /dev/stdin\n'
    with zipfile.ZipFile(workshop.folder / "wheels" / wheel, "w") as archive:
        archive.writestr(
            "uv-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: uv\nVersion: 1.0\n"
        )
        archive.writestr("uv-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr("uv-1.0.dist-info/RECORD", "")
        program = zipfile.ZipInfo("uv-1.0.data/scripts/uv")
        program.external_attr = 0o100755 << 16
        archive.writestr(program, script)
    sha256 = hashlib.sha256((workshop.folder / "wheels" / wheel).read_bytes()).hexdigest()
    definition = workshop.folder / "envs" / "workflow.txt"
    locked = workshop.script.read_text().split("'LOCK'\n")[1].partition("LOCK\n")[0]
    definition.write_text(
        f"# python={THIS_PYTHON}\n{locked}uv==1.0 \\\n    --hash=sha256:{sha256}\n"
    )
    workshop.environ["PATH"] = "/usr/bin:/bin"
    options = ("--method", "venv", "--definition", str(definition))
    assert workshop.run(*options, python=sys._base_executable) == (0, [])
    assert {"uv", "tiny-thing"} <= set(workshop.marker()["packages"])
    assert workshop.trace.read_text() == "called\n"


def test_environment_survives_the_one_that_made_it(deployed):
    assert sys.prefix != sys.base_prefix, "run the tests in a virtual environment"
    home = (deployed.prefix / "pyvenv.cfg").read_text().splitlines()[0]
    assert home == f"home = {Path(sys._base_executable).parent}"


def test_environment_is_found_again_after_a_move_and_a_touch(deployed):
    before, runs = deployed.marker(), deployed.runs()
    elsewhere = deployed.folder / "moved" / "cpu"
    shutil.copytree(deployed.definition.parent, elsewhere)
    process = deployed.start(
        "again.json", "--method", "venv", "--definition", str(elsewhere / "tiny.yaml")
    )
    assert process.wait(timeout=60) == 0
    assert deployed.marker("again.json") == before
    assert deployed.runs() == runs == 1


def test_digest_is_of_what_is_said(workshop):
    old = definition_sha256(workshop.definition)
    definition, script = workshop.definition.read_text(), workshop.script.read_text()

    workshop.script.write_text(script + "\n")
    assert definition_sha256(workshop.definition) != old
    workshop.script.write_text(script)
    assert definition_sha256(workshop.definition) == old

    # One byte moved from the one file into the other is another definition.
    workshop.definition.write_text(definition + script[0])
    workshop.script.write_text(script[1:])
    assert definition_sha256(workshop.definition) != old


def test_two_at_a_time_make_one(workshop):
    workshop.gate.touch()
    first = workshop.start("first.json")
    workshop.wait_until_started()
    second = workshop.start("second.json")
    assert second.stderr.readline().startswith("waiting for another process")
    workshop.gate.unlink()
    assert (first.wait(timeout=60), second.wait(timeout=60)) == (0, 0)
    assert workshop.runs() == 1
    assert workshop.marker("first.json") == workshop.marker("second.json")


def test_killed_creation_does_not_count_and_is_made_anew(workshop):
    workshop.gate.touch()
    first = workshop.start()
    workshop.wait_until_started()
    first.send_signal(signal.SIGKILL)
    assert first.wait(timeout=60) == -signal.SIGKILL
    ruin = workshop.prefix / "ruin"
    ruin.touch()

    # What the first one started is still at work: the second one must not join in.
    second = workshop.start()
    assert second.stderr.readline().startswith("waiting for another process")
    assert not workshop.has_marker() and ruin.exists() and workshop.runs() == 1

    workshop.gate.unlink()
    assert second.wait(timeout=120) == 0
    assert workshop.runs() == 2 and not ruin.exists()
    assert workshop.marker()["packages"]["tiny-thing"] == "1.0"


def test_environment_that_no_longer_runs_is_made_anew(workshop):
    assert workshop.run() == (0, [])
    (workshop.prefix / "bin" / "python").unlink()
    assert workshop.run() == (0, [])
    assert workshop.runs() == 2


def test_failing_script_is_told_in_one_line_and_the_tail_of_the_log(workshop):
    workshop.script.write_text("echo early; for i in $(seq 20); do echo line $i; done; exit 3\n")
    log = workshop.folder / "logs" / "tiny.log"
    code, message = workshop.run("--method", "venv", "--log", str(log))
    assert code == 1
    assert message[0] == (
        f"tiny: could not create {workshop.prefix.name}: its command failed; the log is {log}"
    )
    assert message[1:] == [f"    line {i}" for i in range(6, 21)]
    assert "early" in log.read_text()
    assert not workshop.has_marker()
    assert workshop.run()[0] == 1, "a failed creation counted as a finished one"


ANOTHER = """#!/bin/sh
case "$*" in *version_info*) echo 3.99;; *) exec {python} "$@";; esac
"""
# What uv and conda are asked for; each answers once it was asked to bring the Python.
UV = """#!/bin/sh
echo "$UV_PYTHON_INSTALL_DIR" >> {trace}
[ "$1" = pip ] && exit 2
[ "$2" = install ] && touch {brought}
[ "$2" = find ] && [ -e {brought} ] && echo {another}
exit {code}
"""
CONDA = """#!/bin/sh
for word in "$@"; do [ "$before" = --prefix ] && prefix=$word; before=$word; done
mkdir -p "$prefix/bin" && cp {another} "$prefix/bin/python"
exit {code}
"""


def needs_another_python(workshop, programs, code=0):
    """Python 3.99 is locked, and these programs alone can bring it."""
    workshop.definition.write_text("dependencies:\n  - python=3.99\n  - pip\n")
    folder = workshop.folder / "bin"
    folder.mkdir()
    another = workshop.folder / "python3.99-that-was-brought"
    another.write_text(ANOTHER.format(python=sys._base_executable))
    places = {"trace": workshop.folder / "asked", "brought": workshop.folder / "brought"}
    for name, text in programs.items():
        (folder / name).write_text(text.format(another=another, code=code, **places))
    for path in (another, *folder.iterdir()):
        path.chmod(0o755)
    for name in ("sh", "touch", "mkdir", "cp", "cat", "awk", "grep"):
        (folder / name).symlink_to(shutil.which(name))
    workshop.environ["PATH"] = str(folder)


@pytest.mark.parametrize("programs", [{"uv": UV}, {"uv": "#!/bin/sh\nexit 2\n", "conda": CONDA}])
def test_another_python_is_brought_by_uv_or_conda(workshop, programs):
    needs_another_python(workshop, programs)
    assert workshop.run() == (0, [])
    assert workshop.marker()["packages"]["tiny-thing"] == "1.0"
    if programs["uv"] is UV:
        asked = set((workshop.folder / "asked").read_text().split())
        assert asked == {str(workshop.folder / "cache" / "pythons")}


def test_python_that_is_not_there_is_named_with_what_to_install(workshop):
    needs_another_python(workshop, {"uv": UV, "conda": CONDA}, code=3)
    code, message = workshop.run()
    assert code == 1 and len(message) == 1
    assert "Python 3.99 is needed" in message[0]
    assert "install python3.99 with its venv module, or conda (uv: " in message[0]
    assert "; conda: " in message[0]


def test_plain_lock_is_a_definition_too(workshop):
    definition = workshop.folder / "envs" / "workflow.txt"
    requirements = workshop.script.read_text().split("'LOCK'\n")[1].partition("LOCK\n")[0]
    definition.write_text(f"# python={THIS_PYTHON}\n{requirements}")
    assert workshop.run("--method", "venv", "--definition", str(definition)) == (0, [])
    marker = workshop.marker()
    assert marker["packages"]["tiny-thing"] == "1.0"
    assert marker["accelerator"] is None


def test_users_own_interpreter_is_described(workshop):
    assert workshop.run("--method", "interpreter", "--interpreter", sys.executable) == (0, [])
    marker = workshop.marker()
    assert marker["method"] == "interpreter"
    assert marker["interpreter"] == sys.executable
    assert marker["packages"]["pytest"] == version("pytest")
    assert not (workshop.folder / "cache").exists()


@pytest.mark.parametrize(
    "path, message",
    [
        ("/no/such/python", "there is no interpreter '/no/such/python' that can be run"),
        (shutil.which("echo"), "does not run as a Python"),
        (shutil.which("true"), "does not run as a Python"),
    ],
)
def test_wrong_interpreter_is_refused_in_one_line(workshop, path, message):
    code, lines = workshop.run("--method", "interpreter", "--interpreter", path)
    assert code == 1 and len(lines) == 1
    assert message in lines[0]
    assert not workshop.has_marker()


def test_conda_is_believed_only_inside_conda(workshop):
    code, message = workshop.run("--method", "conda")
    assert code == 1 and len(message) == 1
    assert "is not a conda environment: run Snakemake with --use-conda" in message[0]
    assert not workshop.has_marker()

    inside = workshop.folder / "conda"
    venv.create(inside, symlinks=True)
    (inside / "conda-meta").mkdir()
    python = str(inside / "bin" / "python")
    assert workshop.run("--method", "conda", python=python) == (0, [])
    marker = workshop.marker()
    assert (marker["method"], marker["interpreter"]) == ("conda", python)
    assert marker["prefix"] == str(inside)


def test_a_script_that_fails_inside_conda_is_tried_again_by_its_deployment(workshop):
    inside = workshop.folder / "conda"
    venv.create(inside, symlinks=True, with_pip=True)
    (inside / "conda-meta").mkdir()
    hidden = (workshop.folder / "wheels").rename(workshop.folder / "hidden")
    # As Snakemake runs it: its failure would end everything.
    environ = {**workshop.environ, "CONDA_PREFIX": str(inside)}
    environ["PATH"] = f"{inside / 'bin'}{os.pathsep}{os.environ['PATH']}"
    command = ["sh", str(workshop.script)]
    assert subprocess.run(command, env=environ, capture_output=True).returncode == 0
    options = ("--method", "conda", "--log", str(workshop.folder / "tiny.log"))
    python = str(inside / "bin" / "python")
    for _ in range(2):
        code, message = workshop.run(*options, python=python)
        assert code == 1 and "the package index does not have tiny-thing==1.0" in message[0]
        assert not workshop.has_marker()
    hidden.rename(workshop.folder / "wheels")
    assert workshop.run(*options, python=python) == (0, [])
    assert workshop.marker()["packages"]["tiny-thing"] == "1.0"
    assert workshop.run(*options, python=python) == (0, []) and workshop.progress == []


def test_script_installs_also_where_pythonpath_holds_a_namesake(workshop):
    """Snakemake runs the script inside conda and leaves PYTHONPATH as it is."""
    assert workshop.run() == (0, [])
    binaries = workshop.prefix / "bin"
    pip = [str(binaries / "python"), "-I", "-m", "pip"]
    subprocess.run([*pip, "uninstall", "--quiet", "--yes", "tiny-thing"], check=True)
    environ = {**workshop.environ, "VIRTUAL_ENV": str(workshop.prefix)}
    environ["PATH"] = f"{binaries}{os.pathsep}{os.environ['PATH']}"
    subprocess.run(["sh", str(workshop.script)], env=environ, check=True)
    assert workshop.run() == (0, [])
    assert workshop.marker()["packages"]["tiny-thing"] == "1.0"
