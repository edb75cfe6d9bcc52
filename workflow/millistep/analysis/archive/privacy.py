"""Replace folders, user name and host name in everything that a run wrote.

Plan and records are changed alike before anything is rendered from them, so an archive agrees with
itself to the byte. Measured values never change.
"""

from __future__ import annotations

import getpass
import json
import os
import re
import socket
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

# Folders at the root of file systems. Those of the kernel are equal on every machine and stay.
TOP = {"Applications", "Library", "Users", "Volumes", "bin", "data", "etc", "gpfs", "home", "lib"}
TOP |= {"lib64", "lustre", "media", "mnt", "nfs", "nix", "opt", "private", "project", "projects"}
TOP |= {"beegfs", "ccs", "cfs", "fsx", "global", "pfs", "pscratch", "ptmp", "users", "vast"}
TOP |= {"root", "run", "sbin", "scratch", "shared", "srv", "storage", "tmp", "usr", "var", "work"}
KERNEL = {"dev", "proc", "sys"}
# The UUID of a GPU, as CUDA and nvidia-smi print it.
GPU = re.compile(
    r"\b(GPU|MIG(?:-GPU)?)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", re.I
)


@dataclass(frozen=True)
class Replacement:
    """A pattern and the word that replaces it."""

    pattern: re.Pattern[str]
    word: str

    def made_in(self, text: str) -> str:
        """Return the text with the word, as it is, in place of the pattern."""
        return self.pattern.sub(lambda _: self.word, text)


class Scrubber:
    """Replace the folders and names of this machine in a text."""

    def __init__(self, folders: dict[str, str], names: dict[str, str]):
        """Take the words that replace each folder and each name."""
        longest_first = sorted(folders.items(), key=lambda item: -len(item[0]))
        self.folders = [
            Replacement(re.compile(rf"{re.escape(spelled)}(?![\w.-])"), word)
            for folder, word in longest_first
            for spelled in _spellings(folder)
        ]
        self.names = [Replacement(_whole_word(name), word) for name, word in names.items() if name]

    def __call__(self, text: str) -> str:
        """Return the text without folders and names."""
        for replacement in self.folders:
            text = replacement.made_in(text)
        text = _ABSOLUTE.sub(_shortened, text)
        text = GPU.sub("<gpu>", text)
        for replacement in self.names:
            text = replacement.made_in(text)
        return text

    def finds_folder(self, text: str) -> str | None:
        """Return the first folder of this machine in a text; None without one."""
        found = (replacement.pattern.search(text) for replacement in self.folders)
        return next((match[0] for match in found if match), None)


def scrubber_here(project: Path, sources: Iterable[str]) -> Scrubber:
    """Return the scrubber for this machine.

    A user or host name that is also a word of the sources (root, torch) stays: it identifies
    nobody, and replacing it would change the records.
    """
    home = Path.home()
    user = os.environ.get("XDG_CACHE_HOME") or home / ".cache"
    cache = Path(os.environ.get("MILLISTEP_CACHE") or Path(user, "millistep"))
    folders = {project: "<project>", cache: "<cache>", home: "~"}
    spelled = {
        str(path): word
        for folder, word in folders.items()
        for path in (folder.absolute(), folder.resolve())
        if len(path.parts) > 1
    }
    names = {home.name: "<user>"}
    with suppress(OSError, KeyError):  # a user without an account, as containers have
        names[getpass.getuser()] = "<user>"
    host = socket.gethostname()
    names |= {host: "<host>", host.partition(".")[0]: "<host>"}
    for text in sources:
        names = {name: word for name, word in names.items() if not _whole_word(name).search(text)}
    return Scrubber(spelled, names)


def _spellings(folder: str) -> list[str]:
    """Return a folder as text, as JSON, as JSON inside JSON (a fingerprint), and in a URL."""
    once = json.dumps(folder)[1:-1]
    return list(dict.fromkeys((folder, once, json.dumps(once)[1:-1], quote(folder))))


def _whole_word(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![A-Za-z0-9]){re.escape(name)}(?![A-Za-z0-9])")


def _absolute() -> re.Pattern[str]:
    here = set(os.listdir("/")) if os.path.isdir("/") else set()
    top = "|".join(map(re.escape, sorted((TOP | here) - KERNEL)))
    return re.compile(
        rf"(?:(?<=file://)|(?<![\w.~>/-]))/(?:{top})((?:/[^\s\"'`:;,()<>\[\]{{}}|\\]+)?)(?![\w])"
    )


_ABSOLUTE = _absolute()


def _shortened(match: re.Match[str]) -> str:
    """Return a path from site-packages on, or only the name of its file."""
    _, packages, inside = match[1].partition("/site-packages/")
    return f"<path>/{packages[1:]}{inside}" if packages else f"<path>/{match[1].rpartition('/')[2]}"
