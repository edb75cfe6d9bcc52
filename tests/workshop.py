"""A definition that locks one tiny wheel, with all that deploying it needs: no network."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import venv
import zipfile
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from locks.definitions import post_deploy
from millistep.deploy.environments import definition_sha256

PROGRAM = Path(__file__).resolve().parents[1] / "workflow"
THIS_PYTHON = "{}.{}".format(*sys.version_info)

LOCK = "tiny-thing==1.0 --hash=sha256:{sha256}\n"
PROGRESS = "millistep: environment"
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
    progress: list[str] = field(default_factory=list)  # of the last run

    @property
    def definition(self) -> Path:
        return self.folder / "envs" / "2026-11" / "cpu" / "tiny.yaml"

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
        command = [python, str(PROGRAM), "deploy", "--name", "tiny"]
        command += ["--definition", str(self.definition)]
        command += ["--marker", str(self.folder / marker), *(arguments or ("--method", "venv"))]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        leak = self.environ["PYTHONPATH"]
        return subprocess.Popen(command, env=self.environ, cwd=leak, text=True, **pipes)

    def conda_prefix(self, name: str = "conda") -> Path:
        """Make and activate a conda environment of the definition, up to the post-deploy script."""
        prefix = self.folder / name / "0123abcd_"
        shutil.copytree(python_and_pip(), prefix, symlinks=True)
        (prefix / "conda-meta").mkdir()
        for suffix in (".yaml", ".post-deploy.sh"):
            shutil.copy(self.definition.with_suffix(suffix), f"{prefix}{suffix}")
        self.environ["CONDA_PREFIX"] = str(prefix)
        return prefix

    def run_script(self, prefix: Path) -> None:
        """Run the post-deploy script of a conda environment as Snakemake does."""
        subprocess.run(["sh", f"{prefix}.post-deploy.sh"], env=self.environ, check=True)

    def run(self, *arguments, **options) -> tuple[int, list[str]]:
        """Deploy; exit code and the lines of the message; nothing may be printed to stdout.

        Lines of progress are left out, and are in ``progress``.
        """
        process = self.start("marker.json", *arguments, **options)
        output, message = process.communicate(timeout=120)
        assert output == ""
        lines = message.splitlines()
        self.progress = [line for line in lines if line.startswith(PROGRESS)]
        return process.returncode, [line for line in lines if line not in self.progress]

    def marker(self, name: str = "marker.json") -> dict:
        return json.loads((self.folder / name).read_text())

    def has_marker(self) -> bool:
        return (self.folder / "marker.json").exists()


@cache
def python_and_pip() -> Path:
    """Make an environment of these two once, to be copied."""
    prefix = Path(tempfile.mkdtemp(prefix="millistep-tests-"), "prefix")
    venv.create(prefix, symlinks=True, with_pip=True)
    return prefix


def build_wheel(folder: Path, version: str = "1.0", files: dict | None = None) -> str:
    """Build a wheel, with an empty module unless its files are given; its sha256."""
    folder.mkdir(exist_ok=True)
    name = "tiny_thing"
    about = f"{name}-{version}.dist-info"
    contents = files or {f"{name}.py": ""}
    contents |= {f"{about}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"}
    kind = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    contents |= {f"{about}/WHEEL": kind, f"{about}/RECORD": ""}
    wheel = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, content in contents.items():
            archive.writestr(path, content)
    return hashlib.sha256(wheel.read_bytes()).hexdigest()


# Builds a wheel of what lies beside it without asking an index for anything, and litters its tree
# as other backends do.
BACKEND = """\
import os, pathlib, sys, time, zipfile

def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    with open(os.environ["TRACE"], "a") as trace:
        trace.write("built\\n")
    while os.path.exists(os.environ["GATE"]):
        time.sleep(0.05)
    pathlib.Path("litter.txt").touch()
    source = pathlib.Path("tiny_thing.py").read_text()
    compile(source, "tiny_thing.py", "exec")
    name, about = "tiny_thing-3.0-py3-none-any.whl", "tiny_thing-3.0.dist-info"
    with zipfile.ZipFile(os.path.join(wheel_directory, name), "w") as archive:
        archive.writestr("tiny_thing.py", source)
        archive.writestr(
            f"{about}/METADATA", "Metadata-Version: 2.1\\nName: Tiny_Thing\\nVersion: 3.0\\n"
        )
        archive.writestr(
            f"{about}/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n"
        )
        archive.writestr(f"{about}/RECORD", "")
    return name
"""
PYPROJECT = """\
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
"""


def source_tree(folder: Path, source: str = "") -> Path:
    """A checkout of the tiny thing's version 3.0."""
    folder.mkdir(parents=True)
    files = {"pyproject.toml": PYPROJECT, "backend.py": BACKEND, "tiny_thing.py": source}
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


def make_workshop(folder: Path) -> Workshop:
    kept = ("PATH", "HOME", "LANG", "PYENV_ROOT", "LD_LIBRARY_PATH")
    environ = {name: os.environ[name] for name in kept if name in os.environ}
    environ |= {"PIP_CONFIG_FILE": os.devnull, "PIP_NO_INDEX": "1", "UV_OFFLINE": "1"}
    environ |= dict.fromkeys(("PIP_FIND_LINKS", "UV_FIND_LINKS"), str(folder / "wheels"))
    places = {"MILLISTEP_CACHE": "cache", "TRACE": "trace", "GATE": "gate", "PYTHONPATH": "leak"}
    environ |= {name: str(folder / place) for name, place in places.items()}
    workshop = Workshop(folder, environ)
    # A package that must not count as installed, on PYTHONPATH and in the working directory.
    for name in ("tiny_thing", "leaked"):
        about = folder / "leak" / f"{name}-1.0.dist-info"
        about.mkdir(parents=True)
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (folder / "leak/venv.py").write_text("raise ImportError")
    workshop.definition.parent.mkdir(parents=True)
    workshop.definition.write_text(f"dependencies:\n  - python={THIS_PYTHON}\n  - pip\n")
    text = LOCK.format(sha256=build_wheel(folder / "wheels"))
    script = post_deploy("a test", text)
    workshop.script.write_text(script.replace("set -eu\n", TRACED))
    return workshop
