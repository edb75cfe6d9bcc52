"""Deploying a definition: complete or not at all, once for everybody, and honest when it fails.

The definitions here lock one tiny wheel that the tests build themselves: no network.
"""

import contextlib
import hashlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import venv
import zipfile
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import pytest

import lock
from environments import definition_sha256

PROGRAM = Path(__file__).resolve().parents[1] / "workflow" / "environments.py"
THIS_PYTHON = "{}.{}".format(*sys.version_info)

LOCK = "tiny-thing==1.0 --hash=sha256:{sha256}\n"
# Each run of the script leaves a line in the trace, and stays until the gate is gone.
TRACED = """\
set -eu
echo started >> "$TRACE"
while [ -e "$GATE" ]; do sleep 0.05; done
"""


@dataclass
class Workshop:
    """A folder with a definition, a cache of its own, and the pip configuration to serve it."""

    folder: Path
    environ: dict[str, str]

    @property
    def definition(self) -> Path:
        return self.folder / "envs" / "cpu" / "tiny.yaml"

    @property
    def script(self) -> Path:
        return self.definition.with_name("tiny.post-deploy.sh")

    @property
    def trace(self) -> Path:
        return self.folder / "trace"

    @property
    def gate(self) -> Path:
        return self.folder / "gate"

    @property
    def prefix(self) -> Path:
        digest = definition_sha256(self.definition)[:16]
        return self.folder / "cache" / "envs" / f"tiny-cpu-{digest}"

    def runs(self) -> int:
        return len(self.trace.read_text().splitlines()) if self.trace.exists() else 0

    def start(self, marker: str = "marker.json", *arguments: str, python: str = sys.executable):
        command = [python, str(PROGRAM), "--name", "tiny", "--definition", str(self.definition)]
        command += ["--marker", str(self.folder / marker), *(arguments or ("--method", "venv"))]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        leak = self.environ["PYTHONPATH"]
        return subprocess.Popen(command, env=self.environ, cwd=leak, text=True, **pipes)

    def run(self, *arguments, **options) -> tuple[int, list[str]]:
        """Exit code and the lines of the message; nothing may be printed to stdout."""
        process = self.start("marker.json", *arguments, **options)
        output, message = process.communicate(timeout=120)
        assert output == ""
        return process.returncode, message.splitlines()

    def marker(self, name: str = "marker.json") -> dict:
        return json.loads((self.folder / name).read_text())

    def has_marker(self) -> bool:
        return (self.folder / "marker.json").exists()

    def wait_until_started(self) -> None:
        """Until the script's trace has a line: a fifo would need a reader, so look."""
        for _ in range(600):
            if self.runs():
                return
            with contextlib.suppress(subprocess.TimeoutExpired):
                subprocess.run(["sleep", "60"], timeout=0.1)
        raise AssertionError("the script did not start")


def build_wheel(folder: Path) -> str:
    """A wheel of one empty module; its sha256."""
    folder.mkdir()
    wheel = folder / "tiny_thing-1.0-py3-none-any.whl"
    about = "tiny_thing-1.0.dist-info"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("tiny_thing.py", "")
        archive.writestr(
            f"{about}/METADATA", "Metadata-Version: 2.1\nName: Tiny_Thing\nVersion: 1.0\n"
        )
        archive.writestr(
            f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{about}/RECORD", "")
    return hashlib.sha256(wheel.read_bytes()).hexdigest()


def make_workshop(folder: Path) -> Workshop:
    kept = ("PATH", "HOME", "LANG", "PYENV_ROOT", "LD_LIBRARY_PATH")
    environ = {name: os.environ[name] for name in kept if name in os.environ}
    environ |= {
        "MILLISTEP_CACHE": str(folder / "cache"),
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(folder / "wheels"),
        "TRACE": str(folder / "trace"),
        "GATE": str(folder / "gate"),
        "PYTHONPATH": str(folder / "leak"),
    }
    workshop = Workshop(folder, environ)
    # What must not count as installed: a package on PYTHONPATH and in the working directory.
    for name in ("tiny_thing", "leaked"):
        about = folder / "leak" / f"{name}-1.0.dist-info"
        about.mkdir(parents=True)
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    workshop.definition.parent.mkdir(parents=True)
    workshop.definition.write_text(f"dependencies:\n  - python={THIS_PYTHON}\n  - pip\n")
    text = LOCK.format(sha256=build_wheel(folder / "wheels"))
    script = lock.POST_DEPLOY.format(source="a test", lock=text)
    workshop.script.write_text(script.replace("set -eu\n", TRACED))
    return workshop


@pytest.fixture
def workshop(tmp_path) -> Workshop:
    return make_workshop(tmp_path)


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


def closed_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def no_index(workshop: Workshop) -> None:
    del workshop.environ["PIP_NO_INDEX"], workshop.environ["PIP_FIND_LINKS"]
    workshop.environ["PIP_INDEX_URL"] = f"http://127.0.0.1:{closed_port()}/simple"


def other_wheel(workshop: Workshop) -> None:
    with open(next((workshop.folder / "wheels").iterdir()), "ab") as wheel:
        wheel.write(b"\0")


def no_wheel(workshop: Workshop) -> None:
    next((workshop.folder / "wheels").iterdir()).unlink()


def full_disk(workshop: Workshop) -> None:
    workshop.script.write_text("cat /dev/zero > /dev/full\n")


def no_name_server(workshop: Workshop) -> None:
    workshop.script.write_text("echo '[Errno -3] Temporary failure in name resolution'; exit 1\n")


@pytest.mark.parametrize(
    "spoil, cause",
    [
        (no_index, "the package index cannot be reached"),
        (no_name_server, "it looks as if there is no network"),
        (no_wheel, "the package index does not have a locked version"),
        (other_wheel, "a downloaded file is not the one that was locked"),
        (full_disk, "the disk is full"),
    ],
)
def test_the_likely_cause_is_named(workshop, spoil, cause):
    spoil(workshop)
    code, message = workshop.run()
    assert code == 1
    log = f"{workshop.prefix}.log"
    assert message[0] == f"tiny: could not create {workshop.prefix.name}: {cause}; the log is {log}"
    assert len(message) > 1
    assert not workshop.has_marker()


def test_python_that_is_not_there_is_named(workshop):
    workshop.definition.write_text("dependencies:\n  - python=3.99\n  - pip\n")
    code, message = workshop.run()
    assert code == 1 and len(message) == 1
    assert "Python 3.99 is needed" in message[0] and "no python3.99 on the PATH" in message[0]


def test_plain_lock_is_a_definition_too(workshop):
    definition = workshop.folder / "envs" / "workflow.txt"
    requirements = workshop.script.read_text().split("'LOCK'\n")[1].removesuffix("LOCK\n")
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
