"""What tests of several folders ask for: the sources, schemas, and processes that end."""

import contextlib
import json
import subprocess
import time
from pathlib import Path

import jsonschema

ROOT = Path(__file__).resolve().parents[1]


def schema(name: str) -> dict:
    """Of a file; a canary is a part of a block's."""
    file = "block" if name == "canary" else name
    found = json.loads((ROOT / f"workflow/schemas/{file}.schema.json").read_text())
    return {**found, **found["$defs"]["canary"]} if name == "canary" else found


def valid(document: dict, name: str) -> dict:
    """The document, which must be as its schema says."""
    jsonschema.validate(document, schema(name))
    return document


def put(path: Path, text: str, program: bool = False) -> Path:
    """A file with this text, and its folders; program: one that can be run."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    if program:
        path.chmod(0o755)
    return path


def succeed(command: list[str], **options) -> str:
    """What a command says on both streams; it must succeed."""
    done = subprocess.run(command, capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def wait_for(path: Path, seconds: float = 30) -> str:
    """What a file holds, once it holds something."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if path.exists() and (text := path.read_text()):
            return text
        time.sleep(0.05)
    raise AssertionError(f"{path} did not appear")


def gone(*pids: int, seconds: float = 10) -> bool:
    """Whether processes have ended within this time, or only wait to be forgotten."""
    end = time.monotonic() + seconds
    while any(map(_runs, pids)) and time.monotonic() < end:
        time.sleep(0.05)
    return not any(map(_runs, pids))


def _runs(pid: int) -> bool:
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False
