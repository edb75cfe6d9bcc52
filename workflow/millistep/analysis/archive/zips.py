"""Zip files with the same bytes for the same content. Only the standard library is imported."""

import os
import stat
import zipfile
from collections.abc import Mapping
from pathlib import Path

EARLIEST = (1980, 1, 1, 0, 0, 0)  # the earliest time that a zip can hold
UNIX = 3


def write_zip(files: Mapping[str, Path | bytes], output: Path) -> None:
    """Write files, or contents, under their names; replace `output` only when all is written."""
    output.parent.mkdir(parents=True, exist_ok=True)
    partial = output.with_name(f".{output.name}.partial")
    try:
        with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for name, file in sorted(files.items()):
                entry = zipfile.ZipInfo(name, EARLIEST)
                entry.create_system = UNIX
                entry.external_attr = (stat.S_IFREG | 0o644) << 16
                entry.compress_type = zipfile.ZIP_DEFLATED
                content = file if isinstance(file, bytes) else file.read_bytes()
                archive.writestr(entry, content, compresslevel=9)
        os.replace(partial, output)
    finally:
        partial.unlink(missing_ok=True)
