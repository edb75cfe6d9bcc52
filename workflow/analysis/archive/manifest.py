"""The SHA-256 of every file, in the format that `sha256sum --check` reads."""

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path

from analysis.archive import MANIFEST
from analysis.formats.errors import InputError

_LINE = re.compile(r"([0-9a-f]{64})  (\S.*)")


def sha256(path: Path) -> str:
    """The SHA-256 of a file's bytes, in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def manifest_text(folder: Path, names: Iterable[str]) -> str:
    """The manifest: one line per file, sorted by name."""
    return "".join(f"{sha256(folder / name)}  {name}\n" for name in sorted(names))


def read_manifest(path: Path) -> dict[str, str]:
    """The digests by file name; raises InputError with the number of a line that is no entry."""
    digests: dict[str, str] = {}
    try:
        lines = path.read_bytes().decode("utf-8").removesuffix("\n").split("\n")
    except UnicodeDecodeError as error:
        raise InputError(f"{MANIFEST}: not UTF-8 text (byte {error.start})") from None
    for number, line in enumerate(lines, 1):
        found = _LINE.fullmatch(line)
        if not found or found[2] in digests:
            raise InputError(f"{MANIFEST}: line {number}: not one digest and name of a file")
        digests[found[2]] = found[1]
    return digests
