"""The archives that an atlas is made of: those of a folder, or those that a YAML file lists."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from planning.config import ConfigError, or_one_line, read_yaml

KEYS = ("link", "path", "sha256")
LINKS = ("http", "https")
DIGEST = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True)
class Source:
    """A zip, or a link to one, and the digest that it must have, if that is known."""

    place: str
    sha256: str | None = None

    @property
    def is_link(self) -> bool:
        return urlsplit(self.place).scheme in LINKS

    @property
    def word(self) -> str:
        """A name for paths, which depends on the place alone, not on the other archives."""
        stem = re.sub("[^A-Za-z0-9._-]+", "-", Path(urlsplit(self.place).path).stem)[:80]
        return f"{stem}-{sha256(self.place.encode()).hexdigest()[:8]}"


class Archives:
    """The archives for the atlas's rules; nothing is read before a rule asks.

    asked: the configuration's `atlas`.
    """

    def __init__(self, asked: str):
        self._asked = asked

    @cached_property
    def found(self) -> dict[str, Source]:
        """All archives, by their :attr:`Source.word`."""
        return or_one_line(archives, self._asked)

    def file(self, wildcards: Any) -> list[str]:
        """Return the file that a job has as input; none for a link."""
        source = self.found[wildcards.archive]
        return [] if source.is_link else [source.place]

    def place(self, wildcards: Any) -> str:
        """Return the path or the link."""
        return self.found[wildcards.archive].place

    def digest(self, wildcards: Any) -> str:
        """Return the option that tells the reading program the expected digest, if one is known."""
        sha256 = self.found[wildcards.archive].sha256
        return f"--sha256 {sha256}" if sha256 else ""


def archives(place: str) -> dict[str, Source]:
    """The archives of a folder or of a YAML file, by :attr:`Source.word`; raises ConfigError."""
    path = Path(os.path.expanduser(place))
    if path.is_dir():
        found = [_file(zipped, "atlas") for zipped in sorted(path.rglob("*.zip"))]
    elif path.is_file():
        found = _listed(path)
    else:
        raise ConfigError(
            f"atlas: {place}: no such folder of archives, and no YAML file that lists them"
        )
    if not found:
        raise ConfigError(f"atlas: {place}: no archive is there")
    return {source.word: source for source in found}


def _listed(path: Path) -> list[Source]:
    entries = read_yaml(str(path)).get("archives")
    if not isinstance(entries, list):
        raise ConfigError(f"{path}: archives: a list of paths and links is needed")
    return [_source(entry, path, f"{path}: archives.{n}") for n, entry in enumerate(entries)]


def _source(entry: Any, file: Path, where: str) -> Source:
    asked = entry if isinstance(entry, dict) else {"path": entry}
    places = [asked[key] for key in ("link", "path") if key in asked]
    digest = asked.get("sha256")
    if {*asked} - {*KEYS} or len(places) != 1 or not isinstance(places[0], str):
        raise ConfigError(
            f"{where}: {entry!r} is not allowed; allowed are a path, a link, or a mapping of"
            " either to itself, with its sha256"
        )
    if digest is not None and not (isinstance(digest, str) and DIGEST.fullmatch(digest)):
        raise ConfigError(f"{where}.sha256: {digest!r} is not allowed; 64 hexadecimal digits are")
    try:
        found = Source(places[0], digest)
        if found.is_link:
            return found
    except ValueError as error:
        raise ConfigError(f"{where}: {places[0]}: {error}") from None
    path = file.parent / os.path.expanduser(places[0])
    if not path.is_file():
        raise ConfigError(f"{where}: {path}: no such file")
    return _file(path, where, digest)


def _file(path: Path, where: str, digest: str | None = None) -> Source:
    if set("{}") & set(str(path)):
        raise ConfigError(f"{where}: {path}: Snakemake reads no file with a brace in its path")
    return Source(path.as_posix(), digest)
