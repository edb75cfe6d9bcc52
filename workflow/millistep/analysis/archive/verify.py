"""Verify an archive: every digest, and all that is rendered against what its records render to.

Nothing from the archive is run. Exit status 0: identical; 1: differs; 2: no archive that can be
checked; 3: not verifiable here, because other sources or libraries rendered it.
"""

import re
import shutil
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Any

from millistep.analysis.archive import ABOUT, CRATE, SUMS, contents
from millistep.analysis.archive.citation import citation
from millistep.analysis.archive.contents import ROOT, sha256
from millistep.analysis.archive.crate import metadata
from millistep.analysis.archive.unpack import unpack
from millistep.analysis.load import InputError, read
from millistep.analysis.report.render import render
from millistep.analysis.words import one_line, some
from millistep.contracts.plan import Plan
from millistep.contracts.results import Archive

IDENTICAL, DIFFERS, NO_ARCHIVE, NOT_VERIFIABLE = 0, 1, 2, 3
PLAN = re.compile(r"results(/studies/\w+)?/plan\.json")
OWN_FOLDER = re.compile(r"studies/\w+")  # code of this repository, which may run


@dataclass
class Verification:
    """Problems and differences by file, and why other sources or libraries may explain them."""

    files: int = 0
    rendered: int = 0
    digest: str = ""
    revision: str | None = None
    problems: dict[str, str] = field(default_factory=dict)
    differences: dict[str, str] = field(default_factory=dict)
    reasons: list[str] = field(default_factory=list)

    @property
    def status(self) -> int:
        if self.problems or (self.differences and not self.reasons):
            return DIFFERS
        return NOT_VERIFIABLE if self.differences else IDENTICAL


def verify(path: Path, scratch: Path) -> Verification:
    """Check an archive in an empty folder; InputError for a file that is no archive."""
    archive, again = scratch / "archive", scratch / "again"
    archive.mkdir()
    found, place, plan = _opened(path, archive)
    measured = contents.measured(plan, archive)
    for name in measured:
        (again / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(archive / name, again / name)
    found.digest = contents.digest(plan, again)
    _compare_makers(archive, found)
    try:
        _render(again, place, [*dict.fromkeys(contents.folders(plan))], archive, found)
    except InputError:
        raise
    except Exception as error:  # the plan may be a stranger's
        words = one_line(f"{type(error).__name__}: {error}", 120)
        raise InputError(f"{path}: cannot be rendered ({words})") from None
    _compare(archive, again, plan["results"], set(measured), found)
    return found


def intact(path: Path, folder: Path) -> Path:
    """Unpack an archive, all of whose digests must fit, and return the path of its plan."""
    found, place, _ = _opened(path, folder)
    if found.problems:
        name, problem = min(found.problems.items())
        raise InputError(f"{path}: {name}: {problem}")
    return folder / place


def _opened(path: Path, folder: Path) -> tuple[Verification, str, dict[str, Any]]:
    """Unpack an archive and check its digests; return findings, name and content of its plan."""
    problems, names = unpack(path, folder), _files(folder)
    places = [name for name in names if PLAN.fullmatch(name)]
    if SUMS not in names or ABOUT not in names or len(places) != 1:
        raise InputError(f"{path}: not an archive: it needs {SUMS}, {ABOUT} and one plan.json")
    found = Verification(files=len(names), problems=problems)
    _check_sums(folder, names - {SUMS}, found)
    plan = read(folder / places[0], Plan, places[0])
    if f"{plan['results']}/plan.json" != places[0]:
        raise InputError(f"{places[0]}: results: {one_line(plan['results'], 60)} is another folder")
    return found, places[0], plan


def _check_sums(archive: Path, names: set[str], found: Verification) -> None:
    text = (archive / SUMS).read_bytes().decode("utf-8", "replace")
    sums = dict(line.split("  ", 1)[::-1] for line in text.splitlines() if "  " in line)
    for name in sorted(names | sums.keys()):
        if name not in sums:
            found.problems.setdefault(name, f"not in {SUMS}")
        elif name not in names:
            found.problems.setdefault(name, "missing")
        elif sha256(archive / name) != sums[name]:
            found.problems[name] = f"its SHA-256 is not that of {SUMS}"


def _compare_makers(archive: Path, found: Verification) -> None:
    """Note the sources and libraries that are others here."""
    about = read(archive / ABOUT, Archive, ABOUT)
    found.revision = about["revision"]
    theirs, ours = contents.rendering(archive), contents.rendering()
    if other := sorted(n for n in theirs | ours if theirs.get(n) != ours.get(n)):
        found.reasons.append(f"other sources here: {some(other)}")
    made, here = about["made_with"], contents.made_with()
    for name in sorted(n for n in made.keys() | here.keys() if made.get(n) != here.get(n)):
        versions = one_line(f"{name} {made.get(name)}, here {here.get(name)}", 100)
        found.reasons.append(f"rendered with {versions}")


def _render(
    project: Path, place: str, folders: list[str], archive: Path, found: Verification
) -> None:
    """Render with our own sources; topics of folders only if all are of this repository."""
    own = [f for f in folders if OWN_FOLDER.fullmatch(f) and (ROOT / f).is_dir()]
    for topic in (f"{folder}/analysis.py" for folder in own):
        paths = (archive / topic, ROOT / topic)
        theirs, ours = (sha256(path) if path.is_file() else "" for path in paths)
        if theirs != ours:
            found.reasons.append(f"other sources here: {topic}")
    for folder in own:
        (project / folder).parent.mkdir(parents=True, exist_ok=True)
        (project / folder).symlink_to(ROOT / folder)
    if own != folders and any((archive / folder / "analysis.py").is_file() for folder in folders):
        found.reasons.append("topics of its folders are code of the archive, which is not run")
    data = render(project / place, (project / place).parent, study_topics=own == folders)
    (project / CRATE).write_text(metadata(data, citation(ROOT), found.digest))


def _compare(
    archive: Path, again: Path, results: str, measured: set[str], found: Verification
) -> None:
    """Compare what is not measured with what was rendered, byte for byte."""
    theirs, ours = (
        {n for n in _files(root) if n.startswith(f"{results}/") or n == CRATE} - measured
        for root in (archive, again)
    )
    found.rendered = len(ours)
    found.differences |= dict.fromkeys(theirs - ours, "does not follow from the records")
    found.differences |= dict.fromkeys(ours - theirs, "missing")
    for name in sorted(theirs & ours):
        if (old := (archive / name).read_bytes()) != (new := (again / name).read_bytes()):
            found.differences[name] = first_difference(old, new)


def _files(root: Path) -> set[str]:
    return {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}


def first_difference(found: bytes, expected: bytes, most: int = 60) -> str:
    """Return 'line 5: 20.02, expected 20.01', cut around the first character that differs."""
    if b"\0" in found + expected:
        return "other bytes"
    texts = (content.decode("utf-8", "replace").split("\n") for content in (found, expected))
    lines = enumerate(zip_longest(*texts, fillvalue=""), 1)
    number, (old, new) = next((number, pair) for number, pair in lines if pair[0] != pair[1])
    same = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), 0)
    start = max(0, same - most // 2)
    shown = [one_line(text[start:], most) or "nothing" for text in (old, new)]
    return f"line {number}: {shown[0]}, expected {shown[1]}"
