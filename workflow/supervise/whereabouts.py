"""Digests that tell apart the nodes and GPUs of one folder of results, without naming them.

A bare digest of a host's name could be guessed, so they are salted; the salt stays in the folder.
"""

import hashlib
import os
import secrets
import shutil
import tempfile
from pathlib import Path

from supervise import running

SALT = ".salt"
DIGITS = 8


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
    if not path.exists():
        results.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=results, prefix=SALT) as file:
            file.write(f"{secrets.token_hex(16)}\n")
            file.flush()
            os.fsync(file.fileno())
            try:
                os.link(file.name, path)
            except FileExistsError:
                pass  # another job was first
            except OSError:  # a file system without hard links
                shutil.copyfile(file.name, path)
    return path.read_text()
