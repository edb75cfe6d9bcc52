"""Digests that tell apart the nodes and GPUs of one folder of results, without naming them.

A bare digest of a host's name could be guessed, so they are salted; the salt stays in the folder.
"""

import hashlib
import os
import secrets
import time
from pathlib import Path

from supervise import running

SALT = ".salt"
DIGITS = 8
PATIENCE_S = 10.0  # time for another job to finish writing the salt


def node(results: Path) -> str:
    """This machine's digest in this folder of results: 8 hexadecimal digits."""
    return _salted(results, running.node())


def device(results: Path, uuid: str | None) -> str | None:
    """A GPU's digest in this folder of results: 8 hexadecimal digits; None without a GPU."""
    return uuid and _salted(results, uuid)


def _salted(results: Path, name: str) -> str:
    return hashlib.sha256((_salt(results) + name).encode()).hexdigest()[:DIGITS]


def _salt(results: Path) -> str:
    """The folder's salt, drawn by the job that needs it first; raises OSError."""
    path = results / SALT
    results.mkdir(parents=True, exist_ok=True)
    try:
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except FileExistsError:
        end = time.monotonic() + PATIENCE_S
        while not (found := path.read_text()).endswith("\n"):
            if time.monotonic() > end:
                raise OSError(0, "is not whole, remove it", str(path)) from None
            time.sleep(0.05)
        return found
    with open(descriptor, "w") as file:
        file.write(found := f"{secrets.token_hex(16)}\n")
    return found
