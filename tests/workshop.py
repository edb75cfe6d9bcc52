"""A definition that locks one tiny wheel, with all that deploying it needs: no network."""

import atexit
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import venv
import zipfile
from functools import cache
from pathlib import Path

from locks.definitions import post_deploy
from millistep.deploy.environments import definition_sha256

from .shared import ROOT, put

THIS_PYTHON = "{}.{}".format(*sys.version_info)

LOCK = "tiny-thing==1.0 --hash=sha256:{sha256}\n"
PROGRESS = "millistep: environment"
# Each run of the script leaves a line in the trace, and stays until the gate is gone.
TRACED = """\
set -eu
echo started >> "$TRACE"
while [ -e "$GATE" ]; do sleep 0.05; done
"""


class Workshop:
    """A folder with a definition, a cache of its own, and the pip configuration to serve it."""

    def __init__(self, folder: Path, environ: dict[str, str]):
        self.folder, self.environ = folder, environ
        self.progress: list[str] = []  # of the last run
        self.definition = folder / "envs/2026-11/cpu/tiny.yaml"
        self.script = self.definition.with_name("tiny.post-deploy.sh")
        self.trace, self.gate = folder / "trace", folder / "gate"

    @property
    def prefix(self) -> Path:
        digest = definition_sha256(self.definition)[:16]
        return self.folder / f"cache/envs/tiny-cpu-{digest}"

    def runs(self) -> int:
        return len(self.trace.read_text().splitlines()) if self.trace.exists() else 0

    def start(self, marker: str = "marker.json", *arguments: str, python: str = sys.executable):
        command = [python, str(ROOT / "workflow"), "deploy", "--name", "tiny"]
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

    def refused(self, *arguments, **options) -> str:
        """Fail to deploy; the one line of the message."""
        code, message = self.run(*arguments, **options)
        assert (code, len(message)) == (1, 1), message
        return message[0]

    def marker(self, name: str = "marker.json") -> dict:
        return json.loads((self.folder / name).read_text())

    def has_marker(self) -> bool:
        return (self.folder / "marker.json").exists()


@cache
def python_and_pip() -> Path:
    """Make an environment of these two once, to be copied."""
    folder = tempfile.mkdtemp(prefix="millistep-tests-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    prefix = Path(folder, "prefix")
    venv.create(prefix, symlinks=True, with_pip=True)
    return prefix


def build_wheel(folder: Path, version: str = "1.0", source: str = "") -> str:
    """Build a wheel of one module; its sha256."""
    folder.mkdir(exist_ok=True)
    about = f"tiny_thing-{version}.dist-info"
    contents = {
        "tiny_thing.py": source,
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: tiny_thing\nVersion: {version}\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{about}/RECORD": "",
    }
    wheel = folder / f"tiny_thing-{version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, content in contents.items():
            archive.writestr(path, content)
    return hashlib.sha256(wheel.read_bytes()).hexdigest()


# Builds a wheel of what lies beside it without asking an index for anything, and litters its tree
# as other backends do.
BACKEND = """\
import os, pathlib, time, zipfile

def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    with open(os.environ["TRACE"], "a") as trace:
        trace.write("built\\n")
    while os.path.exists(os.environ["GATE"]):
        time.sleep(0.05)
    pathlib.Path("litter.txt").touch()
    source = pathlib.Path("tiny_thing.py").read_text()
    compile(source, "tiny_thing.py", "exec")
    name, about = "tiny_thing-3.0-py3-none-any.whl", "tiny_thing-3.0.dist-info"
    metadata = "Metadata-Version: 2.1\\nName: Tiny_Thing\\nVersion: 3.0\\n"
    wheel = "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n"
    with zipfile.ZipFile(os.path.join(wheel_directory, name), "w") as archive:
        archive.writestr("tiny_thing.py", source)
        for file, text in {"METADATA": metadata, "WHEEL": wheel, "RECORD": ""}.items():
            archive.writestr(f"{about}/{file}", text)
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
    files = {"pyproject.toml": PYPROJECT, "backend.py": BACKEND, "tiny_thing.py": source}
    for name, text in files.items():
        put(folder / name, text)
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
        about = f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n"
        put(folder / f"leak/{name}-1.0.dist-info/METADATA", about)
    put(folder / "leak/venv.py", "raise ImportError")
    put(workshop.definition, f"dependencies:\n  - python={THIS_PYTHON}\n  - pip\n")
    build_wheel(folder / "wheels", "2.0", "SAYS = 'wheel'")
    text = LOCK.format(sha256=build_wheel(folder / "wheels"))
    script = post_deploy("a test", text)
    workshop.script.write_text(script.replace("set -eu\n", TRACED))
    return workshop
