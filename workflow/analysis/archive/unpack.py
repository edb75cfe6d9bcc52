"""Taking an archive apart that somebody else may have made: what could do harm is refused."""

import shutil
import stat
import struct
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from analysis.archive import MANIFEST, plan_among
from analysis.archive.contents import files_below
from analysis.archive.manifest import read_manifest, sha256
from analysis.formats.errors import InputError
from analysis.formats.text import plain
from analysis.results.loading import load_results
from analysis.results.results import Results
from packing.sealed_zip import CHUNK_BYTES, is_sealed

MAX_FILES = 200_000
MAX_FILE_BYTES = 64 * 2**20
MAX_TOTAL_BYTES = 2 * 2**30
MAX_RATIO = 100  # size of the files over that of the zip; our own reach about 15
SMALL_BYTES = 16 * 2**20  # no bomb, whatever the ratio
MAX_NAME = 240  # characters
READABLE = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
ENCRYPTED = 0x1
FORBIDDEN = set('\\:*?"<>|')  # in a name on one system or another
# What zipfile raises for a file that is broken, encrypted, or compressed in another way.
BROKEN = (zipfile.BadZipFile, EOFError, ValueError, RuntimeError, OverflowError, IndexError)
BROKEN += (zlib.error, struct.error)


@dataclass(frozen=True)
class Unpacked:
    """An archive's files below `folder`. `digests` is its manifest, `problems` what is wrong with a
    file, by name; a file that could not be read is not in the folder. `sealed`: the zip is, byte by
    byte, as it was made.
    """

    folder: Path
    digests: dict[str, str]
    problems: dict[str, str]
    sealed: bool

    @property
    def names(self) -> list[str]:
        """The names of all files that are there, sorted, without the manifest."""
        return sorted(name for name in self.digests if (self.folder / name).is_file())

    def intact(self) -> Path:
        """The folder; raises InputError where a file is not as it was archived."""
        if self.problems:
            raise InputError(f"{name}: {why}" for name, why in self.problems.items())
        return self.folder


def results_in(folder: Path) -> Results:
    """The results of an unpacked archive; no message names the folder."""
    try:
        return load_results(folder / plan_among(files_below(folder, "results")))
    except InputError as error:
        raise InputError(line.replace(f"{folder}/", "") for line in error.lines) from None


def unpack(path: Path, folder: Path) -> Unpacked:
    """Unpack below `folder`, which is empty. Raises InputError for what is no archive of ours, or
    would reach out of the folder, fill the disk, or mean different files on different systems.
    """
    if not path.is_file():
        raise InputError(f"{path}: {'not a file' if path.exists() else 'no such file'}")
    problems: dict[str, str] = {}
    with _opened(path) as archive:
        entries = [entry for entry in _checked(archive, path) if not entry.is_dir()]
        for entry in entries:
            if why := _extract(archive, entry, folder):
                problems[entry.filename] = why
    if MANIFEST in problems:
        raise InputError(f"{path}: {MANIFEST}: {problems[MANIFEST]}")
    return _compared(path, folder, {entry.filename for entry in entries}, problems)


def _opened(path: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(path)
    except (*BROKEN, OSError) as error:
        raise InputError(f"{path}: not a zip file that can be read ({_reason(error)})") from None


def _compared(path: Path, folder: Path, found: set[str], problems: dict[str, str]) -> Unpacked:
    """Check the files against the manifest; what is wrong with one is added to `problems`."""
    if MANIFEST not in found:
        raise InputError(f"{path}: holds no {MANIFEST}, so it is no archive of results")
    digests = read_manifest(folder / MANIFEST)
    if extra := sorted(found - digests.keys() - {MANIFEST}):
        raise InputError(f"{path}: {extra[0]}: not in the manifest ({len(extra)} such)")
    for name, digest in digests.items():
        if name not in found:
            problems[name] = "in the manifest, but not in the archive"
        elif name not in problems and sha256(folder / name) != digest:
            problems[name] = "its SHA-256 is not the manifest's"
    return Unpacked(folder, digests, problems, is_sealed(path))


def _checked(archive: zipfile.ZipFile, path: Path) -> Sequence[zipfile.ZipInfo]:
    """The entries of a zip; raises InputError if one is dangerous, or all are too many or large."""
    entries = archive.infolist()
    total = sum(entry.file_size for entry in entries)
    allowed = min(MAX_TOTAL_BYTES, max(SMALL_BYTES, MAX_RATIO * path.stat().st_size))
    if len(entries) > MAX_FILES or total > allowed:
        raise InputError(
            f"{path}: {len(entries)} files of {total / 2**20:.0f} MiB in all are more than are "
            "unpacked from a zip of this size"
        )
    for entry in entries:
        if why := _refusal(entry):
            raise InputError(f"{path}: {plain(entry.orig_filename)[:MAX_NAME]!r}: {why}")
    _check_unambiguous(entries, path)
    return entries


def _refusal(entry: zipfile.ZipInfo) -> str | None:
    """Why an entry is not unpacked; None for a plain file or folder with a plain relative name."""
    name, kind = entry.orig_filename, stat.S_IFMT(entry.external_attr >> 16)
    parts = name.removesuffix("/").split("/")
    if not name.isprintable() or FORBIDDEN & set(name) or len(name) > MAX_NAME:
        return "not a name that every system takes"
    if any(part in ("", ".", "..") or part != part.strip() for part in parts):
        return "a path that is absolute, or not written plainly"
    if kind not in (0, stat.S_IFDIR if entry.is_dir() else stat.S_IFREG):
        return "neither a file nor a folder, but a link or a device"
    if entry.flag_bits & ENCRYPTED or entry.compress_type not in READABLE:
        return "encrypted, or compressed in an unusual way"
    if entry.file_size > (0 if entry.is_dir() else MAX_FILE_BYTES):
        return f"{entry.file_size / 2**20:.0f} MiB, too large"
    return None


def _check_unambiguous(entries: Sequence[zipfile.ZipInfo], path: Path) -> None:
    """Raise InputError if two names are equal but for case, or a file is the folder of another."""
    files = [entry.filename.casefold() for entry in entries if not entry.is_dir()]
    folders = {str(parent) for name in files for parent in PurePosixPath(name).parents}
    seen = set(folders)
    for name in files:
        if name in seen:
            raise InputError(f"{path}: {name!r}: twice, but for upper and lower case")
        seen.add(name)


def _extract(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, folder: Path) -> str | None:
    """Write one file; returns what is wrong with it, or None."""
    target = folder / entry.filename
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        source = archive.open(entry)
    except (*BROKEN, OSError) as error:  # OSError: an offset before the file's first byte
        return f"cannot be read ({_reason(error)})"
    try:
        # In chunks: a stream may hold more than its entry declares.
        with source, target.open("xb") as file:
            shutil.copyfileobj(source, file, CHUNK_BYTES)
    except BROKEN as error:
        target.unlink(missing_ok=True)
        return f"cannot be read ({_reason(error)})"
    return None


def _reason(error: Exception) -> str:
    return plain(str(error))[:MAX_NAME] or type(error).__name__
