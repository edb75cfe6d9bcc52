"""Shared by tests of several folders: the sources, contracts, files, and processes that end."""

import contextlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import TypeVar

from millistep.contracts.base import violation
from millistep.contracts.published import CONTRACTS

T = TypeVar("T")
ROOT = Path(__file__).resolve().parents[1]
SMALL_NETS = str(ROOT / "studies/cpu_against_gpu")  # a user's folder


def valid(document: dict, name: str) -> dict:
    """Check a document by its contract, and return it."""
    assert violation(CONTRACTS[name], document) == ""
    return document


def put(path: Path, text: str, program: bool = False) -> Path:
    """Write a file with this text, and its folders; program: one that can be run."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    if program:
        path.chmod(0o755)
    return path


def copy_tree(folder: Path, left_out: tuple[str, ...] = ()) -> None:
    """Copy the files of this project as they are in the working tree, nothing generated."""
    list_files = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(list_files, cwd=ROOT, capture_output=True, check=True, text=True)
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file() and not name.startswith(left_out):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)


def commit(folder: Path, message: str) -> None:
    """Commit all files of a folder, which becomes a repository if it is none."""
    git = ["git", "-C", str(folder), "-c", "user.name=n", "-c", "user.email=e"]
    for words in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "-m", message]):
        subprocess.run([*git, *words], check=True)


def custom_model(folder: Path) -> Path:
    """Write the files of docs/custom-model.md into a folder of the user's; its model's folder."""
    files = re.compile(r"^`my-models/(\S+)`:\n\n```\w+\n(.*?)^```$", re.M | re.S)
    for name, content in files.findall((ROOT / "docs/custom-model.md").read_text()):
        put(folder / name, content)
    return folder / "models/mlp"


def module_of(path: Path) -> ModuleType:
    """Import a file that is in no package."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def set_in(document: dict, place: tuple, value: object) -> None:
    """Set the value at a place in a document, given by the keys and numbers on the way there."""
    *above, last = place
    for step in above:
        document = document[step]
    document[last] = value


def succeed(command: list[str], **options) -> str:
    """Run a command, which must succeed; what it says on both streams."""
    done = subprocess.run(command, capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def python(*words: object, workflow: Path = ROOT / "workflow", **options) -> str:
    """Run this Python with our modules, which must succeed; what it says on both streams."""
    path = os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), str(workflow)]))
    ours = {"PYTHONPATH": path, "PYTHONIOENCODING": "ascii", "PYTHONDONTWRITEBYTECODE": "1"}
    return succeed([sys.executable, *map(str, words)], env={**os.environ, **ours}, **options)


def until(asked: Callable[[], T], seconds: float = 30) -> T:
    """What is asked for, once it is there or true; what it is after these seconds, if it is not."""
    end = time.monotonic() + seconds
    while not (found := asked()) and time.monotonic() < end:
        time.sleep(0.05)
    return found


def wait_for(path: Path, seconds: float = 30) -> str:
    """The content of a file, once it has some."""
    text = until(lambda: path.read_text() if path.exists() else "", seconds)
    assert text, f"{path} did not appear"
    return text


def gone(*pids: int, seconds: float = 10) -> bool:
    """True if processes have ended within these seconds, or are zombies."""
    return until(lambda: not any(map(_runs, pids)), seconds)


def _runs(pid: int) -> bool:
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False
