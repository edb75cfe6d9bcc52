"""Putting an archive together: the measurements without the names of this machine, what is drawn
from them, and the sources.
"""

import json
import os
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from analysis.archive import ABOUT, CITATION, CONFIG, CRATE, MANIFEST, PLAN, ROOT, results_folder
from analysis.archive.about import about
from analysis.archive.contents import files_below, other_names, raw_names, source_names
from analysis.archive.crate import crate_json
from analysis.archive.manifest import manifest_text
from analysis.archive.rebuild import rebuild
from analysis.archive.unpack import unpack
from analysis.formats.errors import InputError, write_text
from analysis.report.citation import read_citation
from analysis.results.loading import load_results
from analysis.results.results import Results
from packing.privacy import Scrubber, scrubber_here
from packing.sealed_zip import EARLIEST, write_zip

MAX_LOG_BYTES = 2**20  # of a longer log the end is kept, which says how it ended
CONFIG_HEAD = "# What this measurement was made with: config.yaml and all that overrode it.\n"


class Staging:
    """The folder that becomes the archive."""

    def __init__(self, folder: Path, scrubber: Scrubber | None):
        self.folder = folder
        self._scrubber = scrubber
        self.changed: list[str] = []

    def add_run(self, name: str, content: bytes) -> None:
        """Add a file that the pipeline wrote, with this machine's folders and names replaced."""
        text = content.decode("utf-8", errors="surrogateescape")
        clean = self._scrubber(text) if self._scrubber else text
        if clean != text:
            self.changed.append(name)
        self._write(name, clean.encode("utf-8", errors="surrogateescape"))

    def add_source(self, name: str, content: bytes) -> None:
        """Add a source file as it is; raises InputError where it names a folder of this machine."""
        text = content.decode("utf-8", errors="replace")
        if self._scrubber and (folder := self._scrubber.finds_folder(text)):
            line = text[: text.index(folder)].count("\n") + 1
            raise InputError(
                f"{name}: line {line}: names a folder of this machine ({folder}); write it "
                "otherwise, or give --keep-paths"
            )
        self._write(name, content)

    def _write(self, name: str, content: bytes) -> None:
        target = self.folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)


def pack(
    project: Path,
    config: dict[str, Any] | None,
    output: Path,
    keep_paths: bool = False,
    draw: Callable[[Path, str, str | None], None] = rebuild,
    place: str = PLAN,
) -> tuple[list[str], Results]:
    """Write the archive of the results of a project's plan, which is at `place` in the project;
    `draw` makes the results from plan and records. Returns the names of the files in which folders
    and names of this machine were replaced, and the results as they are in the archive.

    `config` is the whole configuration; None stands for config.yaml as it is.
    """
    folders = [folder for folder in (config or {}).get("folders", []) if _inside(ROOT, folder)]
    sources = {name: (ROOT / name).read_bytes() for name in source_names(ROOT, folders)}
    settings = sources.pop(CONFIG) if config is None else _as_yaml(config).encode()
    sources.pop(CONFIG, None)
    texts = (content.decode("utf-8", errors="replace") for content in sources.values())
    scrubber = None if keep_paths else scrubber_here(project, texts)
    plan = load_results(project / place).plan  # before anything else: the input may be bad
    found = files_below(project, results_folder(place))
    with TemporaryDirectory(prefix="millistep-") as folder:
        staging = Staging(Path(folder), scrubber)
        for name in [*raw_names(plan, found), *other_names(plan, found)]:
            content = (project / name).read_bytes()
            staging.add_run(name, _end(content) if name.endswith(".log") else content)
        staging.add_run(CONFIG, settings)
        facts = about(ROOT, "kept" if keep_paths else "replaced")
        draw(staging.folder, place, facts["revision"])
        for name, content in sources.items():
            staging.add_source(name, content)
        results = load_results(staging.folder / place)
        _describe(staging, results, facts)
        _write_checked(staging, results, output)
    return staging.changed, results


def _describe(staging: Staging, results: Results, facts: dict[str, Any]) -> None:
    """Write archive.json, the RO-Crate metadata and the manifest."""
    write_text(staging.folder / ABOUT, json.dumps(facts, indent=1) + "\n")
    citation = read_citation(ROOT / CITATION)
    crate = crate_json(staging.folder, files_below(staging.folder), results, citation)
    write_text(staging.folder / CRATE, crate)
    write_text(
        staging.folder / MANIFEST, manifest_text(staging.folder, files_below(staging.folder))
    )


def _write_checked(staging: Staging, results: Results, output: Path) -> None:
    """Write the zip; it is put in place only after it was unpacked as a stranger would do it."""
    output.parent.mkdir(parents=True, exist_ok=True)
    partial = output.with_name(f".{output.name}.partial")
    try:
        files = {name: staging.folder / name for name in files_below(staging.folder)}
        write_zip(files, partial, _moment(results))
        with TemporaryDirectory(prefix="millistep-") as folder:
            unpack(partial, Path(folder)).intact()
        os.replace(partial, output)
    finally:
        partial.unlink(missing_ok=True)


def _moment(results: Results) -> tuple[int, ...]:
    """The end of the last run, in the form that a zip has for times."""
    if not results.all_records:
        return EARLIEST
    last = max(record.finished_at for record in results.all_records)
    day, _, time = last[:19].partition("T")
    return max(EARLIEST, tuple(map(int, (*day.split("-"), *time.split(":")))))


def _inside(root: Path, folder: str) -> bool:
    """True if a folder of the user's models is part of the project."""
    return not os.path.isabs(folder) and (root / folder).resolve().is_relative_to(root.resolve())


def _end(log: bytes) -> bytes:
    """A log, or the last lines of a long one."""
    if len(log) <= MAX_LOG_BYTES:
        return log
    kept = log[-MAX_LOG_BYTES:].partition(b"\n")[2]
    return b"[%d bytes before this were left out]\n" % (len(log) - len(kept)) + kept


def _as_yaml(config: dict) -> str:
    import yaml

    return CONFIG_HEAD + yaml.safe_dump(config, sort_keys=False, allow_unicode=True)
