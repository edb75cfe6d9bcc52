"""A sealed zip: the same files give the same bytes, and a seal covers every one of them.

The seal is the zip's comment: the SHA-256 of the whole file without the digest itself. It also
breaks if a change does not touch the contents: of a time, an attribute, an unused bit of a stream.
"""

from __future__ import annotations

import hashlib
import stat
import zipfile
from collections.abc import Mapping
from pathlib import Path

SEAL = b"sha256 of all bytes before this digest: "
DIGEST_LENGTH = 64  # hexadecimal digits
UNIX = 3
EARLIEST = (1980, 1, 1, 0, 0, 0)  # the earliest time that a zip can hold
CHUNK_BYTES = 2**20


def write_zip(
    files: Mapping[str, Path | bytes], output: Path, moment: tuple[int, ...] = EARLIEST
) -> None:
    """Write files, or contents, by their names; `moment` (year to second) is the time of all."""
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, file in sorted(files.items()):
            entry = zipfile.ZipInfo(name, moment)
            entry.create_system = UNIX
            entry.external_attr = (stat.S_IFREG | 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            content = file if isinstance(file, bytes) else file.read_bytes()
            archive.writestr(entry, content, compresslevel=9)
        archive.comment = SEAL + b"0" * DIGEST_LENGTH
    with output.open("r+b") as file:
        file.seek(-DIGEST_LENGTH, 2)
        file.write(_digest(output).encode())


def is_sealed(path: Path) -> bool:
    """True if every byte is as `write_zip` wrote it."""
    with path.open("rb") as file:
        file.seek(-min(path.stat().st_size, len(SEAL) + DIGEST_LENGTH), 2)
        return file.read() == SEAL + _digest(path).encode()


def _digest(path: Path) -> str:
    """SHA-256 of a file without its last DIGEST_LENGTH bytes."""
    left, digest = path.stat().st_size - DIGEST_LENGTH, hashlib.sha256()
    with path.open("rb") as file:
        while left > 0 and (chunk := file.read(min(left, CHUNK_BYTES))):
            digest.update(chunk)
            left -= len(chunk)
    return digest.hexdigest()
