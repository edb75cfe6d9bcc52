"""The checks of an archive: its files, its schemas, and its results against those drawn anew; what
they find, and the verdict that follows. Nothing that an archive holds is ever run.
"""

import hashlib
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from analysis.archive import ABOUT, CITATION, CRATE, ROOT, plan_among
from analysis.archive.about import made_with
from analysis.archive.contents import DRAWING, other_names, raw_names, source_names
from analysis.archive.crate import crate_json
from analysis.archive.differences import first_difference
from analysis.archive.manifest import sha256
from analysis.archive.rebuild import rebuild
from analysis.archive.unpack import Unpacked, unpack
from analysis.formats.errors import InputError
from analysis.formats.strict_json import SCHEMAS, read_json, validate
from analysis.formats.text import listed
from analysis.report.citation import read_citation
from analysis.results.loading import load_results
from analysis.results.plan import load_plan
from analysis.results.results import Results

IDENTICAL, DIFFERENT, UNDECIDED = 0, 1, 3
ONLY_DRAW = ("matplotlib", "freetype", "pillow", "contourpy")  # they change no number
REQUIRED = (ABOUT, CITATION, CRATE, "LICENSE", "workflow/Snakefile")
DRAWN = (".svg", ".png", ".pdf")
FOLLOWS_FROM_NOTHING = "follows neither from the plan nor from the records"
_SCHEMA = re.compile(r"millistep\.(\w+)/\d+")

Rebuild = Callable[[Path, str, str | None], None]


@dataclass(frozen=True)
class Unequal:
    """A result that differs when drawn here: at which place, and whether only in a figure."""

    place: str
    in_figure: bool


@dataclass
class Verification:
    """The findings: files that cannot be right with the reason, results that differ when drawn
    here, and the sources and versions (theirs, ours) that may explain it. `digest` is that of plan
    and records, `revision` that of the sources in it.
    """

    files: int
    sealed: bool
    wrong: dict[str, str] = field(default_factory=dict)
    unequal: dict[str, Unequal] = field(default_factory=dict)
    redrawn: int = 0
    same: int = 0
    passed: int = 0
    sources: list[str] = field(default_factory=list)
    versions: dict[str, tuple[str, str]] = field(default_factory=dict)
    revision: str | None = None
    digest: str = ""

    @property
    def status(self) -> int:
        """IDENTICAL, DIFFERENT or, where only other sources or versions differ, UNDECIDED."""
        if self.wrong or not self.sealed or not all(map(self.excuse, self.unequal.values())):
            return DIFFERENT
        return UNDECIDED if self.unequal else IDENTICAL

    def excuse(self, unequal: Unequal) -> str:
        """Why a result may rightly differ here; empty when there is no reason."""
        reasons = [
            f"{package} {theirs}, here {ours}"
            for package, (theirs, ours) in self.versions.items()
            if unequal.in_figure or package not in ONLY_DRAW
        ]
        parts = [f"drawn with {listed(reasons)}"] if reasons else []
        return "; ".join([*parts, *(["drawn by other sources"] if self.sources else [])])


def verify(path: Path, folder: Path, draw: Rebuild = rebuild) -> Verification:
    """Unpack below `folder`, which is empty, and check everything; `draw` makes the results of a
    project. Raises InputError for a file that is no archive.
    """
    (folder / "archive").mkdir()
    archive = unpack(path, folder / "archive")
    found = Verification(len(archive.digests), archive.sealed, dict(archive.problems))
    for name in REQUIRED:
        if name not in archive.digests:
            found.wrong[name] = "missing"
    _check_schemas(archive, found)
    if ABOUT not in found.wrong:
        _compare_makers(archive, found)
    try:
        anew = folder / "anew"
        measured = _draw_anew(archive, anew, draw, found)
        _compare_results(archive, anew, measured, found)
        results = load_results(anew / plan_among(archive.names))
        found.digest = results.digest
        _compare_crate(archive, results, found)
        _check_environments(archive, results, found)
    except InputError as error:
        for line in error.lines:
            name, _, message = line.removeprefix(f"{archive.folder}/").partition(": ")
            found.wrong.setdefault(name, f"nothing could be drawn anew: {message or line}")
    return found


def _check_schemas(archive: Unpacked, found: Verification) -> None:
    """Check that every JSON file of ours names a schema and passes it."""
    for name in archive.names:
        if name == ABOUT or (name.startswith("results/") and name.endswith(".json")):
            try:
                found.passed += _passes(archive, name)
            except InputError as error:
                found.wrong.setdefault(name, error.lines[0].removeprefix(f"{name}: "))


def _passes(archive: Unpacked, name: str) -> bool:
    """True if a file passes the schema that it names, False if only the sources in the archive have
    that one: nothing here reads such a file. Raises InputError for all others.
    """
    data = read_json(archive.folder / name, name)
    stated = data.get("schema") if isinstance(data, dict) else None
    known = _SCHEMA.fullmatch(stated) if isinstance(stated, str) else None
    schema = f"{known[1]}.schema.json" if known else ""
    if known and (SCHEMAS / schema).is_file():
        validate(data, known[1], name)
        return True
    if known and f"workflow/schemas/{schema}" in archive.names:
        return False
    raise InputError(f"{name}: /schema: names no schema that is known here")


def _compare_makers(archive: Unpacked, found: Verification) -> None:
    """Compare the sources and versions that made the archive with those here."""
    theirs = {name for name in archive.names if name.startswith(DRAWING)}
    ours = {name for name in source_names(ROOT, ()) if name.startswith(DRAWING)}
    found.sources = sorted(
        (theirs ^ ours)
        | {n for n in theirs & ours if sha256(archive.folder / n) != sha256(ROOT / n)}
    )
    about = read_json(archive.folder / ABOUT, ABOUT)
    found.revision = about["revision"]
    made, here = about["made_with"], made_with()
    found.versions = {
        name: (made.get(name, "none"), here.get(name, "none"))
        for name in sorted(made.keys() | here.keys())
        if made.get(name) != here.get(name)
    }


def _draw_anew(archive: Unpacked, project: Path, draw: Rebuild, found: Verification) -> set[str]:
    """Make a project of the measured files and draw the rest; returns the measured names."""
    place = plan_among(archive.names)
    plan = load_plan(archive.folder / place)
    measured = {*raw_names(plan, archive.names), *other_names(plan, archive.names)}
    for name in measured:
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(archive.folder / name, project / name)
    draw(project, place, found.revision)
    return measured


def _compare_results(
    archive: Unpacked, anew: Path, measured: set[str], found: Verification
) -> None:
    """Compare all of results/ with what was measured and with what was drawn anew."""
    expected = {path.relative_to(anew).as_posix() for path in anew.rglob("*") if path.is_file()}
    there = {name for name in archive.names if name.startswith("results/")}
    found.redrawn = len(expected - measured)
    found.same = sum(_same(archive.folder / name, anew / name) for name in expected - measured)
    for name in sorted(expected | there):
        if name not in there:
            found.wrong.setdefault(name, "missing, although it follows from the records")
        elif name in expected:
            _compare(name, archive.folder / name, (anew / name).read_bytes(), found)
        elif found.sources and name not in found.wrong:  # other sources may make more files
            found.unequal[name] = Unequal(FOLLOWS_FROM_NOTHING, name.endswith(DRAWN))
        else:
            found.wrong.setdefault(name, FOLLOWS_FROM_NOTHING)


def _same(found: Path, expected: Path) -> bool:
    return found.is_file() and found.read_bytes() == expected.read_bytes()


def _compare_crate(archive: Unpacked, results: Results, found: Verification) -> None:
    """Compare the RO-Crate metadata with those made anew."""
    citation = read_citation(archive.folder / CITATION)
    names = [name for name in archive.names if name != CRATE]
    crate = crate_json(archive.folder, names, results, citation)
    if CRATE in archive.names:
        _compare(CRATE, archive.folder / CRATE, crate.encode(), found)


def _check_environments(archive: Unpacked, results: Results, found: Verification) -> None:
    """Name records whose environment is of no definition in envs/; overlays and interpreters of the
    user's own have none there.
    """
    names = (name for name in archive.names if name.startswith("envs/"))
    locked = {_definition_sha256(archive.folder / name) for name in names}
    for cell, run in results.runs:
        own = cell.column.settings.get("interpreter") or cell.column.settings.get("overlay")
        if run.ok and not own and run.record.environment.definition_sha256 not in locked:
            found.wrong.setdefault(run.path, "its environment is of no definition in envs/")


def _definition_sha256(definition: Path) -> str:
    """The digest of a definition and of the lock beside it, as what measures takes it."""
    digest = hashlib.sha256()
    for part in (definition, definition.with_suffix(".post-deploy.sh")):
        content = part.read_bytes() if part.exists() else b""
        digest.update(len(content).to_bytes(8, "big") + content)
    return digest.hexdigest()


def _compare(name: str, path: Path, expected: bytes, found: Verification) -> None:
    content = path.read_bytes()
    if content == expected:
        return
    place = first_difference(content, expected)
    if name in found.wrong:
        found.wrong[name] += f": {place} when drawn anew"
    else:
        in_figure = name.endswith(DRAWN) or without_figures(content) == without_figures(expected)
        found.unequal[name] = Unequal(place, in_figure)


def without_figures(page: bytes) -> bytes:
    """A page without its svg elements."""
    *before, rest = page.split(b"</svg>")
    return b"".join([*(text.partition(b"<svg")[0] for text in before), rest])
