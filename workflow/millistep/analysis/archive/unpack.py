"""Unpack a zip of a stranger: refuse names, sizes and entries that could do harm."""

import shutil
import stat
import struct
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from millistep.analysis.load import InputError
from millistep.analysis.words import one_line

MAX_FILES, MAX_FILE_BYTES, MAX_TOTAL_BYTES = 200_000, 64 * 2**20, 2 * 2**30
MAX_RATIO, SMALL_BYTES = 100, 16 * 2**20  # of files to zip, if the files are not small
MAX_NAME, FORBIDDEN = 240, set('\\:*?"<>|')  # characters in a name of some system
# zipfile raises all of these.
BROKEN: tuple[type[Exception], ...] = (zipfile.BadZipFile, zlib.error, struct.error, EOFError)
BROKEN += (OSError, ValueError, RuntimeError, OverflowError, IndexError)


def unpack(path: Path, folder: Path) -> dict[str, str]:
    """Unpack files into an empty folder; return why a file could not be read, by its name."""
    problems = {}
    try:
        archive = zipfile.ZipFile(path)
    except BROKEN as error:
        missing = isinstance(error, FileNotFoundError)
        why = "no such file" if missing else f"not a zip file ({one_line(str(error), 80)})"
        raise InputError(f"{path}: {why}") from None
    with archive:
        entries = [entry for entry in archive.infolist() if not entry.is_dir()]
        if problem := _refusal(entries, path.stat().st_size):
            raise InputError(f"{path}: refused, {problem}")
        for entry in entries:
            target = folder / entry.filename
            target.parent.mkdir(parents=True, exist_ok=True)
            try:
                with archive.open(entry) as source, target.open("xb") as file:
                    shutil.copyfileobj(source, file, 2**20)  # never more than file_size
            except BROKEN as error:
                target.unlink(missing_ok=True)
                problems[entry.filename] = f"unreadable ({one_line(str(error), 80)})"
    return problems


def _refusal(entries: list[zipfile.ZipInfo], zip_bytes: int) -> str:
    """Return why the entries must not be unpacked; '' if they may be."""
    total, most = sum(e.file_size for e in entries), max(SMALL_BYTES, MAX_RATIO * zip_bytes)
    if len(entries) > MAX_FILES or total > min(MAX_TOTAL_BYTES, most):
        return (
            f"{len(entries)} files of {total / 2**20:.0f} MiB are too many or too large; allowed"
            f" are {MAX_FILES:,} files, {MAX_TOTAL_BYTES >> 20:,} MiB, {MAX_RATIO} times the zip"
        )
    names = [entry.filename.casefold() for entry in entries]
    taken = {str(parent) for name in names for parent in PurePosixPath(name).parents}
    for entry, folded in zip(entries, names, strict=True):
        name, kind = entry.orig_filename, stat.S_IFMT(entry.external_attr >> 16)
        plain = name.isprintable() and not FORBIDDEN & set(name) and len(name) <= MAX_NAME
        plain &= all(p == p.strip() and p not in ("", ".", "..") for p in name.split("/"))
        if not plain or folded in taken:
            return f"{one_line(name, 80)!r} is no plain, unique, relative path"
        usual = entry.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
        if not usual or kind not in (0, stat.S_IFREG) or entry.file_size > MAX_FILE_BYTES:
            return f"{name!r} is a link, a device, too large, or compressed in an unusual way"
        taken.add(folded)
    return ""
