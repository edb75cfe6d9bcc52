"""Replace what would tell who measured, and in which folders, in everything that a run wrote.

Plan, records and logs are changed alike, before anything is drawn from them. So the archive agrees
with itself to the byte, although a record in it may spell a path otherwise than the record on the
disk. Measured values are never changed.
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

# Folders at the root of file systems; those of the kernel are the same on every machine, and stay.
TOP = {"Applications", "Library", "Users", "Volumes", "bin", "data", "etc", "gpfs", "home", "lib"}
TOP |= {"lib64", "lustre", "media", "mnt", "nfs", "nix", "opt", "private", "project", "projects"}
TOP |= {"root", "run", "sbin", "scratch", "shared", "srv", "storage", "tmp", "usr", "var", "work"}
KERNEL = {"dev", "proc", "sys"}
# The UUID of a GPU, as CUDA and nvidia-smi print it.
GPU = re.compile(
    r"\b(GPU|MIG(?:-GPU)?)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", re.I
)


@dataclass(frozen=True)
class Replacement:
    """A pattern, and the word that replaces it."""

    pattern: re.Pattern[str]
    word: str


class Scrubber:
    """Replaces the folders and names of this machine in a text."""

    def __init__(self, folders: dict[str, str], names: dict[str, str]):
        """folders, names: the words that replace each of them."""
        longest_first = sorted(folders.items(), key=lambda item: -len(item[0]))
        self.folders = [
            Replacement(re.compile(rf"{re.escape(spelled)}(?![\w.-])"), word)
            for folder, word in longest_first
            for spelled in _spellings(folder)
        ]
        self.names = [Replacement(_whole_word(name), word) for name, word in names.items() if name]

    def __call__(self, text: str) -> str:
        """The text without folders and names."""
        for replacement in self.folders:
            text = replacement.pattern.sub(lambda _, to=replacement.word: to, text)
        text = _ABSOLUTE.sub(_shortened, text)
        text = GPU.sub("<gpu>", text)
        for replacement in self.names:
            text = replacement.pattern.sub(lambda _, to=replacement.word: to, text)
        return text

    def finds_folder(self, text: str) -> str | None:
        """The first folder of this machine that a text names; None without one."""
        found = (replacement.pattern.search(text) for replacement in self.folders)
        return next((match[0] for match in found if match), None)


def scrubber_here(project: Path, sources: Iterable[str]) -> Scrubber:
    """The scrubber for this machine. A user or host name that is also a word of the sources (root,
    torch) identifies nobody, and replacing it would change what the records say: it stays.
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
    """A folder as a text, as JSON, as JSON inside JSON (an identity), and as part of an address."""
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
    """A path shortened to what lies in site-packages, or to the name of the file."""
    _, packages, inside = match[1].partition("/site-packages/")
    return f"<path>/{packages[1:]}{inside}" if packages else f"<path>/{match[1].rpartition('/')[2]}"
